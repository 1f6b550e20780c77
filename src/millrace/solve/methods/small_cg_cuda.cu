// The kernel of small systems. Two barriers of the cluster per iteration: p and r of other thread blocks are read
// through distributed shared memory, where p = r + beta p is formed while it is read.
#include <algorithm>
#include <vector>

#include "millrace/base/dispatch.hpp"
#include "millrace/base/warp.cuh"
#include "millrace/solve/methods/small_cg.hpp"

namespace millrace::cuda {

using detail::CgResidual, detail::CgScalars, detail::Progress;

namespace {

constexpr int num_warps = small_cg_threads / 32;

__device__ inline unsigned address_in_cluster(const void* shared, unsigned block) {
  unsigned address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(address)
      : "r"(static_cast<unsigned>(__cvta_generic_to_shared(shared))), "r"(block));
  return address;
}
template <class A>
__device__ inline A load_from_cluster(unsigned address) {
  A value;
  if constexpr (sizeof(A) == 8)
    asm volatile("ld.shared::cluster.f64 %0, [%1];" : "=d"(value) : "r"(address) : "memory");
  else
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
  return value;
}
template <class A>
__device__ inline void store_in_cluster(unsigned address, A value) {
  if constexpr (sizeof(A) == 8)
    asm volatile("st.shared::cluster.f64 [%0], %1;" ::"r"(address), "d"(value) : "memory");
  else
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(address), "f"(value) : "memory");
}
/// Sum over all threads of the cluster, known to all of them afterwards: warps, then all warps in their order.
/// `s_sums`: [num_blocks, num_warps], not in use for the sum before this one.
template <class A>
__device__ A sum_over_cluster(A value, A* s_sums, unsigned rank, unsigned num_blocks) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warp_sum_everywhere(value);
  if (lane < num_blocks) store_in_cluster(address_in_cluster(s_sums + rank * num_warps + warp, lane), value);
  wait_for_cluster();
  A sum{};
  for (unsigned i = lane; i < num_blocks * num_warps; i += 32) sum += s_sums[i];
  return warp_sum_everywhere(sum);
}

/// The product of A with share r + beta p for the R rows of a thread, several entries of each in flight: what another
/// block keeps is 200 cycles away.
template <int R, class A>
__device__ void multiply_rows(const int (&r_begin)[R], const int (&r_end)[R], int longest, const A* s_vals,
                              const unsigned* s_from, unsigned p_after_r, A share, A beta, A (&r_q)[R]) {
  constexpr int U = R == 1 ? 8 : R == 2 ? 6 : R == 3 ? 5 : 4;
#pragma unroll
  for (int k = 0; k < R; ++k) r_q[k] = A{};
#pragma unroll 1
  for (int first = 0; first < longest; first += U) {
    A r_r[R][U], r_p[R][U], r_vals[R][U];
#pragma unroll
    for (int k = 0; k < R; ++k)
#pragma unroll
      for (int u = 0; u < U; ++u) {
        const int e = r_begin[k] + first + u;
        r_vals[k][u] = r_r[k][u] = r_p[k][u] = A{};
        if (e >= r_end[k]) continue;
        const unsigned from = s_from[e];
        r_r[k][u] = load_from_cluster<A>(from);
        r_p[k][u] = load_from_cluster<A>(from + p_after_r);
        r_vals[k][u] = s_vals[e];
      }
#pragma unroll
    for (int k = 0; k < R; ++k)
#pragma unroll
      for (int u = 0; u < U; ++u) r_q[k] = multiply_add(r_vals[k][u], share * r_r[k][u] + beta * r_p[k][u], r_q[k]);
  }
}

/// The shared memory of a thread block.
template <class A>
struct SmallShared {
  Index mine;
  A *r, *p, *sums, *vals;  // [mine], [2, mine], [2, blocks, warps], [entries_per_block]
  unsigned* from;          // [entries_per_block], where in the cluster r of the column is
  __device__ SmallShared(char* bytes, const SmallCgPlan& plan)
      : mine(plan.rows_per_block),
        r(reinterpret_cast<A*>(bytes)),
        p(r + mine),
        sums(p + 2 * mine),
        vals(sums + 2 * plan.blocks * num_warps),
        from(reinterpret_cast<unsigned*>(vals + plan.entries_per_block)) {}
};

