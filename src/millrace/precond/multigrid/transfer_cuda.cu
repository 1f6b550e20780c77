// Prolongation and restriction as matrices on a GPU: one thread per row of a pattern.
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

template <class RowOffset>
Array<RowOffset> expand_rows(Queue& queue, const RowPattern& pattern, Index height, Index width, Array<Index>& made) {
  DeviceSteps steps(queue);
  const RowsView rows = pattern.view();
  if (height == 1 && width == 1) {
    Array<RowOffset> copied(queue, pattern.row_ptr.size());
    RowOffset* const to = copied.data();
    steps.for_each(copied.size(), [=] __device__(Offset i) { to[i] = static_cast<RowOffset>(rows.row_ptr[i]); });
    copy_bytes(queue, queue.device(), made.data(), queue.device(), rows.cols, static_cast<std::size_t>(made.bytes()));
    return copied;
  }
  const Offset num_rows = pattern.num_rows, num_made = made.size();
  Array<RowOffset> row_ptr(queue, num_rows * height + 1);
  RowOffset* const begins = row_ptr.data();
  Index* const cols = made.data();
  steps.for_each(num_rows + 1, [=] __device__(Offset i) {
    if (i == num_rows) {
      begins[num_rows * height] = static_cast<RowOffset>(num_made);
      return;
    }
    const Index length = rows.length(i);
    const Index* const from = rows.cols + rows.row_ptr[i];
    for (Index c = 0; c < height; ++c) {
      const Offset start = expanded_place(rows.row_ptr[i], length, height, width, 0, c, 0);
      begins[i * height + c] = static_cast<RowOffset>(start);
      for (Index k = 0; k < length; ++k)
        for (Index j = 0; j < width; ++j) cols[start + Offset{k} * width + j] = from[k] * width + j;
    }
  });
  return row_ptr;
}

}  // namespace

template <class W>
Csr<W> expand(Queue& queue, const RowPattern& pattern, Index height, Index width) {
  Csr<W> made;
  made.num_rows = pattern.num_rows * height;
  made.num_cols = pattern.num_cols * width;
  const Offset num = pattern.num_entries() * height * width;
  made.cols = Array<Index>(queue, num);
  made.vals = Array<W>(queue, num);
  if (num <= INT32_MAX)
    made.row_ptr = expand_rows<std::int32_t>(queue, pattern, height, width, made.cols);
  else
    made.row_ptr = expand_rows<std::int64_t>(queue, pattern, height, width, made.cols);
  return made;
}

template <class W>
void fill_transfer(Queue& queue, Offset num_nodes, Offset num_aggregates, Offset num_entries,
                   const FillTransfer<W>& fill) {
  DeviceSteps steps(queue);
  if (fill.block == 1 && fill.num == 1) {  // neighbours write neighbours
    const W* const from = fill.values;
    W *const prolongation = fill.prolongation, *const restriction = fill.restriction;
    const Offset* const entries = fill.entries;
    return steps.for_each(num_entries, [=] __device__(Offset s) {
      prolongation[s] = from[s];
      restriction[s] = from[entries[s]];
    });
  }
  steps.for_each(num_nodes, [=] __device__(Offset i) { fill.node(i); });
  steps.for_each(num_aggregates, [=] __device__(Offset g) { fill.aggregate(g); });
}

template Csr<float> expand(Queue&, const RowPattern&, Index, Index);
template Csr<double> expand(Queue&, const RowPattern&, Index, Index);
template void fill_transfer(Queue&, Offset, Offset, Offset, const FillTransfer<float>&);
template void fill_transfer(Queue&, Offset, Offset, Offset, const FillTransfer<double>&);

}  // namespace millrace::cuda
