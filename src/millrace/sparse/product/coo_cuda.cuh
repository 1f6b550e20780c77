// COO on a GPU: every warp sums a fixed stretch of entries, and the rows that stretches share are
// completed by a second kernel in a fixed order.
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/base/search.hpp"
#include "millrace/base/warp.cuh"
#include "millrace/sparse/coo.hpp"

namespace millrace::cuda {

constexpr int coo_block = 256;

/// Steps of 32 entries that a warp takes: few for a small matrix, so that there are warps for every multiprocessor.
/// 8192 warps are 62 for each of an H200's 132 multiprocessors, which hold 64; not swept. It depends on the matrix
/// alone, so that the bits do too.
constexpr int coo_steps(Offset num_entries) {
  constexpr Offset enough_warps = 8192;
  const Offset steps = num_entries / (32 * enough_warps);
  return static_cast<int>(steps < 1 ? 1 : steps > 16 ? 16 : steps);
}
static_assert(coo_steps(1000) == 1 && coo_steps(Offset{1} << 40) == 16);

/// The part of a row that a stretch leaves open: its first and its last row.
template <class A>
struct OpenRow {
  Index row;
  A sum;
};

// Mapping  one thread per entry of y; block row v is vector v.
// Traffic  y once, read only when beta is not 0.
// Result   repeatable.
template <class A>
__global__ void __launch_bounds__(256) scale_vectors(A beta, A* y, std::int64_t ldy, std::int64_t size) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i >= size) return;
  A& out = y[blockIdx.y * ldy + i];
  out = is_zero(beta) ? A{} : beta * out;
}

// Mapping  a warp sums `stretch` entries in steps of 32 by a segmented scan; block row v is vector v.
// Traffic  entries with both indices once, x by gathers, y once.
// Result   repeatable: fixed stretches and trees. Rows inside a stretch are added to y here, its first and last row
//          go to open[2 w] and open[2 w + 1].
template <class A>
__global__ void __launch_bounds__(coo_block)
    multiply_entries(CooView<A> a, A alpha, const A* __restrict__ x, std::int64_t ldx, A* __restrict__ y,
                     std::int64_t ldy, OpenRow<A>* open, Offset stretch, Offset num_warps) {
  const Offset warp = (blockIdx.x * Offset{coo_block} + threadIdx.x) / 32;
  if (warp >= num_warps) return;
  const int lane = threadIdx.x % 32;
  const Offset begin = warp * stretch, end = min(begin + stretch, a.num_entries);
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

// Mapping  one thread per open row; the first of a run of equal rows adds the run, its warp together when the run
//          is long. Block row v is vector v.
// Traffic  the open rows once.
// Result   repeatable: the order of the entries, or lane by lane and a fixed tree.
template <class A>
__global__ void __launch_bounds__(256)
    close_rows(const OpenRow<A>* open, Offset count, A alpha, A* y, std::int64_t ldy) {
  constexpr Offset short_run = 8;
  const Offset i = blockIdx.x * Offset{256} + threadIdx.x;
  open += blockIdx.y * count;
  y += blockIdx.y * ldy;
  const bool begins = i < count && (i == 0 || open[i - 1].row != open[i].row);
  const bool is_long = begins && i + short_run < count && open[i + short_run].row == open[i].row;
  if (begins && !is_long) {
    const Index row = open[i].row;
    A sum{};
    for (Offset j = i; j < count && open[j].row == row; ++j) sum += open[j].sum;
    y[row] = multiply_add(alpha, sum, y[row]);
  }
  const int lane = threadIdx.x % 32;
  for (unsigned waiting = __ballot_sync(0xffffffffu, is_long); waiting != 0; waiting &= waiting - 1) {
    const Offset first = shuffle(i, __ffs(static_cast<int>(waiting)) - 1);
    const Index row = open[first].row;
    const Offset end = first_where(first, count, [&](Offset j) { return open[j].row != row; });  // rows ascend
    A sum{};
#pragma unroll 4
    for (Offset j = first + lane; j < end; j += 32) sum += open[j].sum;
    sum = warp_sum(sum);
    if (lane == 0) y[row] = multiply_add(alpha, sum, y[row]);
  }
}

template <class A>
void multiply(Queue& queue, const CooView<A>& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  const cudaStream_t stream = queue.stream();
  const auto vectors = static_cast<unsigned>(y.num);
  if (y.size == 0) return;
  if (!is_one(beta)) {  // as in the second part of the hybrid format
    scale_vectors<A><<<dim3(num_blocks(y.size, 256), vectors), 256, 0, stream>>>(beta, y.data, y.stride, y.size);
    check_launch("scale_vectors", stream);
  }
  if (a.num_entries == 0) return;
  const Offset stretch = 32 * coo_steps(a.num_entries), warps = (a.num_entries + stretch - 1) / stretch;
  const auto open = queue.scratch<OpenRow<A>>(2 * warps * y.num);
  multiply_entries<A><<<dim3(num_blocks(32 * warps, coo_block), vectors), coo_block, 0, stream>>>(
      a, alpha, x.data, x.stride, y.data, y.stride, open.data(), stretch, warps);
  check_launch("multiply_entries", stream);
  close_rows<A>
      <<<dim3(num_blocks(2 * warps, 256), vectors), 256, 0, stream>>>(open.data(), 2 * warps, alpha, y.data, y.stride);
  check_launch("close_rows", stream);
}

}  // namespace millrace::cuda
