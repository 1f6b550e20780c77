// SparseMatrix hands every question to the format that it holds.
#include "millrace/sparse/matrix.hpp"

#include <algorithm>

#include "millrace/base/thread_limit.hpp"
#include "millrace/sparse/convert/convert.hpp"
#include "millrace/sparse/product/spmv.hpp"

namespace millrace {
namespace {

// What a user put together himself is looked at; the other formats are made here.
template <class T>
AnyFormat<T> checked(Queue& queue, AnyFormat<T>&& format, Trust trusted) {
  if (trusted.arrays) return std::move(format);
  if (const auto* csr = std::get_if<Csr<T>>(&format)) check_csr(queue, *csr);
  if (const auto* coo = std::get_if<Coo<T>>(&format)) check_coo(queue, *coo);
  return std::move(format);
}

// COO products need entries sorted by row; users' come in any order.
template <class T>
AnyFormat<T> sorted(Queue& queue, AnyFormat<T>&& format) {
  const auto* coo = std::get_if<Coo<T>>(&format);
  if (!coo || is_sorted_by_row(queue, *coo)) return std::move(format);
  return make_format<T>(queue, to_csr(queue, *coo, false), Coo<T>::name);
}

// What products of a format need besides it: a plan for CSR on a GPU.
template <class T>
std::unique_ptr<const CsrPlan> prepare_for_products(Queue& queue, const AnyFormat<T>& format,
                                                    std::optional<CsrSchedule> asked) {
  const auto* csr = std::get_if<Csr<T>>(&format);
  if (!csr || csr->device().on_host()) return nullptr;
  if constexpr (build::cuda)
    return std::make_unique<const CsrPlan>(cuda::make_csr_plan(queue, *csr, asked));
  else
    throw Unsupported("csr: the matrix lives on a CUDA device, but this build has no CUDA");
}

template <class T>
AnyFormat<T> copy_to(const AnyFormat<T>& format, Device target) {
  return std::visit([&](const auto& f) { return AnyFormat<T>(f.to(target)); }, format);
}

template <class T>
Device device_of(const AnyFormat<T>& format) {
  return std::visit([](const auto& f) { return f.device(); }, format);
}

Queue& checked(Queue& queue, Device device) {
  require(queue.device() == device, "SparseMatrix: the matrix lives on ", to_string(device), ", the queue on ",
          to_string(queue.device()), "; both must be on one device");
  return queue;
}

// For constructors without a queue: whatever the device was given to do is done before.
class OwnQueue {
 public:
  explicit OwnQueue(Device device) : queue_(device) {
    if constexpr (build::cuda)
      if (!device.on_host()) cuda::wait_for_device(device);
  }
  Queue& get() { return queue_; }

 private:
  Queue queue_;
};

}  // namespace

template <class T>
SparseMatrix<T>::SparseMatrix(Queue& queue, AnyFormat<T>&& format, std::optional<CsrSchedule> asked)
    : format_(sorted(checked(queue, device_of<T>(format)), std::move(format))), asked_(asked) {
  const ThreadLimit limit(queue);
  csr_plan_ = prepare_for_products<T>(queue, format_, asked_);
  queue.wait();
}

template <class T>
SparseMatrix<T>::SparseMatrix(Queue& queue, AnyFormat<T> format, Trust trusted)
    : SparseMatrix(queue, checked<T>(queue, std::move(format), trusted), std::nullopt) {}

template <class T>
SparseMatrix<T>::SparseMatrix(AnyFormat<T> format, Trust trusted)  // braces: the device is read before the move
    : SparseMatrix{OwnQueue(device_of<T>(format)).get(), std::move(format), trusted} {}

template <class T>
SparseMatrix<T>::SparseMatrix(Queue& queue, const Csr<T>& a, std::string_view format, Trust trusted)
    : SparseMatrix(queue, make_format<T>(checked(queue, a.device()), a, format, trusted),
                   asked_schedule(parse_format_spec(format))) {}

template <class T>
SparseMatrix<T>::SparseMatrix(const Csr<T>& a, std::string_view format, Trust trusted)
    : SparseMatrix(OwnQueue(a.device()).get(), a, format, trusted) {}

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
  const Footprint footprint = std::visit([](const auto& format) { return format.footprint(); }, format_);
  if (!csr_plan_) return footprint;
  const auto& csr = std::get<Csr<T>>(format_);
  const std::int64_t offsets = std::visit([](const auto& array) { return array.bytes(); }, csr.row_ptr);
  return csr_plan_->with_plan(footprint, offsets, csr.cols.bytes());
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
  return std::visit([](const auto& format) { return permutation_of(format); }, format_);
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
  if (csr_plan_) return csr_plan_->choice.text();
  if (asked_) return join(name(*asked_), " is a schedule of a GPU; plain CSR here");
  return std::visit([](const auto& format) { return details_of(format); }, format_);
}

