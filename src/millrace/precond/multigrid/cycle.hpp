// The cycle over the levels.
#pragma once

#include <optional>

#include "millrace/precond/multigrid/coarsest.hpp"
#include "millrace/precond/multigrid/level_matrix.hpp"
#include "millrace/precond/multigrid/node_blocks.hpp"
#include "millrace/precond/multigrid/smoother.hpp"
#include "millrace/precond/multigrid/transfer.hpp"

namespace millrace::multigrid {

/// What a level works with during a cycle.
template <class W>
struct LevelVectors {
  W* x;
  SmootherMemory<W> memory;  // r for residuals; fused steps of a smoother let it change places with x
};

/// A level as the cycle sees it.
template <class W>
struct CycleLevel {
  LevelMatrix<W> matrix;
  Array<W> inverse;                       // [num_rows]: D^-1 of the smoother
  std::optional<NodeBlocks<W>> blocks{};  // in its place
  std::vector<SmootherStep> steps{};
  std::unique_ptr<Transfer<W>> transfer{};  // to and from the next level; the last has none

  std::int64_t num_rows() const { return inverse.size(); }
  std::int64_t bytes() const;
  /// Not null: this makes steps of the smoother in kernels of its own.
  const FusedMatrix<W>* fused() const { return blocks || !can_fuse(steps) ? nullptr : matrix.fused(); }
  Index num_vectors() const { return fused() ? 1 : 3; }
  /// Such that a smoothing from zero and another one leave their result in x. memory: [num_vectors(), num_rows].
  LevelVectors<W> vectors(W* x, W* memory) const;
  void smooth(Queue& queue, const W* b, LevelVectors<W>& vectors, bool from_zero) const;
  /// r = b - A x
  void residual(Queue& queue, const W* b, const LevelVectors<W>& vectors) const;
  /// The bytes of vectors of these three, without those of products.
  double vector_bytes() const;
};

template <class W>
struct Cycle {
  AmgCycle kind = AmgCycle::v;
  int from = 0;  // the first level that asks as `kind` says
  W over_correction = 1;
  std::vector<CycleLevel<W>> levels{};    // the finest first
  std::optional<Coarsest<W>> coarsest{};  // below the last of the levels; none: the last one is only smoothed

  /// x = a cycle for A x = b from zero. Memory: scratch of the queue.
  void apply(Queue& queue, const W* b, W* x) const { apply(queue, 0, b, x); }
  Traffic traffic() const;
  std::int64_t bytes() const;

 private:
  std::int64_t rows_of(std::size_t level) const {
    return level < levels.size() ? levels[level].num_rows() : coarsest->num_rows();
  }
  void apply(Queue& queue, std::size_t level, const W* b, W* x) const;
  void solve_next(Queue& queue, std::size_t level, W* b, W* x) const;
  void krylov(Queue& queue, std::size_t level, W* b, W* x) const;
};

extern template struct Cycle<float>;
extern template struct Cycle<double>;

}  // namespace millrace::multigrid
