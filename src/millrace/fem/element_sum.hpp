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

  const std::vector<ElementOperator<T>>& parts() const { return parts_; }
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
template <class T, fem::Physics P>
ElementSum<T> make_element_sum(const Mesh& mesh, const Space& space, const P& physics, ElementOptions options = {}) {
  std::vector<ElementOperator<T>> parts;
  for (options.block = 0; options.block < std::ssize(space.blocks); ++options.block) {
    options.identity = options.block == 0;
    ElementOptions mine = options;
    if (!is_tensor(space.blocks[static_cast<std::size_t>(options.block)].cell)) mine.points.num = 0;
    parts.push_back(make_element_operator<T>(mesh, space, physics, mine));
  }
  return ElementSum<T>(std::move(parts));
}

}  // namespace millrace
