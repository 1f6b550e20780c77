// A solver as an operator: inverse(A, M, options) applies A^-1 by solving. For nesting, and as a preconditioner of
// methods that allow one which changes from step to step (fgmres).
#pragma once

#include <atomic>
#include <memory>

#include "millrace/solve/cg.hpp"
#include "millrace/solve/solver.hpp"

namespace millrace {

/// y = alpha A^-1 x + beta y, as exactly as the options ask, from the start vector 0. It works in the user's order,
/// also when A has one of its own. Its traffic is the mean of its applications so far, and before the first that of
/// options.max_iterations. A and M must live longer than this; temporaries are refused.
template <class T>
class Inverse final : public Operator<T> {
 public:
  Inverse(const Operator<T>& a, const Operator<T>& m, SolveOptions options, Solver<T> solver)
      : a_(a), m_(std::shared_ptr<const void>(), &m), options_(std::move(options)), solver_(std::move(solver)) {}
  /// Without a preconditioner M.
  Inverse(const Operator<T>& a, SolveOptions options, Solver<T> solver)
      : a_(a), m_(std::make_shared<Identity<T>>(a)), options_(std::move(options)), solver_(std::move(solver)) {}
  Inverse(const Operator<T>&& a, const Operator<T>& m, SolveOptions options, Solver<T> solver) = delete;
  Inverse(const Operator<T>& a, const Operator<T>&& m, SolveOptions options, Solver<T> solver) = delete;
  Inverse(const Operator<T>&& a, const Operator<T>&& m, SolveOptions options, Solver<T> solver) = delete;
  Inverse(const Operator<T>&& a, SolveOptions options, Solver<T> solver) = delete;

  Shape shape() const override { return {a_.shape().cols, a_.shape().rows}; }
  Device device() const override { return a_.device(); }
  Comm comm() const override { return a_.comm(); }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;

  const Operator<T>& a_;
  std::shared_ptr<const Operator<T>> m_;  // owned only where the user gave none
  SolveOptions options_;
  Solver<T> solver_;
  struct Applied {  // copies count together
    std::atomic<double> bytes{0};
    std::atomic<std::int64_t> times{0};
  };
  std::shared_ptr<Applied> applied_ = std::make_shared<Applied>();
};

/// The inverse of A by conjugate gradients, or by any other solver: inverse(a, m, {.tolerance = 1e-2}, minres<double>).
template <class T>
Inverse<T> inverse(const Operator<T>& a, const Operator<T>& m, const SolveOptions& options = {},
                   std::type_identity_t<Solver<T>> solver = cg<T>) {
  return Inverse<T>(a, m, options, std::move(solver));
}
/// The same without a preconditioner.
template <class T>
Inverse<T> inverse(const Operator<T>& a, const SolveOptions& options = {},
                   std::type_identity_t<Solver<T>> solver = cg<T>) {
  return Inverse<T>(a, options, std::move(solver));
}
// The inverse of a temporary, or with a temporary for M, would outlive it.
template <class T>
Inverse<T> inverse(const Operator<T>&& a, const Operator<T>& m, const SolveOptions& options = {},
                   std::type_identity_t<Solver<T>> solver = cg<T>) = delete;
template <class T>
Inverse<T> inverse(const Operator<T>& a, const Operator<T>&& m, const SolveOptions& options = {},
                   std::type_identity_t<Solver<T>> solver = cg<T>) = delete;
template <class T>
Inverse<T> inverse(const Operator<T>&& a, const Operator<T>&& m, const SolveOptions& options = {},
                   std::type_identity_t<Solver<T>> solver = cg<T>) = delete;
template <class T>
Inverse<T> inverse(const Operator<T>&& a, const SolveOptions& options = {},
                   std::type_identity_t<Solver<T>> solver = cg<T>) = delete;

extern template class Inverse<float>;
extern template class Inverse<double>;
extern template class Inverse<std::complex<float>>;
extern template class Inverse<std::complex<double>>;

}  // namespace millrace
