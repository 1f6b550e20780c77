// Rows of a pattern one by one.
#include "millrace/precond/multigrid/expand.hpp"

#include "millrace/precond/multigrid/setup_cuda.hpp"

namespace millrace::multigrid {

template <class W>
Csr<W> expand(Queue& queue, const RowPattern& pattern, Index height, Index width) {
  if constexpr (build::cuda)
    if (!queue.device().on_host()) return cuda::expand<W>(queue, pattern, height, width);
  const Offset rows = Offset{pattern.num_rows} * height;
  Array<std::int64_t> row_ptr(rows + 1);
  Array<Index> cols(pattern.num_entries() * height * width);
  parallel_for(queue.num_threads(), pattern.num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<Index>(begin); i < end; ++i) {
      const Index length = pattern.length(i);
      for (Index c = 0; c < height; ++c) {
        const Offset start = expanded_place(pattern.row_ptr.data()[i], length, height, width, 0, c, 0);
        row_ptr.data()[Offset{i} * height + c] = start;
        for (Index k = 0; k < length; ++k)
          for (Index j = 0; j < width; ++j) cols.data()[start + Offset{k} * width + j] = pattern.row(i)[k] * width + j;
      }
    }
  });
  row_ptr.data()[rows] = cols.size();
  Array<W> vals(cols.size());
  return {static_cast<Index>(rows), pattern.num_cols * width, std::move(row_ptr), std::move(cols), std::move(vals)};
}

template Csr<float> expand(Queue&, const RowPattern&, Index, Index);
template Csr<double> expand(Queue&, const RowPattern&, Index, Index);

}  // namespace millrace::multigrid
