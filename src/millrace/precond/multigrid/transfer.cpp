// Blocks of the prolongator become rows of numbers, and the same for its transpose.
#include "millrace/precond/multigrid/transfer.hpp"

#include "millrace/base/parallel.hpp"

namespace millrace::multigrid {
namespace {

/// [num_rows, length * width] of each row of a pattern, `height` rows for each of its rows.
template <class W>
Csr<W> expand(int num_threads, const RowPattern& pattern, Index height, Index width) {
  const Offset rows = Offset{pattern.num_rows} * height;
  Array<std::int64_t> row_ptr(rows + 1);
  Array<Index> cols(pattern.num_entries() * height * width);
  parallel_for(num_threads, pattern.num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<Index>(begin); i < end; ++i) {
      const Index length = pattern.length(i);
      for (Index c = 0; c < height; ++c) {
        const Offset start = (pattern.row_ptr.data()[i] * height + Offset{c} * length) * width;
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

template <class W>
std::unique_ptr<SparseMatrix<W>> look_at(Queue& queue, const Csr<W>& a) {
  return std::visit(
      [&]<class RowOffset>(const Array<RowOffset>& row_ptr) {
        return std::make_unique<SparseMatrix<W>>(
            queue,
            AnyFormat<W>(Csr<W>::wrap(a.num_rows, a.num_cols, row_ptr.device_span(), a.cols.device_span(),
                                      a.vals.device_span(), trust)),
            trust);
      },
      a.row_ptr);
}

}  // namespace

template <class W>
template <class T>
Transfer<W>::Transfer(Queue& queue, const Prolongator<T>& p, const Galerkin<T>& galerkin)
    : p_(expand<W>(queue.num_threads(), p.pattern, p.block, p.num)),
      r_(expand<W>(queue.num_threads(), galerkin.restriction(), p.num, p.block)),
      prolongation_(look_at(queue, p_)),
      restriction_(look_at(queue, r_)) {
  update(queue, p, galerkin);
}

template <class W>
template <class T>
void Transfer<W>::update(Queue& queue, const Prolongator<T>& p, const Galerkin<T>& galerkin) {
  const Index block = p.block, num = p.num;
  const T* const from = p.values.data();
  parallel_for(queue.num_threads(), p.pattern.num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<Index>(begin); i < end; ++i) {
      const Index length = p.pattern.length(i);
      const Offset start = p.pattern.row_ptr.data()[i];
      for (Index c = 0; c < block; ++c)
        for (Index k = 0; k < length; ++k)
          for (Index j = 0; j < num; ++j)
            p_.vals.data()[(start * block + Offset{c} * length + k) * num + j] =
                static_cast<W>(from[((start + k) * block + c) * num + j]);
    }
  });
  const RowPattern& r = galerkin.restriction();
  const Offset* const entries = galerkin.entries().data();
  parallel_for(queue.num_threads(), r.num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (auto g = static_cast<Index>(begin); g < end; ++g) {
      const Index length = r.length(g);
      const Offset start = r.row_ptr.data()[g];
      for (Index j = 0; j < num; ++j)
        for (Index k = 0; k < length; ++k)
          for (Index c = 0; c < block; ++c)
            r_.vals.data()[(start * num + Offset{j} * length + k) * block + c] =
                static_cast<W>(from[(entries[start + k] * block + c) * num + j]);
    }
  });
}

template <class W>
std::int64_t Transfer<W>::bytes() const {
  return p_.footprint().bytes + r_.footprint().bytes;
}

template class Transfer<float>;
template class Transfer<double>;
#define MILLRACE_INSTANTIATE(W, T)                                                   \
  template Transfer<W>::Transfer(Queue&, const Prolongator<T>&, const Galerkin<T>&); \
  template void Transfer<W>::update(Queue&, const Prolongator<T>&, const Galerkin<T>&)
MILLRACE_INSTANTIATE(float, float);
MILLRACE_INSTANTIATE(float, double);
MILLRACE_INSTANTIATE(double, double);

}  // namespace millrace::multigrid
