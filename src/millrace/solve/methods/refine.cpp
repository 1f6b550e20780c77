// Iterative refinement: a loop of one residual and one inner solve.
#include "millrace/solve/refine.hpp"

#include "millrace/base/thread_limit.hpp"
#include "millrace/solve/engine/loop.hpp"
#include "millrace/solve/identity.hpp"
#include "millrace/solve/methods/refine_steps.hpp"

namespace millrace {

using namespace detail;

template <class T>
SolveReport refine(Queue& queue, const Operator<T>& a, const Operator<Single<T>>& inner_a,
                   const Operator<Single<T>>& inner_m, const Solver<Single<T>>& inner,
                   std::type_identity_t<Vectors<const T>> b, std::type_identity_t<Vectors<T>> x,
                   const SolveOptions& options, const SolveOptions& inner_options) {
  const ThreadLimit limit(queue);
  using A = Arith<T>;
  using Low = Single<T>;
  struct Scalars {
    Progress progress{};
  };
  require(inner_a.shape() == a.shape(), "refine: the inner matrix is ", inner_a.shape().rows, " x ",
          inner_a.shape().cols, "; it must be ", a.shape().rows, " x ", a.shape().cols, " as A");
  const Identity<T> none(a);
  System<T> system("refine", queue, a, none, b, x, options, 0);
  DeviceScalars<Scalars> memory(queue);
  Progress* progress = &memory.data()->progress;
  Array<Low> low(queue, system.n), correction(queue, system.n);
  const Index* order = a.permutation() ? a.permutation()->data() : nullptr;

  SolveReport last;  // of the inner solver
  int inner_iterations = 0;
  double inner_bytes = 0;
  Method method;
  method.start = [] {};
  method.iterate = [&] {
    sweep(queue, system.comm, system.n,
          ToSingle<A>(order, arith(system.r.data), arith(low.data()), arith(correction.data()), progress));
    last = inner(queue, inner_a, inner_m, low, correction, inner_options);
    inner_iterations += last.iterations;
    inner_bytes += last.bytes;
    sweep(queue, system.comm, system.n, FromSingle<A>(order, arith(correction.data()), arith(system.x.data), progress));
    system.product(system.x, system.q);
    sweep(queue, system.comm, system.n,
          ResidualStep<A>{arith(system.b.data), arith(system.q.data), arith(system.r.data), progress, false});
    sweep(queue, system.comm, 0, RefineAdvance(progress));
  };
  method.one_by_one = true;
  method.scales_matrix = false;  // the inner A would not know
  method.iteration_bytes = [&] { return system.product_bytes(false) + 6.5 * system.vector_bytes(); };
  method.explain = [&](const Progress& state) {
    return join("correction ", state.iterations, " did not halve the residual; the inner solver says: ", last.reason);
  };
  SolveReport report = run(system, progress, method);
  report.inner_iterations = inner_iterations;
  report.bytes += inner_bytes;
  report.reason += join(" (", inner_iterations, " inner iterations)");
  return report;
}

template SolveReport refine(Queue&, const Operator<double>&, const Operator<float>&, const Operator<float>&,
                            const Solver<float>&, Vectors<const double>, Vectors<double>, const SolveOptions&,
                            const SolveOptions&);
template SolveReport refine(Queue&, const Operator<std::complex<double>>&, const Operator<std::complex<float>>&,
                            const Operator<std::complex<float>>&, const Solver<std::complex<float>>&,
                            Vectors<const std::complex<double>>, Vectors<std::complex<double>>, const SolveOptions&,
                            const SolveOptions&);

}  // namespace millrace
