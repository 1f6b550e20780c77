// The work on one batch of elements on the host: from nodes to points, the physics, and back. Knows neither mesh nor
// numbering; elements lie side by side in lanes.
#pragma once

#include <vector>

#include "millrace/fem/basis/element_basis.hpp"
#include "millrace/fem/element/contract.hpp"
#include "millrace/fem/physics/point_kernel.hpp"

namespace millrace {

template <class T>
class ElementBatch {
 public:
  ElementBatch() = default;
  ElementBatch(const ElementBasis& basis, const PointKernel<T>& physics);

  /// Numbers of scratch that apply() needs; the first comps * num_nodes * lanes of them are u, and then v.
  std::int64_t work_size() const;
  int num_nodes() const { return num_nodes_; }
  int num_points() const { return num_points_; }

  /// value [comps, points, lanes] and grad [comps, dim, points, lanes], inside work, of the u at its start.
  struct AtPoints {
    T *value, *grad;
  };
  AtPoints evaluate(T* work) const;
  /// v = B^T D B u. work: u [comps, nodes, lanes] becomes v there; stored [points, num_stored, lanes].
  void apply(const PointKernel<T>& physics, const T* stored, T* work) const;

 private:
  struct Step {  // a contraction and its table
    int n = 0, m = 0;
    Contract<T> set = nullptr, add = nullptr;
    std::vector<T> table;  // [n, m]
  };
  static Step make_step(int n, int m, const std::vector<double>& rows, bool transpose);
  /// All directions of a tensor, one after another, through two buffers.
  void along_all(const Step& step, const T* from, T* to, T* buffers) const;
  void to_points(const T* u, T* value, T* grad, T* other) const;
  void from_points(T* v, T* value, T* grad, T* other) const;

  bool tensor_ = true, on_nodes_ = false, uses_value_ = true, uses_grad_ = true;
  int dim_ = 0, comps_ = 1, num_nodes_ = 0, num_points_ = 0;
  int line_points_ = 0;  // Q of a tensor
  Step interp_, interp_back_;
  std::vector<Step> grad_, grad_back_;  // tensor: one, collocated; simplex: one per direction
};

extern template class ElementBatch<float>;
extern template class ElementBatch<double>;

}  // namespace millrace
