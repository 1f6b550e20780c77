// What a DistributedMatrix holds. Private to dist/matrix*.cpp.
#pragma once

#include <mutex>
#include <optional>

#include "millrace/base/courier.hpp"
#include "millrace/base/together.hpp"
#include "millrace/dist/exchange.hpp"
#include "millrace/dist/matrix.hpp"
#include "millrace/dist/matrix_split.hpp"
#include "millrace/dist/pinned_exchange.hpp"

namespace millrace {

template <class T>
struct DistributedMatrix<T>::State {
  Comm comm;
  Partition parts;
  DistributedOptions options;  // as they were asked for
  Device device;
  Mode mode = Mode::vector;
  bool reproducible = false;
  std::string why{};                       // of the mode
  std::optional<SparseMatrix<T>> whole{};  // [rows, rows + ghosts], in mode vector where the format keeps the order
  std::optional<SparseMatrix<T>> local{}, nonlocal{};
  std::vector<Index> boundary_rows{};     // of nonlocal, in the order of the local part
  std::optional<Exchange<T>> exchange{};  // made last: rows are sent in the order of the local part
  Courier courier{};
  std::mutex mutex{};  // one application at a time

  // On a GPU. It is a pointer to what a build without CUDA does not have.
  std::shared_ptr<PinnedExchange<T>> pinned{};
  Array<Index> rows_on_gpu{};  // the boundary rows
  std::string waits{};         // who waits for other ranks: the mailbox of a queue knows

  State(const Comm& ranks, const HaloRows<T>& here, const DistributedOptions& options);
  std::int64_t num_rows() const { return parts.size(comm.rank()); }
  std::int64_t num_ghosts() const { return exchange->num_ghosts(); }
  Offset num_entries() const { return whole ? whole->num_entries() : local->num_entries() + nonlocal->num_entries(); }

  /// The rows as they came; entries with columns of other ranks may come last.
  GlobalRows<T> rows() const;
  void apply(Queue& queue, const ApplyRequest<T>& request, Mode how);
  void apply_transposed(Queue& queue, const ApplyRequest<T>& request);

 private:
  void apply_whole(Queue& queue, const ApplyRequest<T>& request);
  void add_nonlocal(Queue& queue, const ApplyRequest<T>& request, Vectors<const T> ghosts);
  void make_split(const HaloRows<T>& here, HaloPlan& plan);
  void choose();

  // matrix_cuda.cu
  void make_on_gpu();
  void apply_on_gpu(Queue& queue, const ApplyRequest<T>& request, Mode how);
  void apply_whole_on_gpu(Queue& queue, const ApplyRequest<T>& request);
  void add_nonlocal_on_gpu(Queue& queue, const ApplyRequest<T>& request, Vectors<const T> ghosts);
  void transpose_on_gpu(Queue& queue, const ApplyRequest<T>& request);
};

}  // namespace millrace
