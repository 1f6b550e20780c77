// Sorted tiles on a GPU: a thread block takes the entries of a tile in the order of their columns, so that a warp asks
// for few lines of x, puts the products into row order in shared memory, and sums the rows there as CSR does.
#include "millrace/sparse/scsr_cuda.cuh"

#include "millrace/base/dispatch.hpp"
#include "millrace/sparse/csr_tiles_cuda.cuh"

namespace millrace::cuda {
namespace {

/// Groups of 32 entries that a warp has in flight, and threads that a multiprocessor should hold: registers for both.
template <class A, class I, int Threads>
constexpr int groups_in_flight = is_complex<A>                              ? 2
                                 : ColumnsView<I>::narrow&& Threads == 1024 ? 8
                                                                            : 4;
template <class A>
constexpr int resident_threads = is_complex<A> ? 1024 : 1536;

/// Neighbouring threads sum neighbouring rows, whose products often lie 16 apart: these get different banks.
__device__ inline int bank_of(int place) { return place ^ ((place >> 4) & 15); }

/// The column of an entry from its group's base.
template <class I>
__device__ inline Index column_of(const ColumnsView<I>& cols, Index base, I offset, int lane) {
  if constexpr (ColumnsView<I>::narrow)
    return base >= 0 ? base + static_cast<Index>(offset) : cols.wide[(static_cast<Offset>(~base) << 5) + lane];
  else
    return offset;
}

// Mapping  a warp multiplies U groups of 32 entries at a time, the warps of the block side by side.
// Traffic  values, slots and offsets of the columns once, a base a group, x by gathers.
// Shared   the products, in row order.
template <int Threads, class RowOffset, class I, class A>
__device__ __forceinline__ void multiply_sorted(const ScsrView<A, RowOffset, I>& a, Offset begin, int count,
                                                const A* __restrict__ x, A* s_product) {
  constexpr int U = groups_in_flight<A, I, Threads>;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int lead = static_cast<int>(begin % 32), span = lead + count;  // counted from the first entry of a group
  const Offset first = begin - lead;
  const I* offsets = a.cols.offsets + first;
  const std::uint16_t* slots = a.slots + first;
  const A* vals = a.vals + first;
#pragma unroll 1
  for (int at = warp * 32 * U; at < span; at += Threads * U) {
    Index base = 0;
    if constexpr (ColumnsView<I>::narrow)
      if (lane < U && at + 32 * lane < span) base = __ldcs(a.cols.bases + (first + at) / 32 + lane);
    I r_offset[U]{};
    int r_slot[U];
    A r_value[U][1]{};
#pragma unroll
    for (int u = 0; u < U; ++u) {
      const int p = at + 32 * u + lane;
      r_slot[u] = -1;
      if (p < lead || p >= span) continue;
      r_offset[u] = __ldcs(offsets + p);
      r_slot[u] = __ldcs(slots + p);
      load_once<1>(vals + p, r_value[u]);
    }
    A r_x[U]{};
#pragma unroll
    for (int u = 0; u < U; ++u) {
      const Index of_group = shuffle(base, u);
      if (r_slot[u] >= 0) r_x[u] = x[column_of(a.cols, of_group, r_offset[u], lane)];
    }
#pragma unroll
    for (int u = 0; u < U; ++u)
      if (r_slot[u] >= 0) s_product[bank_of(r_slot[u])] = r_value[u][0] * r_x[u];
  }
}

// Mapping  a thread block takes a tile: products first, then a thread every row of the tile, or a warp when the row is
//          longer than 32. Several vectors come one after the other; the tile is then read again, from the L2 cache.
// Traffic  entries, slots and row offsets once, tiles once, x by gathers in the order of the columns, y once.
// Shared   the products of the tile [T], and the list of its long rows [T / 32 + 1].
// Result   repeatable: a row is summed in order, or lane by lane and a fixed tree; cut rows in the order of the tiles.
template <int Threads, class RowOffset, class I, class A>
__global__ void __launch_bounds__(Threads, resident_threads<A> / Threads)
    multiply_sorted_tiles(ScsrView<A, RowOffset, I> a, A alpha, const A* __restrict__ x, std::int64_t ldx, A beta,
                          A* __restrict__ y, std::int64_t ldy, int num_vectors, CutRows<A> cut) {
  extern __shared__ double2 s_memory[];
  A* s_product = reinterpret_cast<A*>(s_memory);
  const CsrTile here = a.tiles[blockIdx.x], next = a.tiles[blockIdx.x + 1];
  const auto start = static_cast<RowOffset>(here.begin);
  const int count = static_cast<int>(next.begin - here.begin);
  Index* s_long = reinterpret_cast<Index*>(s_product + a.tiling.capacity() + 32);  // after T products
  const auto read_extent = [&](Index r) {
    return int2{static_cast<int>(max(a.row_ptr[r] - start, RowOffset{0})),
                static_cast<int>(min(a.row_ptr[r + 1] - start, RowOffset{count}))};
  };
  // Asked for before the products, so that nobody waits for it after them.
  const Index own = here.row - here.cut + static_cast<int>(threadIdx.x);
  const int2 own_extent = own < next.row ? read_extent(own) : int2{};
  const auto extent_of = [&](Index r) { return r == own ? own_extent : read_extent(r); };
  const auto product = [&](int p) { return s_product[bank_of(p)]; };
  for (int v = 0; v < num_vectors; ++v, x += ldx, y += ldy) {
    multiply_sorted<Threads>(a, here.begin, count, x, s_product);
    sum_tile<Threads>(a, a.tiling, here, next, s_long, extent_of, product, cut, v, alpha, beta, y);
  }
}

}  // namespace

template <class A, class RowOffset, class I>
void multiply(Queue& queue, const ScsrView<A, RowOffset, I>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y) {
  if (a.num_rows == 0) return;
  const cudaStream_t stream = queue.stream();
  const std::int64_t cut = a.cuts_rows ? y.num * a.num_tiles : 0;
  const auto pieces = queue.scratch<A>(2 * cut);
  const auto arrived = queue.zeros(cut);
  const auto tile = static_cast<std::size_t>(a.tiling.capacity() + 32);  // T
  const std::size_t shared = tile * sizeof(A) + (tile / 32 + 1) * sizeof(Index);
  dispatch<256, 512, 1024>("threads", a.threads, [&]<int Threads>() {
    const auto kernel = multiply_sorted_tiles<Threads, RowOffset, I, A>;
    if (shared > 47 * 1024)  // beyond 48 KB with what the kernel has by itself: to be asked for
      check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
            "cudaFuncSetAttribute");
    kernel<<<static_cast<unsigned>(a.num_tiles), Threads, shared, stream>>>(
        a, alpha, x.data, x.stride, beta, y.data, y.stride, y.num, CutRows<A>{pieces.data(), arrived.data()});
  });
  check_launch("multiply_sorted_tiles", stream);
}

#define MILLRACE_INSTANTIATE_WITH(A, RowOffset, I) \
  template void multiply(Queue&, const ScsrView<A, RowOffset, I>&, A, const Vectors<const A>&, A, const Vectors<A>&)
#define MILLRACE_INSTANTIATE(A)                              \
  MILLRACE_INSTANTIATE_WITH(A, std::int32_t, std::uint16_t); \
  MILLRACE_INSTANTIATE_WITH(A, std::int64_t, std::uint16_t); \
  MILLRACE_INSTANTIATE_WITH(A, std::int32_t, Index);         \
  MILLRACE_INSTANTIATE_WITH(A, std::int64_t, Index)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(Complex<float>);
MILLRACE_INSTANTIATE(Complex<double>);

}  // namespace millrace::cuda
