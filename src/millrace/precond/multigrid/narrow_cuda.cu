// Levels in bfloat16 on a GPU: how they are made, and their products.
#include "millrace/precond/multigrid/narrow_product.cuh"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"
#include "millrace/sparse/product/rows_cuda.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

template <int Width, class W, class To>
void launch_narrow_rows(Queue& queue, const NarrowRowsView<const W>& a, Offset num_rows, const W* x, const To& to) {
  multiply_narrow_rows<Width><<<num_blocks(num_rows, 256 / Width), 256, 0, queue.stream()>>>(a, num_rows, x, to);
  check_launch("multiply_narrow_rows", queue.stream());
}

/// Does f return true for all of n items?
template <class F>
bool all_done(Queue& queue, Offset n, const F& f) {
  DeviceSteps steps(queue);
  Array<Offset> flags = steps.scratch<Offset>(1);
  Offset* const bad = flags.data();
  steps.set(bad, Offset{0});
  steps.for_each(n, [=] __device__(Offset i) {
    if (!f(i)) *bad = 1;
  });
  return steps.read(bad) == 0;
}

template <class View, class W>
bool set_rows(Queue& queue, const View& to, const Csr<W>& a) {
  return all_done(queue, a.num_rows, [to, from = view_of(a)] __device__(Offset r) { return to.set_row(from, r); });
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
  cols = Array<Index>(queue, num_rows > 0 ? steps.read(begin + num_rows) : 0);
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
bool gather_narrow(Queue& queue, const Array<Offset>& entries, const W* values, Bfloat16* to) {
  const Offset* const from = entries.data();
  return all_done(queue, entries.size(), [=] __device__(Offset i) {
    round_to(to[i], static_cast<double>(values[from[i]]));
    return is_finite(static_cast<float>(to[i]));
  });
}

template <class W, class To>
void multiply_narrow(Queue& queue, const NarrowRowsView<const W>& a, Offset num_rows, Offset num_entries, const W* x,
                     const To& to) {
  if (num_rows == 0) return;
  const DeviceGuard guard(queue.device());
  if (num_entries >= 48 * num_rows)
    launch_narrow_rows<16>(queue, a, num_rows, x, to);
  else if (num_entries >= 10 * num_rows)
    launch_narrow_rows<8>(queue, a, num_rows, x, to);
  else
    launch_narrow_rows<4>(queue, a, num_rows, x, to);
}
template <class W, class X, class To>
void multiply_narrow(Queue& queue, const NarrowDiagonalsView<const W>& a, std::span<const Index> offsets, const X& x,
                     const To& to) {
  if (a.num_rows == 0) return;
  const DeviceGuard guard(queue.device());
  DiagonalOffsets values{};
  require(offsets.size() <= std::size(values.at), "amg: ", offsets.size(), " diagonals; up to ", std::size(values.at),
          " are accepted");
  std::ranges::copy(offsets, values.at);
  const auto launch = [&]<int Num>() {
    multiply_narrow_diagonals<Num, narrow_rows<W>>
        <<<num_blocks(a.num_rows, 256 * narrow_rows<W>), 256, 0, queue.stream()>>>(a, values, x, to);
  };
  switch (offsets.size()) {  // stencils of 5, 7 and 9 points
    case 4:
      launch.template operator()<4>();
      break;
    case 6:
      launch.template operator()<6>();
      break;
    case 8:
      launch.template operator()<8>();
      break;
    default:
      launch.template operator()<0>();
  }
  check_launch("multiply_narrow_diagonals", queue.stream());
}

#define MILLRACE_INSTANTIATE(W)                                                                                       \
  template void find_narrow_rows(Queue&, const Csr<W>&, Array<Offset>&, Array<Index>&);                               \
  template bool set_narrow(Queue&, const NarrowRowsView<W>&, const Csr<W>&);                                          \
  template bool set_narrow(Queue&, const NarrowDiagonalsView<W>&, const Csr<W>&);                                     \
  template bool gather_narrow(Queue&, const Array<Offset>&, const W*, Bfloat16*);                                     \
  template void multiply_narrow(Queue&, const NarrowRowsView<const W>&, Offset, Offset, const W*,                     \
                                const FusedUpdate<W>&);                                                               \
  template void multiply_narrow(Queue&, const NarrowRowsView<const W>&, Offset, Offset, const W*,                     \
                                const FusedResidual<W>&);                                                             \
  template void multiply_narrow(Queue&, const NarrowRowsView<const W>&, Offset, Offset, const W*,                     \
                                const FusedStep<W>&);                                                                 \
  template void multiply_narrow(Queue&, const NarrowDiagonalsView<const W>&, std::span<const Index>, const W* const&, \
                                const FusedUpdate<W>&);                                                               \
  template void multiply_narrow(Queue&, const NarrowDiagonalsView<const W>&, std::span<const Index>, const W* const&, \
                                const FusedResidual<W>&);                                                             \
  template void multiply_narrow(Queue&, const NarrowDiagonalsView<const W>&, std::span<const Index>, const W* const&, \
                                const FusedStep<W>&);                                                                 \
  template void multiply_narrow(Queue&, const NarrowDiagonalsView<const W>&, std::span<const Index>,                  \
                                const ScaledVector<W>&, const FusedStep<W>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
