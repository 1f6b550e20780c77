// Conjugate gradients: the same sequence of a product and two sweeps on every device.
#include "millrace/solve/cg.hpp"

#include "millrace/base/thread_limit.hpp"
#include "millrace/solve/engine/loop.hpp"
#include "millrace/solve/methods/cg_steps.hpp"
#include "millrace/solve/methods/small_cg.hpp"

namespace millrace {

using namespace detail;

namespace {

std::string explain_cg(const Progress& state) {
  const bool matrix = state.detail != CgScalars<double>::of_preconditioner;
  const char* whose = matrix ? "the matrix" : "the preconditioner";
  const char* product = matrix ? "<p, A p>" : "<r, M r>";
  const char* help = matrix ? "; minres or gmres can solve such systems" : "; gmres can work with such a one";
  if (state.status == static_cast<int>(SolveEnd::indefinite))
    return join(whose, " is not positive definite: ", product, " is negative after ", state.iterations, " iterations",
                help);
  if (state.detail == Progress::diverged) return "A may not be symmetric positive definite; minres or gmres may help";
  return join(product, " is zero after ", state.iterations, " iterations, so ", whose, " is not positive definite",
              help);
}

}  // namespace

template <class T>
SolveReport cg(Queue& queue, const Operator<T>& a, const Operator<T>& m, std::type_identity_t<Vectors<const T>> b,
               std::type_identity_t<Vectors<T>> x, const SolveOptions& options) {
  const ThreadLimit limit(queue);
  using A = Arith<T>;
  System<T> system("cg", queue, a, m, b, x, options, 2);
  DeviceScalars<CgScalars<A>> memory(queue);
  CgScalars<A>* s = memory.data();
  const Vectors<T> r = system.r, q = system.q, p = system.vector(0);
  const Vectors<T> z = system.preconditioned ? system.vector(1) : r;
  const CgResidual<A> residual{arith(q.data), arith(r.data), s, system.preconditioned};
  const CgDirection<A> direction{arith(system.x.data), arith(z.data), arith(p.data), s};

  const bool with_m = system.preconditioned;
  const auto multiply = [&] {
    system.product(p, q, &s->pq);
    sweep(queue, system.comm, system.n, residual);
  };
  const auto turn = [&] { sweep(queue, system.comm, system.n, direction); };
  const auto precondition = [&] { system.precondition(r, z, &s->rz); };
  // With M an iteration ends where its residual is known, so that M is not applied in vain at the end: the start makes
  // the first one, and the last direction, which brings x, is due at the end. Without M nothing is saved by that.
  const auto iterate = [&] {
    if (with_m) {
      precondition();
      turn();
      multiply();
    } else {
      multiply();
      turn();
    }
  };
  Method method;
  method.start = [&] {
    with_m ? precondition() : system.dot_product(r, r, &s->rz);
    system.copy(z, p);
    if (with_m) multiply();
  };
  method.iterate = iterate;
  if (with_m) method.end = [&](const Progress&) { turn(); };
  method.signs = [](const Progress& state) {  // A alone is negative definite, or A and M are
    return Scales{-1, state.detail == CgScalars<A>::of_matrix ? 1.0 : -1.0};
  };
  [[maybe_unused]] cuda::SmallCgPlan small;
  if constexpr (build::cuda && !is_complex<T>) {
    if (!queue.device().on_host() && system.comm.size() == 1 && !system.preconditioned && a.stored_rows().row_ptr)
      small = cuda::plan_small_cg(queue, a.stored_rows(), system.n);
    if (small.blocks > 0) {
      method.iterations = cuda::max_small_cg_iterations;
      method.iterate = [&] {
        if (system.scales().matrix != 1) return iterate();
        cuda::iterate_small_cg(queue, small, a.stored_rows(), system.n, system.x.data, r.data, p.data, s);
      };
    }
  }
  method.iteration_bytes = [&] {
    return system.product_bytes(true) + system.precondition_bytes(true) + 8 * system.vector_bytes();
  };
  method.start_bytes = [&] { return (with_m ? 2 : 3) * system.vector_bytes(); };
  method.explain = explain_cg;
  return run(system, &s->progress, method);
}

template SolveReport cg(Queue&, const Operator<float>&, const Operator<float>&, Vectors<const float>, Vectors<float>,
                        const SolveOptions&);
template SolveReport cg(Queue&, const Operator<double>&, const Operator<double>&, Vectors<const double>,
                        Vectors<double>, const SolveOptions&);
template SolveReport cg(Queue&, const Operator<std::complex<float>>&, const Operator<std::complex<float>>&,
                        Vectors<const std::complex<float>>, Vectors<std::complex<float>>, const SolveOptions&);
template SolveReport cg(Queue&, const Operator<std::complex<double>>&, const Operator<std::complex<double>>&,
                        Vectors<const std::complex<double>>, Vectors<std::complex<double>>, const SolveOptions&);

}  // namespace millrace
