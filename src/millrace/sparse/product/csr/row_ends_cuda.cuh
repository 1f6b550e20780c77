// Sums by rows where lanes have entries instead of rows (nnz_split.hpp).
#pragma once

#include "millrace/sparse/product/csr/nnz_split.hpp"
#include "millrace/sparse/product/csr/tiles_cuda.cuh"

namespace millrace::cuda {

constexpr int lane_items = 4;  // neighbouring entries of a lane

/// The values of a lane, where this is written: the load is volatile. Those of double come in two loads, of which the
/// first brings the second into the nearest cache.
__device__ inline void load_values(const double* from, double (&v)[lane_items]) {
  asm volatile("ld.global.nc.v2.f64 {%0, %1}, [%2];" : "=d"(v[0]), "=d"(v[1]) : "l"(from));
  asm volatile("ld.global.nc.v2.f64 {%0, %1}, [%2];" : "=d"(v[2]), "=d"(v[3]) : "l"(from + 2));
}
__device__ inline void load_values(const float* from, float (&v)[lane_items]) {
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
               : "l"(from));
}

/// Volatile, too: it stays where it is written, long before its use.
__device__ inline RowEnds load_ends(const RowEnds* from) {
  RowEnds ends;
  asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(ends.bits), "=r"(ends.before) : "l"(from));
  return ends;
}

/// May four neighbours be one load? Arrays of a caller's own may begin anywhere; then lanes load them one by one, and
/// add the same numbers in the same order.
inline bool loads_in_fours(const void* data) { return reinterpret_cast<std::uintptr_t>(data) % 16 == 0; }

/// Every lane's running sum since the last lane before it whose bit is set: where a row ends.
template <class A>
__device__ inline A sum_since_end(A value, unsigned ends, int lane) {
  const unsigned below = ends & ((1u << lane) - 1);
  const int since = lane - (32 - __clz(static_cast<int>(below)));
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const A other = shuffle_up(value, d);
    if (since >= d) value += other;
  }
  return value;
}

/// The rows that end among the entries of a lane, and of its warp.
struct LaneEnds {
  unsigned bits;     // of the lane's entries
  unsigned lanes;    // which lanes have any
  Index row;         // the lane's first
  Index first, end;  // the warp's first, and the one after its last

  __device__ LaneEnds(const RowEnds& ends, int lane) {
    const int bit = lane_items * lane % 32;
    bits = ends.bits >> bit & ((1u << lane_items) - 1);
    row = ends.before + __popc(ends.bits & ((1u << bit) - 1));
    lanes = __ballot_sync(0xffffffffu, bits != 0);
    first = shuffle(row, 0);
    end = shuffle(row + __popc(bits), 31);
  }
};

/// Sums the products of a warp by rows, and leaves those that end in s_sums. Returns in the last lane what the open row
/// has, else 0.
template <class A>
__device__ inline A sum_rows(A (&product)[lane_items], const LaneEnds& ends, int lane, A* s_sums) {
#pragma unroll
  for (int u = 1; u < lane_items; ++u)
    if (!(ends.bits >> (u - 1) & 1)) product[u] += product[u - 1];
  const A tail = ends.bits >> (lane_items - 1) ? A{} : product[lane_items - 1];
  const A tail_before = shuffle_up(tail, 1);
  const A head = sum_since_end(lane == 0 ? A{} : tail_before, ends.lanes, lane);
  Index place = ends.row - ends.first;
  bool reaches_back = true;
#pragma unroll
  for (int u = 0; u < lane_items; ++u)
    if (ends.bits >> u & 1) {
      s_sums[place++] = reaches_back ? product[u] + head : product[u];
      reaches_back = false;
    }
  return lane < 31 ? A{} : ends.bits ? tail : head + tail;
}

// Mapping  a warp counts its partial sum of a row, which it has written, and completes the row if that was the last.
// Result   repeatable: see add_partials.
template <class A>
__device__ inline void close_spanning_row(const PartialSums<A>& partial, const SpanningRow& row, A alpha, A beta,
                                          A& y) {
  __threadfence();
  __syncwarp();
  unsigned* arrived = partial.arrived + row.first;
  unsigned before = 0;
  if (threadIdx.x % 32 == 0) before = atomicAdd(arrived, 1u);
  if (shuffle(before, 0) == static_cast<unsigned>(row.last - row.first))
    add_partials(partial.sums, row.first, row.last, arrived, alpha, beta, y);
}

}  // namespace millrace::cuda
