// SparseMatrix<T>: any format on any device, as an Operator. It holds, converts and applies.
#pragma once

#include <memory>

#include "millrace/sparse/formats.hpp"
#include "millrace/sparse/product/transpose_plan.hpp"

namespace millrace {

template <class T>
class SparseMatrix final : public Operator<T> {
 public:
  /// A format as it is; `csr` may wrap a user's arrays.
  explicit SparseMatrix(AnyFormat<T> format);
  /// CSR into the format that the text names, on the device it is on: "csr", "sell-32-1024".
  SparseMatrix(const Csr<T>& a, std::string_view format) : SparseMatrix(make_format<T>(a, format)) {}

  Shape shape() const override;
  Device device() const override;
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  const Array<Index>* permutation() const override;
  bool can_transpose() const override { return true; }
  bool fuses_dot() const override;
  StoredRows<T> stored_rows() const override;

  std::string_view format_name() const { return name(format_); }
  const AnyFormat<T>& format() const { return format_; }
  Offset num_entries() const;
  Footprint footprint() const;
  /// How it is stored, in a few words: "1-byte columns", "blocks of 5, 99 % full"; empty if there is nothing to say.
  std::string details() const;
  /// Relative error of the stored values: 0, or half a unit of float where rounded ones were asked for.
  double value_rounding() const;

  /// A copy on that device.
  SparseMatrix to(Device device) const;
  Csr<T> to_csr() const;

  /// New values on the same pattern, from a CSR matrix on the same device as this one.
  void update_values(Queue& queue, const Csr<T>& same_pattern);

  /// Builds what fast transposed products need (on a GPU they need it at all): 8 to 12 bytes an entry.
  void prepare_transpose();
  bool transpose_prepared() const { return plan_ != nullptr; }

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;

  AnyFormat<T> format_;
  std::unique_ptr<TransposePlan> plan_;
};

extern template class SparseMatrix<float>;
extern template class SparseMatrix<double>;
extern template class SparseMatrix<std::complex<float>>;
extern template class SparseMatrix<std::complex<double>>;

}  // namespace millrace
