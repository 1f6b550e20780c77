// MINRES: a product and two sweeps per iteration. Vectors trade places, so the body of the loop is two iterations.
#include "millrace/solve/minres.hpp"

#include "millrace/base/read_back.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/solve/engine/loop.hpp"
#include "millrace/solve/methods/minres_steps.hpp"

namespace millrace {

using namespace detail;

namespace {

std::string explain_minres(const Progress& state) {
  if (state.detail == MinresScalars<double>::singular)
    return join("the matrix is singular in this precision and the right-hand side not in its range: after ",
                state.iterations, " iterations A r is only rounding, and x is a least-squares solution");
  if (state.detail == MinresScalars<double>::bad_preconditioner)
    return join("the preconditioner is not positive definite: <v, M v> is not positive after ", state.iterations,
                " iterations; gmres can work with such a one");
  return "A may not be symmetric; gmres does not need that";
}

}  // namespace

template <class T>
SolveReport minres(Queue& queue, const Operator<T>& a, const Operator<T>& m, std::type_identity_t<Vectors<const T>> b,
                   std::type_identity_t<Vectors<T>> x, const SolveOptions& options) {
  const ThreadLimit limit(queue);
  using A = Arith<T>;
  using Gamma = LanczosGamma<A>;
  System<T> system("minres", queue, a, m, b, x, options, 6);
  const bool preconditioned = system.preconditioned;
  DeviceScalars<MinresScalars<A>> memory(queue);
  MinresScalars<A>* s = memory.data();
  const Vectors<T> q = system.q, v[2] = {system.vector(0), system.vector(1)};
  const Vectors<T> w[2] = {system.vector(2), system.vector(3)};
  const Vectors<T> z[2] = {preconditioned ? system.vector(4) : v[0], preconditioned ? system.vector(5) : v[1]};
  const auto run_step = [&](const auto& step, std::int64_t n) { sweep(queue, system.comm, n, step); };

  const auto iterate = [&](int now) {  // v[now] is v_j, v[1 - now] is v_{j-1} and becomes v_{j+1}
    const int next = 1 - now;
    system.product(z[now], q, &s->zq);
    run_step(LanczosStep<A>{arith(q.data), arith(v[now].data), arith(v[next].data), s, preconditioned}, system.n);
    if (preconditioned) {
      system.precondition(v[next], z[next], &s->vz);
      run_step(Gamma(s, Gamma::Then::rotate), 0);
    }
    run_step(MinresUpdate<A>{arith(z[now].data), arith(w[now].data), arith(w[next].data), arith(system.x.data),
                             preconditioned ? arith(system.r.data) : nullptr, arith(v[next].data), s},
             system.n);
  };
  Method method;
  method.start = [&] {
    system.copy(system.r, v[0]);
    for (const Vectors<T>& zero : {v[1], w[0], w[1]}) run_step(FillStep<A>(A{}, arith(zero.data)), system.n);
    if (preconditioned)
      system.precondition(v[0], z[0], &s->vz);
    else
      system.dot_product(v[0], v[0], &s->vz);
    run_step(Gamma(s, Gamma::Then::start), 0);
  };
  method.iterate = [&] {
    iterate(0);
    if (queue.device().on_host() && !s->progress.active()) return;  // a GPU finds out by itself
    iterate(1);
  };
  method.end = [&](const Progress&) {  // the last step
    const MinresScalars<A> last = read_back(queue, s);
    const A step = static_cast<RealOf<A>>(last.step) * one<A>();
    run_step(AddStep<A>(step, arith(w[last.num_steps % 2].data), one<A>(), arith(system.x.data)), system.n);
  };
  method.iterations = 2;
  method.iteration_bytes = [&] {
    return system.product_bytes(true) + system.precondition_bytes(true) +
           (preconditioned ? 13 : 10) * system.vector_bytes();
  };
  method.start_bytes = [&] {
    return 5 * system.vector_bytes() + (preconditioned ? system.precondition_bytes(true) : system.vector_bytes());
  };
  method.end_bytes = 3 * system.vector_bytes();
  method.explain = explain_minres;
  return run(system, &s->progress, method);
}

template SolveReport minres(Queue&, const Operator<float>&, const Operator<float>&, Vectors<const float>,
                            Vectors<float>, const SolveOptions&);
template SolveReport minres(Queue&, const Operator<double>&, const Operator<double>&, Vectors<const double>,
                            Vectors<double>, const SolveOptions&);
template SolveReport minres(Queue&, const Operator<std::complex<float>>&, const Operator<std::complex<float>>&,
                            Vectors<const std::complex<float>>, Vectors<std::complex<float>>, const SolveOptions&);
template SolveReport minres(Queue&, const Operator<std::complex<double>>&, const Operator<std::complex<double>>&,
                            Vectors<const std::complex<double>>, Vectors<std::complex<double>>, const SolveOptions&);

}  // namespace millrace
