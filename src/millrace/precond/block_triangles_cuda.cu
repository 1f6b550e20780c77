// Triangular solutions of block ILU(0) on a GPU: a thread block takes a block row by a ticket, in the order of the
// levels, and waits for the entries it needs; these belong to tickets before, so there is no deadlock.
#include <algorithm>

#include "millrace/base/scalar.hpp"
#include "millrace/precond/incomplete_cuda.hpp"
#include "millrace/precond/ready_cuda.cuh"
#include "millrace/precond/triangles_cuda.cuh"

namespace millrace::cuda {
namespace {

constexpr int rows_per_thread = 4;  // of a block, which has up to 4 x 256 rows

/// Threads that share a block row: enough for all rows of a block, or for a few columns of a small one.
constexpr int threads_of(Index block) { return block <= 8 ? 32 : block <= 32 ? 64 : block <= 96 ? 128 : 256; }

/// A thread's part in the product of a row of blocks with a vector: rows i, i + threads, ... of columns c, c + C, ...
template <class A, class S>
struct BlockPart {
  int n, threads, columns, c, i;
  A r_sum[rows_per_thread]{};

  __device__ explicit BlockPart(int block) : n(block), threads(static_cast<int>(blockDim.x)) {
    columns = n < threads ? threads / n : 1;
    c = n < threads ? static_cast<int>(threadIdx.x) / n : 0;
    i = static_cast<int>(threadIdx.x) - c * (n < threads ? n : 0);
  }
  /// Adds sign times `count` columns from `vals` on, times what s_x holds.
  __device__ void add(const S* vals, int count, A sign, const A* s_x) {
    if (c >= columns) return;
    for (int q = c; q < count; q += columns) {
      const A factor = sign * s_x[q];
#pragma unroll
      for (int r = 0; r < rows_per_thread; ++r)
        if (const int row = i + r * threads; row < n)
          r_sum[r] = multiply_add(change_type<A>(vals[static_cast<Offset>(q) * n + row]), factor, r_sum[r]);
    }
  }
  /// The sums of all columns, by c = 0, 1, ..., in s_x for every row of the block. All threads call it.
  __device__ void gather(A* s_x) {
    __syncthreads();
#pragma unroll
    for (int r = 0; r < rows_per_thread; ++r)
      if (const int row = i + r * threads; row < n && c < columns) s_x[c * n + row] = r_sum[r];
    __syncthreads();
    for (int row = static_cast<int>(threadIdx.x); row < n; row += threads) {
      A sum{};
      for (int k = 0; k < columns; ++k) sum += s_x[k * n + row];
      s_x[row] = sum;  // read by this thread alone before
    }
    __syncthreads();
  }
};

/// z = x - L z for one block row; clears w for the other triangle.
template <class A, class S>
struct LowerBlocks {
  FactorView v;
  const S* vals;
  const A* x;
  Ready<A>* z;
  Ready<A>* w;

  __device__ Index row(Index place) const { return place; }
  __device__ FactorView::Entry begin(Index i) const { return v.lower_ptr[i]; }
  __device__ FactorView::Entry end(Index i) const { return v.lower_ptr[i + 1]; }
  __device__ Index column(FactorView::Entry e) const { return v.lower_cols[e]; }
  __device__ Offset slot(FactorView::Entry e) const { return e; }
  __device__ const Ready<A>& input(Offset entry) const { return z[entry]; }
  __device__ void add_start(Index, BlockPart<A, S>&, A*) const {}
  __device__ void finish(Index i, int r, A sum) const {
    const Offset at = static_cast<Offset>(i) * v.block + r, from = static_cast<Offset>(v.order[i]) * v.block + r;
    z[at].publish(from < v.num_unknowns ? x[from] + sum : sum);
    w[at].clear();
  }
};

/// w = D^-1 z - U w, and y = alpha w + beta y. Leaves zeros in z.
template <class A, class S>
struct UpperBlocks {
  FactorView v;
  const S* vals;
  A alpha, beta;
  A* y;
  Ready<A>* z;
  Ready<A>* w;

