// Levels in bfloat16 on a GPU: how they are made, and their products.
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"
#include "millrace/sparse/product/rows_cuda.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

/// Rows of a thread that multiplies diagonals, 256 apart: enough bytes are on their way then.
template <class W>
constexpr int narrow_rows = sizeof(W) == 4 ? 4 : 2;

// Mapping  two or four rows per thread; those of a thread block are neighbours.
// Traffic  2 bytes per place of a diagonal, the main one and x once, y once; x again from caches.
// Result   repeatable: the main diagonal first, then ascending.
template <class W>
__global__ void __launch_bounds__(256) multiply_narrow_diagonals(NarrowDiagonalsView<const W> a, W alpha,
                                                                 const W* __restrict__ x, W beta, W* __restrict__ y) {
  const Offset first = blockIdx.x * Offset{256 * narrow_rows<W>}, r = first + threadIdx.x, n = a.num_rows;
  const auto run = [&]<bool Inside>() {  // all rows and columns of the block are those of the matrix
    W sums[narrow_rows<W>];
#pragma unroll
    for (int i = 0; i < narrow_rows<W>; ++i) {
      const Offset at = r + 256 * i;
      sums[i] = Inside || at < n ? a.diagonal[at] * x[at] : W{0};
    }
    const Bfloat16* value = a.vals + r;
#pragma unroll 3
    for (Index d = 0; d < a.num_diagonals; ++d, value += n) {
      const Offset from = r + a.offsets[d];
#pragma unroll
      for (int i = 0; i < narrow_rows<W>; ++i)
        if (Inside || (r + 256 * i < n && from + 256 * i >= 0 && from + 256 * i < n))
          sums[i] += static_cast<W>(static_cast<float>(value[256 * i])) * x[from + 256 * i];
    }
#pragma unroll
    for (int i = 0; i < narrow_rows<W>; ++i)
      if (const Offset at = r + 256 * i; Inside || at < n) update(y[at], alpha, sums[i], beta);
  };
  const Offset last = first + 256 * narrow_rows<W> - 1;
  const bool inside =
      last < n && (a.num_diagonals == 0 || (first + a.offsets[0] >= 0 && last + a.offsets[a.num_diagonals - 1] < n));
  inside ? run.template operator()<true>() : run.template operator()<false>();
}

// Mapping  `Width` neighbouring threads per row.
// Traffic  6 bytes per entry beside the diagonal, the diagonal and y once, x by its columns.
// Result   repeatable: a thread adds its entries in order, then threads are added in a tree.
template <int Width, class W>
__global__ void __launch_bounds__(256) multiply_narrow_rows(NarrowRowsView<const W> a, Offset num_rows, W alpha,
                                                            const W* __restrict__ x, W beta, W* __restrict__ y) {
  const Offset r = blockIdx.x * Offset{256 / Width} + threadIdx.x / Width;
  const int lane = static_cast<int>(threadIdx.x) % Width;
  W sum = 0;
  if (r < num_rows)
#pragma unroll 4
    for (Offset s = a.row_ptr[r] + lane, end = a.row_ptr[r + 1]; s < end; s += Width)
      sum += static_cast<W>(static_cast<float>(a.vals[s])) * x[a.cols[s]];
#pragma unroll
  for (int offset = Width / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset, Width);
  if (r < num_rows && lane == 0) update(y[r], alpha, sum + a.diagonal[r] * x[r], beta);
}

template <int Width, class W>
void launch_narrow_rows(Queue& queue, const NarrowRowsView<const W>& a, Offset num_rows, W alpha, const W* x, W beta,
                        W* y) {
  multiply_narrow_rows<Width>
      <<<num_blocks(num_rows, 256 / Width), 256, 0, queue.stream()>>>(a, num_rows, alpha, x, beta, y);
  check_launch("multiply_narrow_rows", queue.stream());
}

