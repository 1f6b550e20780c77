// Transfers between two orders on one mesh: prolongation takes the values of the coarse polynomials at the nodes of the
// fine ones, restriction is its transpose.
#pragma once

#include <span>
#include <vector>

#include "millrace/base/array.hpp"
#include "millrace/fem/multigrid/transfer_steps.hpp"
#include "millrace/fem/space.hpp"

namespace millrace::multigrid {

/// Where a vector of unknowns has component c of node n: at n * node + c * comp.
struct NodeLayout {
  std::int64_t node = 1, comp = 0;
};
/// One component after another, as spaces have them, or all of a node together, as matrices of blocks have them.
NodeLayout by_component(const Space& space);
NodeLayout by_node(const Space& space);

/// The coarse nodes whose functions do not vanish at one of the constrained fine nodes, ascending: those on a Dirichlet
/// boundary, and all around a single node that is not at a vertex. Then P is zero there, and the levels fit together.
std::vector<Index> coarse_constrained(const Space& fine, const Space& coarse, std::span<const Index> constrained);

/// On the device that it was made for. Memory: 4 bytes for each node of each element on both sides, and as much again
/// for the coarse side.
template <class W>
class PTransfer {
 public:
  /// Of spaces on one mesh with one block of cells. Fine vectors are by component. Between spaces of the same order it
  /// is a change of the layout.
  PTransfer(Device device, const Space& fine, const Space& coarse, std::span<const Index> fine_constrained,
            std::span<const Index> coarse_constrained, NodeLayout coarse_layout);

  /// fine += P coarse. Traffic: both vectors, the fine one twice, and the numbers of their nodes.
  void prolong(Queue& queue, const W* coarse, W* fine) const;
  /// coarse = P^T (b - q), q null: P^T b. In a fixed order. Traffic: as above, q too, and three times the coarse side
  /// by elements. Memory: the coarse side by elements, scratch of the queue.
  void restrict_to(Queue& queue, const W* b, const W* q, W* coarse) const;

  int comps() const { return comps_; }
  double prolong_bytes() const;
  double restrict_bytes() const;
  std::int64_t bytes() const;

  // What kernels see of it.
  const AnyPlan& plan() const { return plan_; }
  TransferView<W> view() const;
  NodeSums sums() const { return {num_coarse_, first_.data(), places_.data()}; }

 private:
  AnyPlan plan_;
  Index num_elem_ = 0, num_fine_ = 0, num_coarse_ = 0;
  int comps_ = 1;
  NodeLayout coarse_layout_;
  Array<Index> fine_;            // [num_elem, fine nodes], as TransferView has them
  Array<Index> coarse_;          // [num_elem, coarse nodes]
  Array<Index> first_, places_;  // of NodeSums
  Array<W> table_;
};

extern template class PTransfer<float>;
extern template class PTransfer<double>;

}  // namespace millrace::multigrid
