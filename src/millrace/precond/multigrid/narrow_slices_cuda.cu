// Rows in bfloat16 in slices: launches.
#include "millrace/precond/multigrid/narrow_slices.cuh"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

template <class W>
struct MatrixSource : MatrixView<W> {
  static constexpr bool has_diagonal = true;
};
template <class W>
struct PatternSource : PatternView<W> {
  static constexpr bool has_diagonal = false;
};

unsigned num_windows(Index num_rows) { return num_blocks(num_rows, window_rows); }

/// Entries of the window that has most.
template <class Source>
Offset find_widest(DeviceSteps& steps, const Source& source, Offset num_rows) {
  return steps.max(num_windows(static_cast<Index>(num_rows)), [=] __device__(Offset window) {
    const Offset first = window * window_rows, end = first + window_rows;
    return source.begin(end < num_rows ? end : num_rows) - source.begin(first);
  });
}

/// Bits as in fill_slices.
template <int Group, class Source, class W>
unsigned fill(Queue& queue, const Source& source, const NarrowSlices<W>& to) {
  constexpr Offset short_rows = 8, most_bytes = 200 * 1024;  // rows that threads read one by one; memory of a block
  DeviceSteps steps(queue);
  const auto flag = queue.scratch<unsigned>(1);
  steps.set(flag.data(), 0u);
  if (to.num_rows == 0) return 0;
  const bool is_long = to.num_entries > short_rows * to.num_rows;
  const Offset widest = is_long ? find_widest(steps, source, to.num_rows) : 0;
  const auto bytes = static_cast<int>(widest * static_cast<Offset>(sizeof(W) + sizeof(Index)));
  if (is_long && widest < most_bytes && bytes <= most_bytes) {
    const auto kernel = fill_slices_staged<Group, Source, W>;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "cudaFuncSetAttribute");
    kernel<<<num_windows(to.num_rows), window_rows, bytes, queue.stream()>>>(
        source, to.view(), static_cast<unsigned>(widest), flag.data());
  } else {
    fill_slices<Group><<<num_windows(to.num_rows), window_rows, 0, queue.stream()>>>(source, to.view(), flag.data());
  }
  check_launch("fill_slices", queue.stream());
  return steps.read(flag.data());
}

/// The same.
template <int Group, class Source, class W>
unsigned make(Queue& queue, const Source& source, Offset num_entries, NarrowSlices<W>& to) {
  DeviceSteps steps(queue);
  const Offset num_slices = Offset{num_windows(to.num_rows)} * (window_rows / slice_rows);
  to.slice_begin = Array<Offset>(queue, num_slices + 1);
  to.place = Array<std::uint8_t>(queue, num_slices * slice_rows);
  Offset* const begin = to.slice_begin.data();
  steps.set(begin, Offset{0});
  if (to.num_rows > 0) {
    order_slices<<<num_windows(to.num_rows), window_rows, 0, queue.stream()>>>(source, to.num_rows, Group,
                                                                               to.place.data(), begin + 1);
    check_launch("order_slices", queue.stream());
    steps.scan(begin + 1, num_slices);
  }
  const Offset num = steps.read(begin + num_slices);
  to.num_entries = num_entries;
  const Offset room = num + (Group == near_group ? slices_margin : 0);
  to.vals = Array<Bfloat16>(queue, room);
  to.low = Array<std::uint16_t>(queue, room);
  to.bases = Array<Index>(queue, Group == near_group ? room / slice_rows : 0);
  to.high = Array<std::uint8_t>(queue, num * to.high_bytes);
  if (Source::has_diagonal) to.diagonal = Array<W>(queue, to.num_rows);
  return fill<Group>(queue, source, to);
}

int far_bytes(Index num_cols) { return num_cols <= 1 << 24 ? 1 : 2; }

