// Lanczos' method with thick restarts: cycles on the device, the projected matrix on the host.
#include "millrace/solve/lanczos.hpp"

#include <chrono>

#include "millrace/solve/basis/krylov_basis.hpp"
#include "millrace/solve/basis/small_eigen.hpp"
#include "millrace/solve/engine/graph_segment.hpp"
#include "millrace/solve/engine/loop.hpp"
#include "millrace/solve/engine/steps.hpp"

namespace millrace {

using namespace detail;

namespace {

/// A V = V h + (a last row), with V the first `dimension` vectors of the Krylov basis.
template <class T>
class Process {
 public:
  using A = Arith<T>;
  using W = Wide<T>;

  Process(Queue& on, const Operator<T>& op, int size, Precision stored, bool graph)
      : queue(on),
        a(op),
        comm(op.comm()),
        n(op.shape().rows),
        m(size),
        v(queue, n, m + 1, stored),
        u(queue, n),
        w(queue, n),
        scalars(queue),
        small(queue, arnoldi_size(m + 1)),
        rotation(queue, m * m),
        arnoldi(make_arnoldi(m + 1, false, v.epsilon(), v.precision, scalars.data(), small.data())),
        h(static_cast<std::size_t>((m + 1) * (m + 1))),
        whole([this] { extend(kept); }, graph) {
    require_alone(queue.device(), comm);
  }

  /// A new direction, not one that a product made.
  void randomise(std::uint64_t seed) {
    const std::uint64_t stream = seed * 4099 + static_cast<std::uint64_t>(comm.rank());
    sweep(queue, comm, n, RandomStep<A>(arith(u.data()), stream << 36));
  }
  /// Fills the basis from `first` vectors on, and brings the projected matrix to the host.
  void cycle(int first, bool usual) {
    ArnoldiScalars<W> start;
    start.building = 1;
    start.first = start.columns = start.stored = first;
    copy_bytes(queue, queue.device(), scalars.data(), Device::host(), &start, sizeof(start));
    queue.wait();
    kept = first;
    if (usual)
      whole.enqueue(queue);
    else
      extend(first);
    queue.wait();
    now = to_host(scalars.data(), 1)[0];
    dimension = now.columns;
    iterations += dimension - first;
    project(first);
  }
  /// The last entry under the projected matrix: how much of A V is outside of V.
  double last() { return magnitude(at(dimension, dimension - 1)); }
  SmallEigen<W> eigen() {
    std::vector<W> matrix;
    for (int j = 0; j < dimension; ++j)
      for (int i = 0; i < dimension; ++i) matrix.push_back(at(i, j));
    return small_eigen(dimension, std::move(matrix));
  }
  /// The first `to` eigenvectors of the projected matrix replace the basis.
  void rotate(const SmallEigen<W>& eigen, int to) {
    if (!now.invariant) v.take_out(queue, dimension, u.data());
    copy_bytes(queue, queue.device(), rotation.data(), Device::host(), eigen.vectors.data(),
               static_cast<std::size_t>(dimension * to) * sizeof(W));
    v.rotate(queue, dimension, to, rotation.data());
    queue.wait();
    const W below = now.invariant ? W{} : at(dimension, dimension - 1);
    std::fill(h.begin(), h.end(), W{});
    for (int j = 0; j < to; ++j) {
      at(j, j) = eigen.values[static_cast<std::size_t>(j)] * one<W>();
      at(to, j) = below * eigen.vectors[static_cast<std::size_t>(j * dimension + dimension - 1)];
    }
  }

  template <class U>
  std::vector<U> to_host(const U* data, int count) {
    std::vector<U> values(static_cast<std::size_t>(count));
    copy_bytes(queue, Device::host(), values.data(), queue.device(), data, values.size() * sizeof(U));
    queue.wait();
    return values;
  }

  Queue& queue;
  const Operator<T>& a;
  Comm comm;
  std::int64_t n;
  int m, kept = 0, dimension = 0, iterations = 0;
  KrylovBasis<T> v;
  Array<T> u, w;
  DeviceScalars<ArnoldiScalars<W>> scalars;
  Array<W> small, rotation;
  Arnoldi<W> arnoldi;
  ArnoldiScalars<W> now{};

 private:
  W& at(int row, int column) { return h[static_cast<std::size_t>(column * (m + 1) + row)]; }

