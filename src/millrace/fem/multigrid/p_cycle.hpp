// The levels of p-multigrid and the cycle over them.
#pragma once

#include <optional>

#include "millrace/fem/multigrid/element_blocks.hpp"
#include "millrace/fem/multigrid/p_transfer.hpp"
#include "millrace/fem/p_multigrid.hpp"
#include "millrace/precond/multigrid/smoother.hpp"

namespace millrace::multigrid {

/// A level that is applied element by element.
template <class W>
struct PLevel {
  ElementOperator<W> op;
  Array<W> inverse;                        // [num_dofs]: D^-1
  std::optional<ElementBlocks<W>> blocks;  // instead of it
  std::vector<SmootherStep> steps{};
  std::optional<PTransfer<W>> transfer{};  // to and from the next level

  std::int64_t num_dofs() const { return inverse.size(); }
};

template <class W>
class PCycle {
 public:
  PCycle(Queue& queue, const Mesh& mesh, const Space& space, const PointKernel<W>& physics,
         const ElementOptions& element, const PMultigridOptions& options, PMultigridReport& report);

  /// x = a cycle for A x = b from zero. Memory: scratch of the queue.
  void apply(Queue& queue, const W* b, W* x) const { apply(queue, 0, b, x); }
  Traffic traffic() const;

 private:
  void apply(Queue& queue, std::size_t level, const W* b, W* x) const;
  void apply_assembled(Queue& queue, const W* b, W* x) const;
  void add_level(Queue& queue, const Mesh& mesh, const Space& space, ElementOperator<W>&& op,
                 std::span<const Index> constrained, const PMultigridOptions& options, PMultigridReport& report);
  void smooth_level(Queue& queue, const PLevel<W>& level, const W* b, W* x, bool from_zero,
                    const SmootherMemory<W>& memory) const;
  void add_assembled(Queue& queue, const ElementOperator<W>& op, const Space& space, const PMultigridOptions& options,
                     PMultigridReport& report);
  std::int64_t dofs_of(std::size_t level) const {
    return level < levels_.size() ? levels_[level].num_dofs() : assembled_->shape().rows;
  }

  std::vector<double> mass_;           // of elements beside their diffusion, as the finest level shows it
  std::vector<PLevel<W>> levels_;      // the finest first; none where the space has the last order
  std::unique_ptr<Amg<W>> assembled_;  // below them, with the unknowns of a node one after another
  std::optional<PTransfer<W>> alone_;  // into that order and back, where it is the only level
};

extern template class PCycle<float>;
extern template class PCycle<double>;

}  // namespace millrace::multigrid
