// Bounds of the spectrum by a few Lanczos steps: the extreme eigenvalues of a small tridiagonal matrix.
#include <cmath>

#include "millrace/base/read_back.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/solve/chebyshev.hpp"
#include "millrace/solve/engine/agree.hpp"
#include "millrace/solve/engine/loop.hpp"
#include "millrace/solve/methods/minres_steps.hpp"

namespace millrace {

using namespace detail;

namespace {

/// Eigenvalues of the symmetric tridiagonal matrix that are below x: W. Givens' (1954) count of signs.
int eigenvalues_below(const std::vector<double>& diagonal, const std::vector<double>& beside, double x) {
  int count = 0;
  double pivot = 1;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    pivot = diagonal[i] - x - (i == 0 ? 0 : beside[i - 1] * beside[i - 1] / pivot);
    if (pivot == 0) pivot = 1e-300;
    count += pivot < 0;
  }
  return count;
}

/// The k-th smallest eigenvalue, k = 0, 1, ..., by bisection.
double eigenvalue(const std::vector<double>& diagonal, const std::vector<double>& beside, int k) {
  double radius = 0;
  for (std::size_t i = 0; i < diagonal.size(); ++i)
    radius =
        std::max(radius, std::abs(diagonal[i]) + (i > 0 ? beside[i - 1] : 0) + (i < beside.size() ? beside[i] : 0));
  double low = -radius, high = radius;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (eigenvalues_below(diagonal, beside, middle) > k ? high : low) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

template <class T>
SpectralBounds estimate_bounds(Queue& queue, const Operator<T>& a, const Operator<T>& m, int num_steps) {
  const ThreadLimit limit(queue);
  using A = Arith<T>;
  using Gamma = LanczosGamma<A>;
  require(num_steps >= 1, "estimate_bounds: ", num_steps, " steps were asked for; 1 or more are accepted");
  const Range range("estimate_bounds");
  const SolveOptions options;
  const std::int64_t n = a.shape().rows;
  Array<T> random(queue, n), unused(queue, n);
  System<T> system("estimate_bounds", queue, a, m, random, unused, options, 4);
  if (all_rows(system.comm, n) == 0) return {1, 1};
  const std::uint64_t first = first_row(system.comm, n);
  DeviceScalars<MinresScalars<A>> memory(queue);
  MinresScalars<A>* s = memory.data();
  const Vectors<T> q = system.q, v[2] = {system.vector(0), system.vector(1)};
  const Vectors<T> z[2] = {system.preconditioned ? system.vector(2) : v[0],
                           system.preconditioned ? system.vector(3) : v[1]};
  const auto run_step = [&](const auto& step, std::int64_t size) { sweep(queue, system.comm, size, step); };
  const auto precondition = [&](int k) {
    if (system.preconditioned)
      system.precondition(v[k], z[k], &s->vz);
    else
      system.dot_product(v[k], v[k], &s->vz);
  };
  const auto fetch = [&] { return read_back(queue, s); };
  const auto start = [&] {
    const MinresScalars<A> fresh;
    copy_bytes(queue, queue.device(), s, Device::host(), &fresh, sizeof(fresh));
    run_step(RandomStep<A>(arith(v[0].data), first), n);
    run_step(FillStep<A>(A{}, arith(v[1].data)), n);
    precondition(0);
    run_step(Gamma(s, Gamma::Then::start), 0);
    queue.wait();  // `fresh` is gone soon
  };

  start();
  std::vector<double> diagonal, beside;
  double largest = 0;
  for (int step = 0; step < num_steps; ++step) {
    const int now = step % 2, next = 1 - now;
    system.product(z[now], q, &s->zq);
    run_step(LanczosStep<A>{arith(q.data), arith(v[now].data), arith(v[next].data), s, true}, n);
    precondition(next);
    run_step(Gamma(s, Gamma::Then::shift), 0);
    const MinresScalars<A> state = fetch();
    if (step == 0 && system.scales().matrix == 1 && state.delta != 0 && std::isfinite(state.delta) &&
        std::abs(std::ilogb(state.delta)) > max_matrix_exponent<T>) {
      const int exponent = std::ilogb(state.delta);
      system.scale_products({.matrix = power_of_two<T>(-exponent), .inverse = power_of_two<T>(exponent)});
      start();
      step = -1;
      continue;
    }
    require(state.progress.active() || state.gamma == 0,
            "estimate_bounds: the preconditioner is not positive definite, or a number became NaN");
    diagonal.push_back(state.delta);
    largest = std::max({largest, std::abs(state.delta), state.gamma});
    if (state.gamma <= 10 * double{epsilon<A>} * largest) break;  // all of the space that this vector can see
    if (step + 1 < num_steps) beside.push_back(state.gamma);
  }
  beside.resize(diagonal.size() - 1);
  const int last = static_cast<int>(diagonal.size()) - 1;
  const double scale = system.preconditioned ? 1 : system.scales().matrix;  // M A has none
  return {eigenvalue(diagonal, beside, 0) / scale, 1.1 * eigenvalue(diagonal, beside, last) / scale};
}

template SpectralBounds estimate_bounds(Queue&, const Operator<float>&, const Operator<float>&, int);
template SpectralBounds estimate_bounds(Queue&, const Operator<double>&, const Operator<double>&, int);
template SpectralBounds estimate_bounds(Queue&, const Operator<std::complex<float>>&,
                                        const Operator<std::complex<float>>&, int);
template SpectralBounds estimate_bounds(Queue&, const Operator<std::complex<double>>&,
                                        const Operator<std::complex<double>>&, int);

}  // namespace millrace
