// SparseMatrix<T>: any format on any device, as an Operator. It holds, converts and applies.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "millrace/sparse/csr_schedule.hpp"
#include "millrace/sparse/formats.hpp"
#include "millrace/sparse/product/csr/plan.hpp"
#include "millrace/sparse/product/transpose_plan.hpp"

namespace millrace {

/// A sparse matrix in any format on any device, as an operator.
template <class T>
class SparseMatrix final : public Operator<T> {
 public:
  /// A format as it is; `csr` may wrap a user's arrays. What products need besides it is made in the order of the
  /// queue; all is done when the constructor returns. Without a queue: in one of the constructor's own, after all work
  /// that the device was given before. Arrays of CSR and COO are checked once where they are (check_csr), unless they
  /// are trusted.
  explicit SparseMatrix(AnyFormat<T> format, Trust trusted = {});
  SparseMatrix(Queue& queue, AnyFormat<T> format, Trust trusted = {});
  /// CSR into the format that the text names, on the device it is on: "csr", "sell-32-1024". The schedule of
  /// "csr-split" and the like is kept for every GPU that the matrix comes to.
  SparseMatrix(const Csr<T>& a, std::string_view format, Trust trusted = {});
  SparseMatrix(Queue& queue, const Csr<T>& a, std::string_view format, Trust trusted = {});
  /// The same with a format as a value: SparseMatrix<double>(csr, as::Sell{.slice = 32, .sigma = 1024}).
  SparseMatrix(const Csr<T>& a, const FormatSpec& format, Trust trusted = {})
      : SparseMatrix(a, std::string_view(format.text()), trusted) {}
  SparseMatrix(Queue& queue, const Csr<T>& a, const FormatSpec& format, Trust trusted = {})
      : SparseMatrix(queue, a, std::string_view(format.text()), trusted) {}

  Shape shape() const override;
  Device device() const override;
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  const Array<Index>* permutation() const override;
  bool can_transpose() const override { return true; }
  bool fuses_dot() const override;
  StoredRows<T> stored_rows() const override;

  std::string_view format_name() const { return name(format_); }
  const AnyFormat<T>& format() const { return format_; }
  /// The schedule of CSR on a GPU and what it needs; null for other formats and on the host.
  const CsrPlan* csr_plan() const { return csr_plan_.get(); }
  Offset num_entries() const;
  /// Of the format and what products need besides it, but for transposed ones.
  Footprint footprint() const;
  /// How it is stored, in a few words: "1-byte columns", "blocks of 5, 99 % full", and for CSR on a GPU its schedule
  /// and why: "split: tiles cut rows, 31 thousand entries"; empty if there is nothing to say.
  std::string details() const;
  /// Relative error of the stored values: 0, or half a unit of float where rounded ones were asked for.
  double value_rounding() const;

  /// A copy on that device.
  SparseMatrix to(Device device) const;
  Csr<T> to_csr() const;

  /// New values on the same pattern, from a CSR matrix on the same device as this one. Another pattern is refused
  /// before anything is written; with trust it is not looked at, and then a CUDA graph can capture this.
  void update_values(Queue& queue, const Csr<T>& same_pattern, Trust trusted = {});

  /// Builds what fast transposed products need: 8 to 12 bytes per entry. On a GPU the first transposed product does it,
  /// if nobody did before; it cannot while a CUDA graph is captured.
  void prepare_transpose() const;
  void prepare_transpose(Queue& queue) const;
  bool transpose_prepared() const;

 private:
  SparseMatrix(Queue& queue, AnyFormat<T>&& format, std::optional<CsrSchedule> asked);
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;

  /// Built once, by whoever comes first; products on several threads ask for it.
  struct LazyTranspose {
    std::mutex mutex;
    std::unique_ptr<const TransposePlan> plan;
  };

  AnyFormat<T> format_;
  std::optional<CsrSchedule> asked_;  // by the text of the format
  std::unique_ptr<const CsrPlan> csr_plan_;
  std::unique_ptr<LazyTranspose> transpose_ = std::make_unique<LazyTranspose>();
};

extern template class SparseMatrix<float>;
extern template class SparseMatrix<double>;
extern template class SparseMatrix<std::complex<float>>;
extern template class SparseMatrix<std::complex<double>>;

}  // namespace millrace
