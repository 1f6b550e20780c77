// What a DistributedMatrix holds. Private to dist/matrix*.cpp.
#pragma once

#include <mutex>
#include <optional>

#include "millrace/base/courier.hpp"
#include "millrace/dist/exchange.hpp"
#include "millrace/dist/matrix.hpp"
#include "millrace/dist/matrix_split.hpp"

namespace millrace {

template <class T>
struct DistributedMatrix<T>::State {
  Comm comm;
  Partition parts;
  Mode mode = Mode::vector;
  bool reproducible = false;
  std::string why{};                       // of the mode
  std::optional<SparseMatrix<T>> whole{};  // [rows, rows + ghosts], in mode vector where the format keeps the order
  std::optional<SparseMatrix<T>> local{}, nonlocal{};
  std::vector<Index> boundary_rows{};     // of nonlocal, in the order of the local part
  std::optional<Exchange<T>> exchange{};  // made last: rows are sent in the order of the local part
  Courier courier{};
  std::mutex mutex{};  // one application at a time

  State(const Comm& ranks, const HaloRows<T>& here, const DistributedOptions& options);
  std::int64_t num_rows() const { return parts.size(comm.rank()); }
  std::int64_t num_ghosts() const { return exchange->num_ghosts(); }

  void apply(Queue& queue, const ApplyRequest<T>& request, Mode how);
  void apply_transposed(Queue& queue, const ApplyRequest<T>& request);

 private:
  void apply_whole(Queue& queue, const ApplyRequest<T>& request);
  void add_nonlocal(Queue& queue, const ApplyRequest<T>& request, Vectors<const T> ghosts);
  void make_split(const HaloRows<T>& here, const DistributedOptions& options, HaloPlan& plan);
  void choose();
};

}  // namespace millrace
