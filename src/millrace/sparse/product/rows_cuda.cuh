// The GPU's schedule for every row format: a few lanes per row, or one where rows sit side by side.
#pragma once

#include "millrace/base/dispatch.hpp"
#include "millrace/base/operator.hpp"
#include "millrace/base/warp.cuh"
#include "millrace/sparse/row_format.hpp"

namespace millrace::cuda {

struct RowSchedule {
  int block;  // threads
  int width;  // lanes that share a row
  friend constexpr bool operator==(const RowSchedule&, const RowSchedule&) = default;
};

/// Lanes per row: the power of two at or below the mean length (Bell and Garland 2009), one where neighbouring
/// rows are stored side by side and lanes already read neighbouring addresses.
constexpr RowSchedule row_schedule(double mean_length, bool interleaved) {
  int width = 1;
  while (!interleaved && width < 32 && 2 * width <= mean_length) width *= 2;
  return {256, width};
}
static_assert(row_schedule(7.0, false) == RowSchedule{256, 4});
static_assert(row_schedule(500.0, false) == RowSchedule{256, 32});
static_assert(row_schedule(7.0, true) == RowSchedule{256, 1});

/// Calls launch<4>(v) while four of the vectors from `first` on are left, then launch<1>(v): four share a pass over the
/// matrix.
template <class Launch>
void for_vector_groups(int num_vectors, Launch&& launch, int first = 0) {
  int v = first;
  for (; v + 4 <= num_vectors; v += 4) launch.template operator()<4>(v);
  for (; v < num_vectors; ++v) launch.template operator()<1>(v);
}

// Mapping  `Width` neighbouring lanes share a stored row; lane k takes entries k, k + Width, ... for K vectors
//          at once, and lane 0 writes the row of y.
// Traffic  entries and indices once, row extents once, y once (twice when beta is not 0), x by gathers.
// Result   repeatable: a fixed tree per row, no atomics.
template <int Width, int K, RowFormat V, class A>
__global__ void __launch_bounds__(256) multiply_rows(V a, A alpha, const A* __restrict__ x, std::int64_t ldx, A beta,
                                                     A* __restrict__ y, std::int64_t ldy) {
  const std::int64_t row = (blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x) / Width;
  if (row - threadIdx.x % 32 / Width >= a.num_rows) return;  // whole warps leave; others shuffle together
  const auto r = static_cast<Index>(row);
  const int lane = threadIdx.x % Width;
  A r_sum[K]{};
  if (row < a.num_rows) {
    const Index length = a.length(r);
    for (Index k = lane; k < length; k += Width) {
      const Offset s = a.slot(r, k);
      const A value = a.value(s);
      const A* entry = x + a.column(s);
#pragma unroll
      for (int j = 0; j < K; ++j) r_sum[j] = multiply_add(value, entry[j * ldx], r_sum[j]);
    }
  }
#pragma unroll
  for (int j = 0; j < K; ++j) r_sum[j] = warp_sum<Width>(r_sum[j]);
  if (lane == 0 && row < a.num_rows) {
    A* out = y + a.output_row(r);
#pragma unroll
    for (int j = 0; j < K; ++j) update(out[j * ldy], alpha, r_sum[j], beta);
  }
}

template <int Width, int K, RowFormat V, class A>
void launch_rows(cudaStream_t stream, int block, const V& a, A alpha, const Vectors<const A>& x, A beta,
                 const Vectors<A>& y, int first) {
  const unsigned blocks = num_blocks(static_cast<std::int64_t>(a.num_rows) * Width, block);
  multiply_rows<Width, K><<<blocks, block, 0, stream>>>(a, alpha, x.data + first * x.stride, x.stride, beta,
                                                        y.data + first * y.stride, y.stride);
  check_launch("multiply_rows", stream);
}

/// y = alpha A x + beta y for any row format; four vectors share one pass over the matrix.
template <RowFormat V, class A>
void multiply_rows_of(Queue& queue, const V& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  if (a.num_rows == 0) return;
  const RowSchedule schedule = row_schedule(static_cast<double>(a.num_entries) / a.num_rows, V::interleaved);
  const auto all_vectors = [&]<int Width>() {
    for_vector_groups(
        x.num, [&]<int K>(int v) { launch_rows<Width, K>(queue.stream(), schedule.block, a, alpha, x, beta, y, v); });
  };
  if constexpr (V::interleaved)
    all_vectors.template operator()<1>();
  else
    dispatch<1, 2, 4, 8, 16, 32>("lanes per row", schedule.width, all_vectors);
}

/// The schedule of every view that has no special one.
template <RowFormat V, class A>
void multiply(Queue& queue, const V& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  multiply_rows_of(queue, a, alpha, x, beta, y);
}

}  // namespace millrace::cuda
