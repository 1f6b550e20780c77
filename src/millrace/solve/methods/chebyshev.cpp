// The Chebyshev iteration as a solver.
#include "millrace/solve/chebyshev.hpp"

#include <cmath>

#include "millrace/base/thread_limit.hpp"
#include "millrace/solve/engine/loop.hpp"
#include "millrace/solve/methods/chebyshev_steps.hpp"

namespace millrace {

using namespace detail;

template <class T>
SolveReport chebyshev(Queue& queue, const Operator<T>& a, const Operator<T>& m,
                      std::type_identity_t<Vectors<const T>> b, std::type_identity_t<Vectors<T>> x,
                      const SpectralBounds& bounds, const SolveOptions& options) {
  const ThreadLimit limit(queue);
  using A = Arith<T>;
  require(0 < bounds.smallest && bounds.smallest <= bounds.largest && std::isfinite(bounds.largest),
          "chebyshev: eigenvalues between ", bounds.smallest, " and ", bounds.largest,
          " were given; 0 < smallest <= largest is accepted");
  System<T> system("chebyshev", queue, a, m, b, x, options, 2);
  ChebyshevScalars initial;
  initial.c.center = (bounds.largest + bounds.smallest) / 2;
  initial.c.radius = (bounds.largest - bounds.smallest) / 2;
  DeviceScalars<ChebyshevScalars> memory(queue, initial);
  ChebyshevScalars* s = memory.data();
  const bool preconditioned = system.preconditioned;
  const Vectors<T> r = system.r, q = system.q, d = system.vector(0), z = preconditioned ? system.vector(1) : r;
  const auto run_step = [&](const auto& step) { sweep(queue, system.comm, system.n, step); };

  Method method;
  method.start = [&] {
    if (preconditioned) system.precondition(r, z);
    run_step(ChebyshevStart<A>(arith(z.data), arith(d.data), s, preconditioned));
  };
  method.iterate = [&] {
    system.product(d, q);
    run_step(ChebyshevUpdate<A>{arith(system.x.data), arith(r.data), arith(d.data), arith(q.data), s, preconditioned});
    if (!preconditioned) return;
    system.precondition(r, z);
    run_step(ChebyshevDirection<A>{arith(d.data), arith(z.data), s});
  };
  method.iteration_bytes = [&] {
    return system.product_bytes(false) + system.precondition_bytes(false) +
           (preconditioned ? 9 : 7) * system.vector_bytes();
  };
  method.start_bytes = [&] { return system.precondition_bytes(false) + 2 * system.vector_bytes(); };
  method.scales_matrix = false;  // the bounds are those of A as it is
  method.explain = [&](const Progress&) {
    return join("eigenvalues of M A may lie outside ", bounds.smallest, " .. ", bounds.largest);
  };
  return run(system, &s->progress, method);
}

template SolveReport chebyshev(Queue&, const Operator<float>&, const Operator<float>&, Vectors<const float>,
                               Vectors<float>, const SpectralBounds&, const SolveOptions&);
template SolveReport chebyshev(Queue&, const Operator<double>&, const Operator<double>&, Vectors<const double>,
                               Vectors<double>, const SpectralBounds&, const SolveOptions&);
template SolveReport chebyshev(Queue&, const Operator<std::complex<float>>&, const Operator<std::complex<float>>&,
                               Vectors<const std::complex<float>>, Vectors<std::complex<float>>, const SpectralBounds&,
                               const SolveOptions&);
template SolveReport chebyshev(Queue&, const Operator<std::complex<double>>&, const Operator<std::complex<double>>&,
                               Vectors<const std::complex<double>>, Vectors<std::complex<double>>,
                               const SpectralBounds&, const SolveOptions&);

}  // namespace millrace