  void extend(int first) {
    for (int k = first; k < m; ++k) {
      a.apply(queue, {.x = u, .y = w});
      v.project(queue, comm, k, u.data(), w.data(), arnoldi);
      v.orthogonalise(queue, k, u.data(), w.data(), arnoldi);
    }
    v.project(queue, comm, m, u.data(), nullptr, arnoldi);
    v.orthogonalise(queue, m, u.data(), nullptr, arnoldi);
  }
  /// A U = V h' and U = V s give A V = V h: column j from what was multiplied, less what the columns before explain.
  void project(int first) {
    const auto all = to_host(small.data(), arnoldi_size(m + 1));
    const auto entry = [&](const W* matrix, int row, int column) {
      return all[static_cast<std::size_t>(matrix - small.data() + column * (m + 2) + row)];
    };
    for (int j = first; j < dimension; ++j) {
      const double alpha = real_part(entry(arnoldi.s, j, j));
      for (int i = 0; i <= m; ++i) {
        W sum = i <= j + 1 ? entry(arnoldi.h, i, j) : W{};
        for (int c = 0; c < j; ++c) sum = sum - at(i, c) * entry(arnoldi.s, c, j);
        at(i, j) = (1 / alpha) * sum;
      }
    }
  }

  std::vector<W> h;  // [m + 1, m + 1] column after column
  GraphSegment whole;
};

template <class T>
void check(const Queue& queue, const Operator<T>& a, int num, const EigenOptions& options, const Vectors<T>& vectors) {
  const auto [rows, cols] = a.shape();
  require(rows == cols, "lanczos: A must be square; it is ", rows, " x ", cols);
  require(num >= 1 && (num <= rows || a.comm().size() > 1), "lanczos: ", num, " eigenvalues were asked for; A has ",
          rows, ", so 1 to ", rows, " are accepted");
  require(options.krylov_vectors == 0 || options.krylov_vectors > num, "lanczos: a Krylov basis of ",
          options.krylov_vectors, " vectors for ", num, " eigenvalues was asked for; 0 (automatic) or more than ", num,
          " are accepted");
  require(options.krylov_vectors <= 400 && num < 400, "lanczos: at most 400 vectors of the Krylov basis are accepted; ",
          options.krylov_vectors, " for ", num, " eigenvalues were asked for");
  require(
      queue.device() == a.device() && (!vectors.data || vectors.device == a.device()), "lanczos: A lives on ",
      [&] { return to_string(a.device()); }, ", so the queue and the vectors must too");
  require(!vectors.data || (vectors.size == rows && vectors.num == num), "lanczos: room for ", num, " vectors of ",
          rows, " entries is needed; there are ", vectors.num, " of ", vectors.size);
}

// |A v - theta v| of the first vectors of the Krylov basis, which go to the user in the user's order.
template <class T>
void finish(Process<T>& p, EigenReport& report, const Vectors<T>& vectors) {
  Array<T> squares(p.queue, std::ssize(report.values));
  for (int k = 0; k < static_cast<int>(report.values.size()); ++k) {
    const T theta(static_cast<RealOf<T>>(report.values[static_cast<std::size_t>(k)]));
    p.v.take_out(p.queue, k, p.u.data());
    if (vectors.data) {
      T* to = vectors.data + k * vectors.stride;
      if (const Array<Index>* order = p.a.permutation())
        sweep(p.queue, p.comm, p.n, PermuteStep<Arith<T>>(order->data(), arith(p.u.data()), arith(to), true));
      else
        p.v.take_out(p.queue, k, to);
    }
    p.v.take_out(p.queue, k, p.w.data());
    p.a.apply(p.queue, {.x = p.u, .beta = -theta, .y = p.w, .dot = DotWith::result, .dot_result = squares.data() + k});
  }
  auto found = p.to_host(squares.data(), static_cast<int>(squares.size()));
  sum_over_ranks(p.comm, arith(found.data()), std::ssize(found));
  for (const T& square : found) report.residuals.push_back(std::sqrt(double{std::abs(square)}));
}

template <class T>
double cycle_bytes(const Process<T>& p, int keep) {
  const auto vector = static_cast<double>(p.n) * sizeof(T), stored = static_cast<double>(p.v.vector_bytes());
  double bytes = p.m * stored + vector + p.m * stored + vector + stored;  // the last vector
  for (int k = keep; k < p.m; ++k) bytes += p.a.traffic().total() + 2 * (k * stored + 2 * vector) + stored + vector;
  return bytes + (p.m + keep) * stored + stored + vector;  // the restart
}

}  // namespace

template <class T>
EigenReport lanczos(Queue& queue, const Operator<T>& a, int num, const EigenOptions& options,
                    std::type_identity_t<Vectors<T>> vectors) {
  check(queue, a, num, options, vectors);
  const auto begin = std::chrono::steady_clock::now();
  const Range range("lanczos");
  std::int64_t global = a.shape().rows;
  a.comm().sum(std::span(&global, 1));
  const int wanted = options.krylov_vectors > 0 ? options.krylov_vectors : std::max(2 * num + 10, 30);
  Process<T> p(queue, a, static_cast<int>(std::min<std::int64_t>(global, wanted)), options.krylov_precision,
               options.graph);
  const int usual = std::min(num + (p.m - num) / 3, p.m - 1);
  EigenReport report;
  report.iteration_bytes = cycle_bytes(p, usual) / std::max(p.m - usual, 1);
  p.randomise(options.seed);
  int keep = 0;
  SmallEigen<Wide<T>> eigen;
  for (;; ++report.restarts) {
    p.cycle(keep, keep == usual && keep > 0);
    if (p.now.progress.status == static_cast<int>(SolveEnd::not_a_number)) {
      report.end = SolveEnd::not_a_number;
      report.reason = join("a number became NaN or Inf after ", p.iterations,
                           " products: the matrix holds one, or the numbers overflowed");
      break;
    }
    eigen = p.eigen();
    for (const double value : eigen.values) report.norm = std::max(report.norm, std::abs(value));
    const int found = std::min(num, p.dimension);
    double residual = 0;
    if (!p.now.invariant)
      for (int k = 0; k < found; ++k)
        residual = std::max(
            residual, p.last() * magnitude(eigen.vectors[static_cast<std::size_t>(k * p.dimension + p.dimension - 1)]));
    const bool enough = found == num && residual <= options.tolerance * report.norm;
    const bool stopped = options.monitor && !options.monitor(p.iterations, residual);
    if (enough || stopped || p.iterations >= options.max_iterations || p.dimension == global) {
      report.end = enough || p.dimension == global ? SolveEnd::converged
                   : stopped                       ? SolveEnd::stopped
                                                   : SolveEnd::max_iterations;
      report.values.assign(eigen.values.begin(), eigen.values.begin() + found);
      p.rotate(eigen, found);
      finish(p, report, vectors);
      const double worst = *std::max_element(report.residuals.begin(), report.residuals.end());
      report.reason = join(num, " eigenvalues, residuals up to ", worst, " after ", p.iterations, " products and ",
                           report.restarts, " restarts");
      if (p.now.invariant) report.reason += "; A maps the space that was built into itself";
      if (report.end == SolveEnd::max_iterations)
        report.reason += ", the most that were allowed: allow more, or a larger Krylov basis";
      if (report.end == SolveEnd::stopped) report.reason += "; the monitor stopped it";
      break;
    }
    keep = p.now.invariant ? p.dimension : usual;
    p.rotate(eigen, keep);
    if (p.now.invariant) p.randomise(options.seed + static_cast<std::uint64_t>(report.restarts) + 1);
  }
  report.iterations = p.iterations;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

template <class T>
std::pair<double, double> spectral_bounds(Queue& queue, const Operator<T>& a, int steps, std::uint64_t seed) {
  check(queue, a, 1, {}, Vectors<T>{});
  require(steps >= 1 && steps <= 400, "spectral_bounds: ", steps, " steps were asked for; 1 to 400 are accepted");
  std::int64_t global = a.shape().rows;
  a.comm().sum(std::span(&global, 1));
  Process<T> p(queue, a, static_cast<int>(std::min<std::int64_t>(global, steps)), Precision::full, false);
  p.randomise(seed);
  p.cycle(0, false);
  require(p.dimension > 0 && p.now.progress.active(), "spectral_bounds: the operator made NaN or Inf");
  const auto eigen = p.eigen();
  const double outside = p.now.invariant ? 0 : p.last();
  return {eigen.values.front() - outside, eigen.values.back() + outside};
}

template EigenReport lanczos(Queue&, const Operator<float>&, int, const EigenOptions&, Vectors<float>);
template EigenReport lanczos(Queue&, const Operator<double>&, int, const EigenOptions&, Vectors<double>);
template EigenReport lanczos(Queue&, const Operator<std::complex<float>>&, int, const EigenOptions&,
                             Vectors<std::complex<float>>);
template EigenReport lanczos(Queue&, const Operator<std::complex<double>>&, int, const EigenOptions&,
                             Vectors<std::complex<double>>);
template std::pair<double, double> spectral_bounds(Queue&, const Operator<float>&, int, std::uint64_t);
template std::pair<double, double> spectral_bounds(Queue&, const Operator<double>&, int, std::uint64_t);
template std::pair<double, double> spectral_bounds(Queue&, const Operator<std::complex<float>>&, int, std::uint64_t);
template std::pair<double, double> spectral_bounds(Queue&, const Operator<std::complex<double>>&, int, std::uint64_t);

}  // namespace millrace