  __device__ Index row(Index place) const { return v.num_rows - 1 - place; }
  __device__ FactorView::Entry begin(Index i) const { return v.upper_ptr[i]; }
  __device__ FactorView::Entry end(Index i) const { return v.upper_ptr[i + 1]; }
  __device__ Index column(FactorView::Entry e) const { return v.upper_cols[e]; }
  __device__ Offset slot(FactorView::Entry e) const { return v.upper_slot(e); }
  __device__ const Ready<A>& input(Offset entry) const { return w[entry]; }
  __device__ void add_start(Index i, BlockPart<A, S>& part, A* s_x) const {
    const Offset area = static_cast<Offset>(v.block) * v.block;
    for (int r = static_cast<int>(threadIdx.x); r < v.block; r += part.threads) {
      Ready<A>& mine = z[static_cast<Offset>(i) * v.block + r];
      mine.read(s_x[r]);  // written by the launch before
      mine.clear();
    }
    __syncthreads();
    part.add(vals + v.diagonal_slot(i) * area, v.block, one<A>(), s_x);
    __syncthreads();
  }
  __device__ void finish(Index i, int r, A sum) const {
    const Offset at = static_cast<Offset>(i) * v.block + r, to = static_cast<Offset>(v.order[i]) * v.block + r;
    w[at].publish(sum);
    if (to < v.num_unknowns) update(y[to], alpha, sum, beta);
  }
};

// Mapping  a thread block takes a block row by a ticket; its threads share rows and columns of one block after another.
// Traffic  blocks and their columns once, the vectors of the triangle once.
// Shared   the entries of the vector that a block meets, then the sums of the columns: max(n, threads) numbers.
// Result   repeatable: a thread sums its columns ascending, then a fixed order.
template <class Rows, class A, class S>
__global__ void __launch_bounds__(256) solve_block_triangle(Rows rows, unsigned* counter) {
  extern __shared__ char s_bytes[];
  A* s_x = reinterpret_cast<A*>(s_bytes);
  __shared__ unsigned s_ticket;
  const int n = rows.v.block, threads = static_cast<int>(blockDim.x);
  const unsigned count = static_cast<unsigned>(rows.v.num_rows);
  const A minus = from_real<A>(RealOf<A>{-1});
  while (true) {
    if (threadIdx.x == 0) s_ticket = take_ticket(counter, count, gridDim.x);
    __syncthreads();
    const unsigned ticket = s_ticket;
    __syncthreads();
    if (ticket >= count) return;
    const Index i = rows.row(static_cast<Index>(ticket));
    BlockPart<A, S> part(n);
    rows.add_start(i, part, s_x);
    for (auto e = rows.begin(i); e < rows.end(i); ++e) {
      const Offset first = static_cast<Offset>(rows.column(e)) * n;
      for (int r = static_cast<int>(threadIdx.x); r < n; r += threads) s_x[r] = rows.input(first + r).wait();
      __syncthreads();
      part.add(rows.vals + rows.slot(e) * n * n, n, minus, s_x);
      __syncthreads();
    }
    part.gather(s_x);
    for (int r = static_cast<int>(threadIdx.x); r < n; r += threads) rows.finish(i, r, s_x[r]);
  }
}

template <class Rows, class A, class S>
void launch(Queue& queue, const Rows& rows, Index num_levels, unsigned* counter) {
  const int threads = threads_of(rows.v.block);
  const std::size_t shared = static_cast<std::size_t>(std::max<Index>(rows.v.block, threads)) * sizeof(A);
  const unsigned blocks = warps_in_flight(rows.v.num_rows, num_levels, 32, num_units(queue.device()));
  solve_block_triangle<Rows, A, S><<<blocks, static_cast<unsigned>(threads), shared, queue.stream()>>>(rows, counter);
  check_launch("solve_block_triangle", queue.stream());
}

}  // namespace

template <class T>
void solve_block_triangles(Queue& queue, const FactorPattern& pattern, const NarrowArray<T>& factors, Arith<T> alpha,
                           const Vectors<const Arith<T>>& x, Arith<T> beta, const Vectors<Arith<T>>& y) {
  using A = Arith<T>;
  const DeviceGuard guard(queue.device());
  const FactorView v = pattern.view();
  const Offset size = static_cast<Offset>(v.num_rows) * v.block;
  const auto zeros = queue.zeros(size * static_cast<Offset>(sizeof(A) / 4) + 2);
  const auto memory = queue.scratch<Ready<A>>(size);
  auto* z = reinterpret_cast<Ready<A>*>(zeros.data() + 2);  // after the counter, aligned to 8 bytes
  factors.visit([&]<class S>(const S* vals) {
    for (int k = 0; k < y.num; ++k) {
      const LowerBlocks<A, S> lower{v, vals, x.data + k * x.stride, z, memory.data()};
      launch<LowerBlocks<A, S>, A, S>(queue, lower, pattern.levels().num_levels(), zeros.data());
      const UpperBlocks<A, S> upper{v, vals, alpha, beta, y.data + k * y.stride, z, memory.data()};
      launch<UpperBlocks<A, S>, A, S>(queue, upper, pattern.levels().num_levels(), zeros.data());
    }
  });
}

#define MILLRACE_INSTANTIATE(T)                                                                      \
  template void solve_block_triangles(Queue&, const FactorPattern&, const NarrowArray<T>&, Arith<T>, \
                                      const Vectors<const Arith<T>>&, Arith<T>, const Vectors<Arith<T>>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace::cuda