template <class T>
double SparseMatrix<T>::value_rounding() const {
  return std::visit([](const auto& format) { return value_rounding_of(format); }, format_);
}

template <class T>
SparseMatrix<T> SparseMatrix<T>::to(Device target) const {
  this->require_not_moved("to");
  SparseMatrix copy(OwnQueue(target).get(), copy_to(format_, target), asked_);
  const std::lock_guard lock(transpose_->mutex);
  if (transpose_->plan) copy.transpose_->plan = std::make_unique<const TransposePlan>(transpose_->plan->to(target));
  return copy;
}

template <class T>
Csr<T> SparseMatrix<T>::to_csr() const {
  this->require_not_moved("to_csr");
  if (device().on_host()) return millrace::to_csr<T>(format_);
  return millrace::to_csr<T>(copy_to(format_, Device::host()));
}

template <class T>
void SparseMatrix<T>::update_values(Queue& queue, const Csr<T>& same_pattern, Trust trusted) {
  const ThreadLimit limit(queue);
  this->require_not_moved("update_values");
  millrace::update_values(queue, format_, same_pattern, trusted);
}

template <class T>
bool SparseMatrix<T>::transpose_prepared() const {
  if (!transpose_) return false;
  const std::lock_guard lock(transpose_->mutex);
  return transpose_->plan != nullptr;
}

template <class T>
void SparseMatrix<T>::prepare_transpose() const {
  if (transpose_prepared()) return;
  prepare_transpose(OwnQueue(device()).get());
}

template <class T>
void SparseMatrix<T>::prepare_transpose(Queue& queue) const {
  const ThreadLimit limit(queue);
  this->require_not_moved("prepare_transpose");
  const std::lock_guard lock(transpose_->mutex);
  if (transpose_->plan) return;
  require(!queue.capturing(), "transposed product: its plan is built at the first one, which cannot be while a CUDA ",
          "graph is captured; call prepare_transpose(queue) before the capture");
  const Device here = device();
  if (here.on_host()) {
    transpose_->plan = std::make_unique<const TransposePlan>(make_transpose_plan<T>(format_));
  } else {
    queue.wait();
    const AnyFormat<T> on_host = copy_to(format_, Device::host());
    transpose_->plan = std::make_unique<const TransposePlan>(make_transpose_plan<T>(on_host).to(here));
  }
}

template <class T>
void SparseMatrix<T>::do_apply(Queue& queue, const ApplyRequest<T>& request) const {
  Plans plans{.csr = csr_plan_.get()};
  if (request.op != Op::none) {
    if (!queue.device().on_host()) prepare_transpose(queue);  // the host can do without
    const std::lock_guard lock(transpose_->mutex);
    plans.transpose = transpose_->plan.get();
  }
  spmv(queue, format_, plans, request);
}

template class SparseMatrix<float>;
template class SparseMatrix<double>;
template class SparseMatrix<std::complex<float>>;
template class SparseMatrix<std::complex<double>>;

}  // namespace millrace
