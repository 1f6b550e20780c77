// The numbers at the points of an operator on a GPU, by element, whichever order its kernels have.
#pragma once

#include <optional>

#include "millrace/base/queue.hpp"
#include "millrace/fem/element/gpu_functions.hpp"

namespace millrace::cuda {

/// [num_elem, num_stored, points]: those of an unfused operator as they lie, of a fused one a copy.
template <class T>
class FactorsByElement {
 public:
  FactorsByElement(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics)
      : fused_(data.evaluation == Evaluation::fused), hexes_(data.basis.tensor.has_value()) {
    if (!fused_) return;
    copy_.emplace(queue, data.num_elem * data.stored_per_element());
    if (hexes_)
      hex_factors_by_element(queue, data, physics, copy_->data());
    else
      tet_factors_by_element(queue, data, physics, copy_->data());
  }
  const T* read(const ElementData<T>& data) const { return fused_ ? copy_->data() : data.factors.data(); }
  T* write(ElementData<T>& data) { return fused_ ? copy_->data() : data.factors.data(); }
  /// Brings what was written back to the operator.
  void put_back(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics) {
    if (!fused_) return;
    if (hexes_)
      group_hex_factors(queue, data, physics, static_cast<const T*>(copy_->data()));
    else
      group_tet_factors(queue, data, physics, static_cast<const T*>(copy_->data()));
  }

 private:
  bool fused_, hexes_;
  std::optional<Scratch<T>> copy_;
};

}  // namespace millrace::cuda
