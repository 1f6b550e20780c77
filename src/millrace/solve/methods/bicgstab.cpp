// BiCGStab: two products and five sweeps per iteration, the same on every device.
#include "millrace/solve/bicgstab.hpp"

#include <cmath>

#include "millrace/base/thread_limit.hpp"
#include "millrace/solve/engine/agree.hpp"
#include "millrace/solve/engine/loop.hpp"
#include "millrace/solve/methods/bicgstab_steps.hpp"

namespace millrace {

using namespace detail;

namespace {

std::string explain_bicgstab(const Progress& state) {
  using Scalars = BicgstabScalars<double>;
  const char* what = state.detail == Scalars::no_alpha     ? "<shadow, A p> is zero, so there is no step length"
                     : state.detail == Scalars::no_omega   ? "<A s, s> is zero, so the residual cannot be made smaller"
                     : state.detail == Scalars::orthogonal ? "the residual is orthogonal to the shadow residual"
                                                           : "the recurrence lost its way";
  return join(what, " after ", state.iterations,
              " iterations, and again after restarts with another shadow; gmres does not know this breakdown");
}

}  // namespace

template <class T>
SolveReport bicgstab(Queue& queue, const Operator<T>& a, const Operator<T>& m, std::type_identity_t<Vectors<const T>> b,
                     std::type_identity_t<Vectors<T>> x, const SolveOptions& options) {
  const ThreadLimit limit(queue);
  using A = Arith<T>;
  System<T> system("bicgstab", queue, a, m, b, x, options, 5);
  const bool left = system.preconditioned && options.side == Side::left;
  const bool right = system.preconditioned && !left;
  DeviceScalars<BicgstabScalars<A>> memory(queue);
  BicgstabScalars<A>* s = memory.data();
  const Vectors<T> r = system.r, t = system.q, shadow = system.vector(0), p = system.vector(1), v = system.vector(2);
  const Vectors<T> y = right ? system.vector(3) : p, z = right ? system.vector(4) : r;
  const Vectors<T> raw = system.vector(3);  // A p and A s before M on the left

  const auto product = [&](Vectors<T> from, Vectors<T> to) {
    system.product(from, left ? raw : to);
    if (left) system.precondition(raw, to);
  };
  const auto run_step = [&](const auto& step) { sweep(queue, system.comm, system.n, step); };
  const BicgstabStart<A> start{arith(r.data), arith(shadow.data), arith(p.data), s};
  const BicgstabProducts<A> for_alpha{arith(shadow.data), arith(v.data), s, false};
  const BicgstabProducts<A> for_omega{arith(r.data), arith(t.data), s, true};
  const BicgstabHalf<A> half{arith(r.data), arith(v.data), s};
  const BicgstabUpdate<A> update{arith(system.x.data),
                                 arith(y.data),
                                 right ? arith(z.data) : nullptr,
                                 arith(r.data),
                                 arith(t.data),
                                 arith(shadow.data),
                                 s};
  const BicgstabDirection<A> direction{arith(r.data), arith(p.data), arith(v.data), s};

  Method method;
  const auto precondition_residual = [&] {
    if (!left) return;
    system.precondition(system.b, v);
    run_step(BicgstabScale<A>{arith(v.data), s});
    system.copy(r, v);
    system.precondition(v, r);
  };
  method.start = [&] {
    precondition_residual();
    run_step(start);
  };
  std::uint64_t seed = first_row(system.comm, system.n);
  double random_norm = static_cast<double>(all_rows(system.comm, system.n));
  random_norm = std::sqrt(random_norm * (is_complex<T> ? 2 : 1) / 3);
  method.restart = [&] {  // with a shadow that has nothing to do with the one that failed: random numbers
    precondition_residual();
    run_step(RandomStep<A>(arith(shadow.data), seed += std::uint64_t{1} << 32));
    system.copy(r, p);
    system.dot_product(shadow, r, &s->rho);
    copy_bytes(queue, queue.device(), &s->shadow, Device::host(), &random_norm, sizeof(double));
  };
  method.iterate = [&] {
    if (right) system.precondition(p, y);
    product(y, v);
    run_step(for_alpha);
    run_step(half);
    if (right) system.precondition(r, z);
    product(z, t);
    run_step(for_omega);
    run_step(update);
    run_step(direction);
  };
  method.iteration_bytes = [&] {
    return 2 * system.product_bytes(false) + 2 * system.precondition_bytes(false) +
           (right ? 19 : 18) * system.vector_bytes();
  };
  method.start_bytes = [&] {
    return 3 * system.vector_bytes() + (left ? 3 * system.vector_bytes() : 0) +
           (left ? 2 : 0) * system.precondition_bytes(false);
  };
  method.explain = explain_bicgstab;
  return run(system, &s->progress, method);
}

template SolveReport bicgstab(Queue&, const Operator<float>&, const Operator<float>&, Vectors<const float>,
                              Vectors<float>, const SolveOptions&);
template SolveReport bicgstab(Queue&, const Operator<double>&, const Operator<double>&, Vectors<const double>,
                              Vectors<double>, const SolveOptions&);
template SolveReport bicgstab(Queue&, const Operator<std::complex<float>>&, const Operator<std::complex<float>>&,
                              Vectors<const std::complex<float>>, Vectors<std::complex<float>>, const SolveOptions&);
template SolveReport bicgstab(Queue&, const Operator<std::complex<double>>&, const Operator<std::complex<double>>&,
                              Vectors<const std::complex<double>>, Vectors<std::complex<double>>, const SolveOptions&);

}  // namespace millrace
