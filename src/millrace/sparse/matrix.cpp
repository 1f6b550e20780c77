// SparseMatrix hands every question to the format that it holds.
#include "millrace/sparse/matrix.hpp"

#include <algorithm>

#include "millrace/sparse/convert/convert.hpp"
#include "millrace/sparse/product/spmv.hpp"

namespace millrace {
namespace {

template <class T>
bool is_sorted_by_row(const Coo<T>& coo) {
  if constexpr (build::cuda)
    if (!coo.device().on_host()) return cuda::is_sorted_by_row(coo);
  return std::is_sorted(coo.rows.span().begin(), coo.rows.span().end());
}

// COO products need entries sorted by row; users' come in any order. CSR products on a GPU need tiles.
template <class T>
AnyFormat<T> ready(AnyFormat<T> format) {
  if constexpr (build::cuda)
    if (auto* csr = std::get_if<Csr<T>>(&format); csr && !csr->device().on_host() && csr->tiling.tiles.empty()) {
      csr->tiling = cuda::make_tiles(csr->row_ptr, csr->num_rows, csr->num_entries(), csr->device());
      if constexpr (!is_complex<T>) {
        csr->tiling.hot = cuda::make_hot_columns(*csr);
        csr->tiling.marks = cuda::make_row_marks(*csr);
      }
    }
  const auto* coo = std::get_if<Coo<T>>(&format);
  if (!coo || is_sorted_by_row(*coo)) return format;
  return make_format(to_csr_keeping_duplicates(*coo), Coo<T>::name);
}

}  // namespace

template <class T>
SparseMatrix<T>::SparseMatrix(AnyFormat<T> format) : format_(ready(std::move(format))) {}

template <class T>
Shape SparseMatrix<T>::shape() const {
  return std::visit([](const auto& format) { return format.shape(); }, format_);
}

template <class T>
Device SparseMatrix<T>::device() const {
  return std::visit([](const auto& format) { return format.device(); }, format_);
}

template <class T>
Offset SparseMatrix<T>::num_entries() const {
  return std::visit([](const auto& format) { return format.num_entries(); }, format_);
}

template <class T>
Footprint SparseMatrix<T>::footprint() const {
  return std::visit([](const auto& format) { return format.footprint(); }, format_);
}

template <class T>
Traffic SparseMatrix<T>::traffic(int num_vectors, bool reads_y) const {
  const auto [rows, cols] = shape();
  const double entry_bytes = sizeof(T);
  Traffic traffic;
  traffic.matrix = static_cast<double>(footprint().moved_bytes);
  traffic.vectors = entry_bytes * num_vectors * static_cast<double>(cols + (reads_y ? 2 : 1) * rows);
  traffic.minimum = entry_bytes * static_cast<double>(num_entries()) + traffic.vectors;
  return traffic;
}

template <class T>
const Array<Index>* SparseMatrix<T>::permutation() const {
  return std::visit([](const auto& format) { return basis_of(format); }, format_);
}

template <class T>
bool SparseMatrix<T>::fuses_dot() const {
  const auto on_gpu = [](const auto& format) {
    if constexpr (requires { format.fuses_dot_on_gpu(); })
      return format.fuses_dot_on_gpu();
    else
      return false;
  };
  return !device().on_host() && std::visit(on_gpu, format_);
}

template <class T>
StoredRows<T> SparseMatrix<T>::stored_rows() const {
  const auto* csr = std::get_if<Csr<T>>(&format_);
  if (!csr) return {};
  const auto* row_ptr = std::get_if<Array<std::int32_t>>(&csr->row_ptr);
  return row_ptr ? StoredRows<T>{row_ptr->data(), csr->cols.data(), csr->vals.data()} : StoredRows<T>{};
}

template <class T>
std::string SparseMatrix<T>::details() const {
  return std::visit([](const auto& format) { return details_of(format); }, format_);
}

template <class T>
double SparseMatrix<T>::value_rounding() const {
  return std::visit([](const auto& format) { return value_rounding_of(format); }, format_);
}

template <class T>
SparseMatrix<T> SparseMatrix<T>::to(Device target) const {
  SparseMatrix copy(std::visit([&](const auto& format) { return AnyFormat<T>(format.to(target)); }, format_));
  if (plan_) copy.plan_ = std::make_unique<TransposePlan>(plan_->to(target));
  return copy;
}

template <class T>
Csr<T> SparseMatrix<T>::to_csr() const {
  return device().on_host() ? millrace::to_csr<T>(format_) : to(Device::host()).to_csr();
}

template <class T>
void SparseMatrix<T>::update_values(Queue& queue, const Csr<T>& same_pattern) {
  millrace::update_values(queue, format_, same_pattern);
}

template <class T>
void SparseMatrix<T>::prepare_transpose() {
  if (plan_) return;
  const Device here = device();
  const auto make = [](const AnyFormat<T>& format) { return make_transpose_plan<T>(format); };
  plan_ = std::make_unique<TransposePlan>(here.on_host() ? make(format_) : make(to(Device::host()).format_).to(here));
}

template <class T>
void SparseMatrix<T>::do_apply(Queue& queue, const ApplyRequest<T>& request) const {
  spmv(queue, format_, plan_.get(), request);
}

template class SparseMatrix<float>;
template class SparseMatrix<double>;
template class SparseMatrix<std::complex<float>>;
template class SparseMatrix<std::complex<double>>;

}  // namespace millrace
