// COO on a GPU: every warp sums a fixed stretch of entries, and the rows that stretches share are
// completed by a second kernel in a fixed order.
#pragma once

#include "millrace/base/cuda.cuh"
#include "millrace/base/operator.hpp"
#include "millrace/sparse/coo.hpp"

namespace millrace::cuda {

constexpr int coo_block = 256;
constexpr int coo_steps = 16;                   // of 32 entries each
constexpr Offset coo_stretch = 32 * coo_steps;  // entries of a warp

/// The part of a row that a stretch leaves open: its first and its last row.
template <class A>
struct OpenRow {
  Index row;
  A sum;
};

// Mapping  one thread an entry of y; block row v is vector v.
// Traffic  y once, read only when beta is not 0.
// Result   repeatable.
template <class A>
__global__ void __launch_bounds__(256) scale_vectors(A beta, A* y, std::int64_t ldy, std::int64_t size) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i >= size) return;
  A& out = y[blockIdx.y * ldy + i];
  out = is_zero(beta) ? A{} : beta * out;
}

// Mapping  a warp sums `coo_stretch` entries in steps of 32 by a segmented scan; block row v is vector v.
// Traffic  entries with both indices once, x by gathers, y once.
// Result   repeatable: fixed stretches and trees. Rows inside a stretch are added to y here, its first and last row
//          go to open[2 w] and open[2 w + 1].
template <class A>
__global__ void __launch_bounds__(coo_block)
    multiply_entries(CooView<A> a, A alpha, const A* __restrict__ x, std::int64_t ldx, A* __restrict__ y,
                     std::int64_t ldy, OpenRow<A>* open, Offset num_warps) {
  const Offset warp = (blockIdx.x * Offset{coo_block} + threadIdx.x) / 32;
  if (warp >= num_warps) return;
  const int lane = threadIdx.x % 32;
  const Offset begin = warp * coo_stretch, end = min(begin + coo_stretch, a.num_entries);
  const Index first_row = a.rows[begin], last_row = a.rows[end - 1];
  x += blockIdx.y * ldx;
  y += blockIdx.y * ldy;
  open += 2 * (blockIdx.y * num_warps + warp);

  const auto finish = [&](Index row, A sum) {
    if (row == first_row)
      open[0] = {row, sum};
    else
      y[row] = multiply_add(alpha, sum, y[row]);
  };
  Index carry_row = first_row;
  A carry{};
  for (Offset step = begin; step < end; step += 32) {
    const Offset s = step + lane;
    const bool inside = s < end;  // beyond the end the last row goes on with zeros that were not read
    const Index row = inside ? a.rows[s] : last_row;
    A sum{};
    if (inside) sum = a.vals[s] * x[a.cols[s]];
    for (int d = 1; d < 32; d *= 2) {
      const A before = shuffle_up(sum, d);
      const Index row_before = shuffle_up(row, d);
      if (lane >= d && row_before == row) sum = before + sum;
    }
    const Index head = shuffle(row, 0);
    if (row == carry_row) sum = carry + sum;
    if (lane == 0 && head != carry_row) finish(carry_row, carry);
    const Index next = shuffle_down(row, 1);
    if (lane < 31 && row != next) finish(row, sum);
    carry = shuffle(sum, 31);
    carry_row = shuffle(row, 31);
  }
  if (lane == 0) {
    if (first_row == last_row) {
      open[0] = {first_row, carry};
      open[1] = {last_row, A{}};
    } else {
      open[1] = {last_row, carry};
    }
  }
}

// Mapping  one thread an open row; the first of a run of equal rows adds the whole run. Block row v is vector v.
// Traffic  the open rows once.
// Result   repeatable: in the order of the entries.
template <class A>
__global__ void __launch_bounds__(256)
    close_rows(const OpenRow<A>* open, Offset count, A alpha, A* y, std::int64_t ldy) {
  const Offset i = blockIdx.x * Offset{256} + threadIdx.x;
  if (i >= count) return;
  open += blockIdx.y * count;
  const Index row = open[i].row;
  if (i > 0 && open[i - 1].row == row) return;
  A sum{};
  for (Offset j = i; j < count && open[j].row == row; ++j) sum += open[j].sum;
  A& out = y[blockIdx.y * ldy + row];
  out = multiply_add(alpha, sum, out);
}

template <class A>
void multiply(Queue& queue, const CooView<A>& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  const cudaStream_t stream = queue.stream();
  const auto vectors = static_cast<unsigned>(y.num);
  if (y.size == 0) return;
  scale_vectors<A><<<dim3(num_blocks(y.size, 256), vectors), 256, 0, stream>>>(beta, y.data, y.stride, y.size);
  check_launch("scale_vectors", stream);
  if (a.num_entries == 0) return;
  const Offset warps = (a.num_entries + coo_stretch - 1) / coo_stretch;
  const auto open = queue.scratch<OpenRow<A>>(2 * warps * y.num);
  multiply_entries<A><<<dim3(num_blocks(32 * warps, coo_block), vectors), coo_block, 0, stream>>>(
      a, alpha, x.data, x.stride, y.data, y.stride, open.data(), warps);
  check_launch("multiply_entries", stream);
  close_rows<A>
      <<<dim3(num_blocks(2 * warps, 256), vectors), 256, 0, stream>>>(open.data(), 2 * warps, alpha, y.data, y.stride);
  check_launch("close_rows", stream);
}

}  // namespace millrace::cuda
