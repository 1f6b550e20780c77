// A matrix on ranks comes to another device: its rows are put together again, and it is made anew there.
#include "millrace/base/to_size.hpp"
#include "millrace/dist/matrix_state.hpp"

namespace millrace {

template <class T>
GlobalRows<T> DistributedMatrix<T>::State::rows() const {
  const Csr<T> inner = (whole ? *whole : *local).to_csr(), outer = whole ? Csr<T>() : nonlocal->to_csr();
  const auto order = !whole && local->permutation() ? local->permutation()->to_vector() : std::vector<Index>();
  std::vector<Index> outer_row(to_size(num_rows()), -1);
  for (std::size_t b = 0; b < boundary_rows.size() && !whole; ++b) {
    const Index place = boundary_rows[b];
    outer_row[to_size(order.empty() ? place : order[to_size(place)])] = static_cast<Index>(b);
  }
  GlobalRows<T> all{parts.begin(comm.rank()), parts.num_rows(), Array<Offset>(num_rows() + 1),
                    Array<std::int64_t>(num_entries()), Array<T>(num_entries())};
  const std::vector<std::int64_t>& ghosts = exchange->plan().ghosts;
  Offset at = 0;
  const auto append = [&](const Csr<T>& from, Index row, std::int64_t first_ghost) {
    for (Offset s = from.row_begin(row); s < from.row_begin(row + 1); ++s, ++at) {
      const std::int64_t col = from.cols.data()[s];
      all.cols.data()[at] = col < first_ghost ? all.first + col : ghosts[to_size(col - first_ghost)];
      all.vals.data()[at] = from.vals.data()[s];
    }
  };
  all.row_ptr.data()[0] = 0;
  for (Index r = 0; r < inner.num_rows; ++r) {
    append(inner, r, num_rows());
    if (outer_row[to_size(r)] >= 0) append(outer, outer_row[to_size(r)], 0);
    all.row_ptr.data()[r + 1] = at;
  }
  return all;
}

template <class T>
DistributedMatrix<T> DistributedMatrix<T>::to(Device device) const {
  this->require_not_moved("to");
  const State& s = *state_;
  const GlobalRows<T> rows = together(s.comm, [&] { return s.rows(); });
  DistributedOptions options = s.options;
  options.device = device;
  return DistributedMatrix(std::make_unique<State>(s.comm, with_halo(s.comm, rows), options));
}

#define MILLRACE_INSTANTIATE(T)                                     \
  template GlobalRows<T> DistributedMatrix<T>::State::rows() const; \
  template DistributedMatrix<T> DistributedMatrix<T>::to(Device) const;
MILLRACE_INSTANTIATE(float)
MILLRACE_INSTANTIATE(double)
MILLRACE_INSTANTIATE(std::complex<float>)
MILLRACE_INSTANTIATE(std::complex<double>)
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
