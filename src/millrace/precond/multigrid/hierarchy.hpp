// The levels as they are made, in T, and what makes the cycle of them.
#pragma once

#include <functional>

#include "millrace/precond/multigrid/cycle.hpp"
#include "millrace/precond/multigrid/largest_eigenvalue.hpp"

namespace millrace::multigrid {

/// What a level keeps so that new values find their way down.
template <class T>
struct SetupLevel {
  Csr<T> own{};  // the matrix; empty on the finest level, whose matrix is the user's
  Diagonal<T> diagonal{};
  LargestEstimate estimate{}, block_estimate{};  // of the first values,
  double first_gershgorin = 0;                   // and the bound by their rows
  double largest = 0;                            // bound of the eigenvalues of D^-1 A with its diagonal D,
  double smoothed = 0;                           // and with the D of its smoother
  // To the next level:
  Aggregates aggregates{};
  Tentative<T> tentative{};
  std::optional<Prolongator<T>> prolongator{};
  Galerkin<T> galerkin{};

  std::int64_t bytes() const;
};

/// The levels of a matrix.
template <class T>
class Hierarchy {
 public:
  Hierarchy(Queue& queue, const Csr<T>& a, const AmgOptions& options, AmgReport& report);
  void update(Queue& queue, const Csr<T>& a, const AmgOptions& options, AmgReport& report);

  const Cycle<T>& cycle() const { return cycle_; }
  const std::vector<SetupLevel<T>>& levels() const { return levels_; }

 private:
  /// Diagonal, bounds and smoother of a level from the values of its matrix; again: they are not its first ones.
  void smoother(Queue& queue, const Csr<T>& a, std::size_t level, const AmgOptions& options, bool again);
  bool coarsen(Queue& queue, const Csr<T>& a, const AmgOptions& options, NearNull<T>& near_null, AmgReport& report);
  void summarise(const Csr<T>& a, AmgReport& report) const;

  std::vector<SetupLevel<T>> levels_;
  Cycle<T> cycle_;
};

}  // namespace millrace::multigrid