template <bool HasDiagonal, class To, class W>
void multiply_far(Queue& queue, const NarrowSlices<W>& a, const W* x, const To& to) {
  const unsigned blocks = num_windows(a.num_rows);
  if (a.high_bytes == 1)
    multiply_slices<HasDiagonal, std::uint16_t><<<blocks, window_rows, 0, queue.stream()>>>(a.view(), x, to);
  else
    multiply_slices<HasDiagonal, std::uint32_t><<<blocks, window_rows, 0, queue.stream()>>>(a.view(), x, to);
}

}  // namespace

template <class T>
Index longest_row(Queue& queue, const Csr<T>& a) {
  const convert::Rows rows = convert::rows_of(a);
  return static_cast<Index>(
      DeviceSteps(queue).max(a.num_rows, [=] __device__(Offset r) { return Offset{rows.length(r)}; }));
}

template <class W>
bool make_slices(Queue& queue, const Csr<W>& a, NarrowSlices<W>& to) {
  to.high_bytes = far_bytes(a.num_cols);
  return make<far_group>(queue, MatrixSource<W>{view_of(a)}, a.num_entries() - a.num_rows, to) == 0;
}
template <class W>
bool set_slices(Queue& queue, const Csr<W>& a, NarrowSlices<W>& to) {
  return fill<far_group>(queue, MatrixSource<W>{view_of(a)}, to) == 0;
}
template <class W>
bool make_slices(Queue& queue, const RowPattern& pattern, const Offset* entries, const W* values, NarrowSlices<W>& to) {
  const PatternSource<W> source{{pattern.view(), entries, values}};
  if (pattern.num_cols < pattern.num_rows) {  // nodes of an aggregate's row lie in several planes of a grid instead
    to.high_bytes = 0;
    const unsigned bad = make<near_group>(queue, source, pattern.num_entries(), to);
    if ((bad & 1) == 0) return bad == 0;
  }
  to.high_bytes = far_bytes(pattern.num_cols);
  return make<far_group>(queue, source, pattern.num_entries(), to) == 0;
}
template <class W>
bool set_slices(Queue& queue, const RowPattern& pattern, const Offset* entries, const W* values, NarrowSlices<W>& to) {
  const PatternSource<W> source{{pattern.view(), entries, values}};
  return (to.high_bytes == 0 ? fill<near_group>(queue, source, to) : fill<far_group>(queue, source, to)) == 0;
}

template <class To, class W>
void multiply_slices(Queue& queue, const NarrowSlices<W>& a, const W* x, const To& to) {
  if (a.num_rows == 0) return;
  const DeviceGuard guard(queue.device());
  if constexpr (std::is_same_v<To, FusedUpdate<W>>) {  // of a matrix, or of a prolongator
    const EarlyUpdate<W> early{to};
    if (a.high_bytes == 0)
      multiply_short_rows<<<num_blocks(a.num_rows, short_windows * window_rows), window_rows, 0, queue.stream()>>>(
          a.view(), x, early);
    else
      a.diagonal.empty() ? multiply_far<false>(queue, a, x, early) : multiply_far<true>(queue, a, x, early);
  } else {
    multiply_far<true>(queue, a, x, to);
  }
  check_launch("multiply_slices", queue.stream());
}

#define MILLRACE_INSTANTIATE(W)                                                                    \
  template Index longest_row(Queue&, const Csr<W>&);                                               \
  template bool make_slices(Queue&, const Csr<W>&, NarrowSlices<W>&);                              \
  template bool set_slices(Queue&, const Csr<W>&, NarrowSlices<W>&);                               \
  template bool make_slices(Queue&, const RowPattern&, const Offset*, const W*, NarrowSlices<W>&); \
  template bool set_slices(Queue&, const RowPattern&, const Offset*, const W*, NarrowSlices<W>&);  \
  template void multiply_slices(Queue&, const NarrowSlices<W>&, const W*, const FusedUpdate<W>&);  \
  template void multiply_slices(Queue&, const NarrowSlices<W>&, const W*, const FusedStep<W>&);    \
  template void multiply_slices(Queue&, const NarrowSlices<W>&, const W*, const FusedResidual<W>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
