// The operator of a mesh with several blocks of cells, such as triangles and quads: one element operator per block.
#pragma once

#include "millrace/fem/element_operator.hpp"

namespace millrace {

/// A_0 + A_1 + ...: element operators on the blocks of one mesh, in one space. The first has the identity at
/// constrained nodes, the others are zero there. It is on the device of its parts; a GPU takes one block alone.
template <class T>
class ElementSum final : public Operator<T> {
 public:
  /// Of one shape, on one device; only the first with the identity at constrained nodes (ElementOptions::identity).
  explicit ElementSum(std::vector<ElementOperator<T>> parts);
  ElementSum to(Device device) const;

  Shape shape() const override { return parts_.front().shape(); }
  Device device() const override { return parts_.front().device(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  bool can_transpose() const override;
  bool fuses_dot() const override { return parts_.size() == 1 && parts_.front().fuses_dot(); }

  const std::vector<ElementOperator<T>>& parts() const { return parts_; }
  /// ElementOperator::update and ElementOperator::set_given, of all parts.
  void update(Queue& queue, Vectors<const T> u);
  void set_given(Queue& queue, int first, const Space& space, Vectors<const T> values);
  /// y = the diagonal, 1 at constrained nodes. [num_dofs], on the host.
  void diagonal(Queue& queue, Vectors<T> y) const;
  /// The matrix, as ElementOperator has it. On the host.
  Csr<T> assemble(Queue& queue) const;

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;

  std::vector<ElementOperator<T>> parts_;
};

extern template class ElementSum<float>;
extern template class ElementSum<double>;

/// The operator of a physics on all blocks of a mesh. Of the options, block and identity are its own matter; the number
/// of points counts for quads and hexes, their degree for triangles and tets.
template <class T>
ElementSum<T> make_element_sum(const Mesh& mesh, const Space& space, const PointKernel<T>& physics,
                               ElementOptions options = {});
template <class T, fem::Physics P>
ElementSum<T> make_element_sum(const Mesh& mesh, const Space& space, const P& physics,
                               const ElementOptions& options = {}) {
  PointKernel<T> kernel = make_point_kernel<T>(physics);
  set_gpu_functions(physics, kernel);
  return make_element_sum<T>(mesh, space, kernel, options);
}

}  // namespace millrace
