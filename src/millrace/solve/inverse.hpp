// A solver as an operator: inverse(A, M, options) applies A^-1 by solving. For nesting, and as a preconditioner of
// methods that allow one which changes from step to step (fgmres).
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/solve/cg.hpp"

namespace millrace {

/// What all solvers for A x = b look like.
template <class T>
using Solver = std::function<SolveReport(Queue&, const Operator<T>& a, const Operator<T>& m, Vectors<const T> b,
                                         Vectors<T> x, const SolveOptions&)>;

/// y = alpha A^-1 x + beta y, as exactly as the options ask, from the start vector 0. A and M must live longer.
/// It works in the user's basis, also when A has one of its own. Its traffic is that of options.max_iterations.
template <class T>
class Inverse final : public Operator<T> {
 public:
  Inverse(const Operator<T>& a, const Operator<T>& m, SolveOptions options, Solver<T> solver)
      : a_(a), m_(m), options_(std::move(options)), solver_(std::move(solver)) {}

  Shape shape() const override { return {a_.shape().cols, a_.shape().rows}; }
  Device device() const override { return a_.device(); }
  Comm comm() const override { return a_.comm(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;

  const Operator<T>& a_;
  const Operator<T>& m_;
  SolveOptions options_;
  Solver<T> solver_;
};

/// The inverse of A by conjugate gradients, or by any other solver: inverse<double>(a, m, {.tolerance = 1e-2},
/// minres<double>).
template <class T>
Inverse<T> inverse(const Operator<T>& a, const Operator<T>& m, const SolveOptions& options = {},
                   Solver<T> solver = cg<T>) {
  return Inverse<T>(a, m, options, std::move(solver));
}

extern template class Inverse<float>;
extern template class Inverse<double>;
extern template class Inverse<std::complex<float>>;
extern template class Inverse<std::complex<double>>;

}  // namespace millrace
