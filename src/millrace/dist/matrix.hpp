// DistributedMatrix<T>: a square matrix whose rows are on many ranks, as an Operator on vectors whose entries are, too.
#pragma once

#include <memory>
#include <string>

#include "millrace/dist/matrix_split.hpp"
#include "millrace/dist/mode.hpp"
#include "millrace/sparse/global_rows.hpp"
#include "millrace/sparse/matrix.hpp"

namespace millrace {

/// How a DistributedMatrix is made.
struct DistributedOptions {
  std::string format = "csr";           // of the local part, or of the undivided rows (mode vector)
  std::string nonlocal_format = "csr";  // of the rows with columns of other ranks, and of these columns alone
  Mode mode = Mode::choose;
  // Products, sums, and so x, residuals, eigenvalues and moments of all solvers have the bits of one rank, on any
  // number of them: rows are not divided (mode vector), their columns ascend, and each rank begins at a multiple of
  // 4096 rows. Formats csr and sell. The preconditioner must be none, Jacobi or Chebyshev.
  bool reproducible = false;
  Device device = Device::host();  // where its parts and the vectors are
};

/// On the host, or on a GPU (to). Every rank has rows that follow those of the rank before it, perhaps none; entry i of
/// a vector here is the one of row i here. Applications, like the constructor, are for all ranks, one at a time, in the
/// same order everywhere.
template <class T>
class DistributedMatrix final : public Operator<T> {
 public:
  /// The rows are checked; a rank at fault is an Error on all ranks.
  DistributedMatrix(const Comm& comm, const GlobalRows<T>& rows, const DistributedOptions& options = {});
  /// From rows whose halo is known, as with_halo makes them.
  DistributedMatrix(const Comm& comm, const HaloRows<T>& rows, const DistributedOptions& options = {});
  DistributedMatrix(DistributedMatrix&&) noexcept;
  DistributedMatrix& operator=(DistributedMatrix&&) noexcept;
  ~DistributedMatrix() override;

  Shape shape() const override;  // of this rank: its rows, and as many columns
  Device device() const override;
  Comm comm() const override;
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  const Array<Index>* permutation() const override;
  bool can_transpose() const override { return true; }
  bool fuses_dot() const override;

  const Partition& partition() const;
  const HaloPlan& halo() const;
  Mode mode() const;  // never `choose`: what was chosen
  Offset num_entries() const;
  std::string_view format_name() const;
  /// Its mode and why, the rows and columns of its halo.
  std::string details() const;
  /// The columns of its own rows: what preconditioners of a rank alone are made from.
  Csr<T> local() const;
  /// A copy on that device, with the same formats; where the mode was to be chosen it is chosen again there. For all
  /// ranks; each may name another GPU.
  DistributedMatrix to(Device device) const;
  /// New values on the same pattern, in a queue of its device. For all ranks.
  void update_values(Queue& queue, const GlobalRows<T>& same_pattern);

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;
  struct State;
  explicit DistributedMatrix(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

extern template class DistributedMatrix<float>;
extern template class DistributedMatrix<double>;
extern template class DistributedMatrix<std::complex<float>>;
extern template class DistributedMatrix<std::complex<double>>;

}  // namespace millrace
