// A smoother's inner inverse for quads and hexes: each element is solved for, all at once, as if it were a brick (fast
// diagonalisation, R. Lynch, J. Rice and D. Thomas 1964). Long cells, on which the diagonal alone smooths slowly, are
// thus no obstacle.
#pragma once

#include <span>

#include "millrace/base/operator.hpp"
#include "millrace/fem/multigrid/block_steps.hpp"
#include "millrace/fem/space.hpp"

namespace millrace::multigrid {

/// y = M^-1 x = sum over elements of R^T T (S x S x S) L^-1 (S x S x S)^T T R x. R takes the nodes of an element, sides
/// included; S and L have the eigenvectors of a line of three equal elements, cut to the nodes of the middle one; T
/// makes the diagonal of each block that of A, and shares nodes among elements. Constrained nodes keep x. Symmetric and
/// positive definite for any diagonal that is positive.
/// Memory: a number and a node for each node of each element.
template <class W>
class ElementBlocks final : public Operator<W> {
 public:
  /// `diagonal` of A, [num_dofs] on the host. `mass` has the mass of each element beside its diffusion, [comps,
  /// num_elem]; where it is empty it is found from the diagonal, if the order is 4 or more and the physics uses values.
  ElementBlocks(Device device, const Mesh& mesh, const Space& space, std::span<const Index> constrained,
                std::span<const W> diagonal, bool uses_value, std::vector<double>& mass);

  Shape shape() const override { return {num_dofs_, num_dofs_}; }
  Device device() const override { return nodes_.device(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  bool can_transpose() const override { return true; }

  /// One step of a smoother. Traffic: numbers, nodes and contributions of all elements, r, z and x.
  void step(Queue& queue, const BlockStep<W>& step) const;
  std::int64_t bytes() const { return nodes_.bytes() + weights_.bytes() + first_.bytes() + places_.bytes(); }

  // What kernels see of it.
  const BlockTable<W>& table() const { return table_; }
  BlocksView<W> view() const;

 private:
  void do_apply(Queue& queue, const ApplyRequest<W>& request) const override;

  int dim_ = 3, comps_ = 1;
  std::int64_t num_dofs_ = 0;
  Index num_elem_ = 0, num_nodes_ = 0, num_outer_ = 0;
  BlockTable<W> table_;
  Array<Index> nodes_, first_, places_;
  Array<W> weights_, directions_;
};

extern template class ElementBlocks<float>;
extern template class ElementBlocks<double>;

}  // namespace millrace::multigrid