/// The rows of a thread, in registers: i = thread, thread + 256, ... of the `rows` of its block.
template <int R, class A>
struct SmallRows {
  Index first, rows;
  A x[R], r[R], p[R], q[R];
  int begin[R], end[R], longest = 0;

  template <class F>
  __device__ void for_each(F&& f) const {
#pragma unroll
    for (int k = 0; k < R; ++k)
      if (const Index i = static_cast<Index>(threadIdx.x) + k * small_cg_threads; i < rows) f(k, i);
  }
  /// Entries of the block into shared memory, vectors of the thread into registers, r and p into both.
  __device__ void load(const StoredRows<A>& a, const SmallShared<A>& s, const A* from_x, const A* from_r,
                       const A* from_p) {
    const int start = rows > 0 ? a.row_ptr[first] : 0, stop = rows > 0 ? a.row_ptr[first + rows] : 0;
    for (int e = start + static_cast<int>(threadIdx.x); e < stop; e += small_cg_threads) {
      const Index column = a.cols[e], block = column / s.mine;
      s.vals[e - start] = a.vals[e];
      s.from[e - start] = address_in_cluster(s.r + (column - block * s.mine), static_cast<unsigned>(block));
    }
#pragma unroll
    for (int k = 0; k < R; ++k) x[k] = r[k] = p[k] = A{}, begin[k] = end[k] = 0;
    for_each([&](int k, Index i) {
      x[k] = from_x[first + i];
      s.r[i] = r[k] = from_r[first + i];
      s.p[i] = p[k] = from_p[first + i];
      begin[k] = a.row_ptr[first + i] - start;
      end[k] = a.row_ptr[first + i + 1] - start;
      longest = max(longest, end[k] - begin[k]);
    });
  }
};

// Mapping  one cluster; block b has rows b * rows_per_block on, thread t its rows t, t + 256, ...
// Traffic  matrix, x, r and p once per launch; the iterations stay on the chip.
// Shared   the entries of the block's rows, its part of r and two of p, the sums of all warps, twice.
// Result   repeatable: rows in their order, then a fixed tree.
template <int R, class A>
__global__ void __launch_bounds__(small_cg_threads)
    run_small_cg(StoredRows<A> a, SmallCgPlan plan, Index n, A* x, A* r, A* p, CgScalars<A>* scalars) {
  extern __shared__ char s_bytes[];
  const SmallShared<A> s(s_bytes, plan);
  const unsigned rank = block_in_cluster(), num_blocks = static_cast<unsigned>(plan.blocks);
  const Progress* progress = &scalars->progress;
  if (!progress->active()) return;  // the same in all blocks: nobody has written yet
  SmallRows<R, A> t;
  t.first = static_cast<Index>(rank) * s.mine, t.rows = max(0, min(s.mine, n - t.first));
  t.load(a, s, x, r, p);
  const double target = progress->target, limit = progress->limit;
  const int max_now = min(progress->max_iterations - progress->iterations, max_small_cg_iterations);
  A rz = scalars->rz, before = rz, beta{1}, share{};  // of p and of r in the direction: p itself at first
  wait_for_cluster();
  bool goes_on = true;
  for (int iteration = 0; goes_on; ++iteration) {
    const unsigned p_after_r = static_cast<unsigned>((1 + iteration % 2) * s.mine) * sizeof(A);
    A* next_p = s.p + (1 - iteration % 2) * s.mine;
    multiply_rows<R>(t.begin, t.end, t.longest, s.vals, s.from, p_after_r, share, beta, t.q);
    A pq{}, rr{};
    t.for_each([&](int k, Index i) {
      next_p[i] = t.p[k] = share * t.r[k] + beta * t.p[k];
      pq = multiply_add(t.p[k], t.q[k], pq);
    });
    pq = sum_over_cluster(pq, s.sums, rank, num_blocks);
    const A alpha = rz > 0 && pq > 0 ? rz / pq : A{};
    t.for_each([&](int k, Index i) {
      t.x[k] = multiply_add(alpha, t.p[k], t.x[k]);
      s.r[i] = t.r[k] = multiply_add(-alpha, t.q[k], t.r[k]);
      rr = multiply_add(t.r[k], t.r[k], rr);
    });
    rr = sum_over_cluster(rr, s.sums + num_blocks * num_warps, rank, num_blocks);
    const double norm = sqrt(double{rr});
    goes_on = alpha > 0 && norm > target && norm <= limit && iteration + 1 < max_now;
    if (rank == 0 && threadIdx.x == 0) {
      scalars->rz = rz, scalars->pq = pq;
      CgResidual<A>{nullptr, nullptr, scalars, false}.finish(&rr);
    }
    if (alpha > 0) before = rz, rz = rr;
    share = A{1}, beta = rz / before;
  }
  t.for_each([&](int k, Index i) {
    x[t.first + i] = t.x[k], r[t.first + i] = t.r[k];
    p[t.first + i] = t.r[k] + beta * t.p[k];
  });
  wait_for_cluster();  // nobody leaves while others read its memory
}