template <class View, class W>
bool set_rows(Queue& queue, const View& to, const Csr<W>& a) {
  DeviceSteps steps(queue);
  const MatrixView<W> from = view_of(a);
  Array<Offset> flags = steps.scratch<Offset>(1);
  Offset* const bad = flags.data();
  steps.for_each(1, [=] __device__(Offset) { *bad = 0; });
  steps.for_each(a.num_rows, [=] __device__(Offset r) {
    if (!to.set_row(from, r)) *bad = 1;
  });
  return steps.read(static_cast<const Offset*>(bad)) == 0;
}

}  // namespace

template <class W>
void find_narrow_rows(Queue& queue, const Csr<W>& a, Array<Offset>& row_ptr, Array<Index>& cols) {
  DeviceSteps steps(queue);
  const convert::Rows rows = convert::rows_of(a);
  const Offset num_rows = a.num_rows;
  row_ptr = Array<Offset>(queue, num_rows + 1);
  Offset* const begin = row_ptr.data();
  steps.for_each(num_rows + 1, [=] __device__(Offset i) {
    Offset num = 0;
    if (i > 0)
      for (Offset s = rows.begin(i - 1); s < rows.begin(i); ++s) num += rows.cols[s] != i - 1;
    begin[i] = num;
  });
  steps.scan(begin + 1, num_rows);
  cols = Array<Index>(queue, num_rows > 0 ? steps.read(static_cast<const Offset*>(begin) + num_rows) : 0);
  Index* const col = cols.data();
  steps.for_each(num_rows, [=] __device__(Offset r) {
    Index* to = col + begin[r];
    for (Offset s = rows.begin(r); s < rows.begin(r + 1); ++s)
      if (rows.cols[s] != r) *to++ = rows.cols[s];
  });
}

template <class W>
bool set_narrow(Queue& queue, const NarrowRowsView<W>& to, const Csr<W>& a) {
  return set_rows(queue, to, a);
}
template <class W>
bool set_narrow(Queue& queue, const NarrowDiagonalsView<W>& to, const Csr<W>& a) {
  return set_rows(queue, to, a);
}

template <class W>
void multiply_narrow(Queue& queue, const NarrowRowsView<const W>& a, Offset num_rows, Offset num_entries, W alpha,
                     const W* x, W beta, W* y) {
  if (num_rows == 0) return;
  const DeviceGuard guard(queue.device());
  if (num_entries >= 48 * num_rows)
    launch_narrow_rows<16>(queue, a, num_rows, alpha, x, beta, y);
  else if (num_entries >= 10 * num_rows)
    launch_narrow_rows<8>(queue, a, num_rows, alpha, x, beta, y);
  else
    launch_narrow_rows<4>(queue, a, num_rows, alpha, x, beta, y);
}
template <class W>
void multiply_narrow(Queue& queue, const NarrowDiagonalsView<const W>& a, W alpha, const W* x, W beta, W* y) {
  if (a.num_rows == 0) return;
  const DeviceGuard guard(queue.device());
  multiply_narrow_diagonals<<<num_blocks(a.num_rows, 256 * narrow_rows<W>), 256, 0, queue.stream()>>>(a, alpha, x, beta,
                                                                                                      y);
  check_launch("multiply_narrow_diagonals", queue.stream());
}

#define MILLRACE_INSTANTIATE(W)                                                                              \
  template void find_narrow_rows(Queue&, const Csr<W>&, Array<Offset>&, Array<Index>&);                      \
  template bool set_narrow(Queue&, const NarrowRowsView<W>&, const Csr<W>&);                                 \
  template bool set_narrow(Queue&, const NarrowDiagonalsView<W>&, const Csr<W>&);                            \
  template void multiply_narrow(Queue&, const NarrowRowsView<const W>&, Offset, Offset, W, const W*, W, W*); \
  template void multiply_narrow(Queue&, const NarrowDiagonalsView<const W>&, W, const W*, W, W*)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