template <class A>
std::size_t shared_bytes_of(const SmallCgPlan& plan) {
  return (3 * static_cast<std::size_t>(plan.rows_per_block) + 2 * static_cast<std::size_t>(plan.blocks) * num_warps +
          static_cast<std::size_t>(plan.entries_per_block)) *
             sizeof(A) +
         static_cast<std::size_t>(plan.entries_per_block) * sizeof(unsigned);
}

template <class A, class F>
void with_kernel(Index rows_per_block, F&& f) {
  dispatch<1, 2, 3, 4>("rows per thread", (rows_per_block + small_cg_threads - 1) / small_cg_threads,
                       [&]<int R>() { f(run_small_cg<R, A>); });
}

}  // namespace

template <class T>
SmallCgPlan plan_small_cg(Queue& queue, const StoredRows<T>& a, std::int64_t n) {
  if (!a.row_ptr || n == 0 || n > max_small_cg_unknowns) return {};
  const DeviceGuard guard(queue.device());
  std::vector<std::int32_t> row_ptr(static_cast<std::size_t>(n) + 1);
  copy_bytes(queue, Device::host(), row_ptr.data(), queue.device(), a.row_ptr, row_ptr.size() * sizeof(std::int32_t));
  queue.wait();
  int max_shared = 0;
  check(cudaDeviceGetAttribute(&max_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, queue.device().number()),
        "cudaDeviceGetAttribute");
  for (int blocks = 1; blocks <= max_small_cg_blocks; blocks *= 2) {
    SmallCgPlan plan{blocks, static_cast<Index>((n + blocks - 1) / blocks)};
    if (plan.rows_per_block > small_cg_threads && blocks < max_small_cg_blocks) continue;
    for (std::int64_t row = 0; row < n; row += plan.rows_per_block) {
      const auto begin = static_cast<std::size_t>(row),
                 end = static_cast<std::size_t>(std::min(n, row + plan.rows_per_block));
      plan.entries_per_block = std::max(plan.entries_per_block, row_ptr[end] - row_ptr[begin]);
    }
    plan.shared_bytes = shared_bytes_of<T>(plan);
    if (plan.shared_bytes > static_cast<std::size_t>(max_shared)) continue;
    bool prepared = true;
    with_kernel<T>(plan.rows_per_block, [&](auto* kernel) {
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(plan.shared_bytes)),
            "cudaFuncSetAttribute");
      if (blocks > 8)  // more than every device promises
        prepared = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess;
    });
    if (prepared) return plan;
    cudaGetLastError();
  }
  return {};
}

template <class T>
void iterate_small_cg(Queue& queue, const SmallCgPlan& plan, const StoredRows<T>& a, std::int64_t n, T* x, T* r, T* p,
                      CgScalars<T>* scalars) {
  const DeviceGuard guard(queue.device());
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(plan.blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(plan.blocks);
  config.blockDim = small_cg_threads;
  config.dynamicSmemBytes = plan.shared_bytes;
  config.stream = queue.stream();
  config.attrs = &cluster;
  config.numAttrs = 1;
  with_kernel<T>(plan.rows_per_block, [&](auto* kernel) {
    check(cudaLaunchKernelEx(&config, kernel, a, plan, static_cast<Index>(n), x, r, p, scalars), "run_small_cg");
  });
  check_launch("run_small_cg", queue.stream());
}

#define MILLRACE_INSTANTIATE(T)                                                                              \
  template SmallCgPlan plan_small_cg(Queue&, const StoredRows<T>&, std::int64_t);                            \
  template void iterate_small_cg(Queue&, const SmallCgPlan&, const StoredRows<T>&, std::int64_t, T*, T*, T*, \
                                 CgScalars<T>*)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
