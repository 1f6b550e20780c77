// Chebyshev moments by pairs, and the density that they make.
#include "millrace/solve/kpm.hpp"
#include "millrace/base/elapsed.hpp"

#include <cmath>
#include <numbers>

#include "millrace/base/thread_limit.hpp"
#include "millrace/solve/engine/agree.hpp"
#include "millrace/solve/engine/graph_segment.hpp"
#include "millrace/solve/engine/loop.hpp"
#include "millrace/solve/lanczos.hpp"
#include "millrace/solve/methods/kpm_steps.hpp"

namespace millrace {

using namespace detail;

namespace {

constexpr double margin = 0.005;    // of the half width, left free at both ends: the polynomials grow outside
constexpr int pairs_per_graph = 8;  // pairs of products that a graph holds

template <class T>
void check(const Queue& queue, const Operator<T>& a, const KpmOptions& options) {
  const auto [rows, cols] = a.shape();
  require(rows == cols, "kpm: A must be square; it is ", rows, " x ", cols);
  require(
      queue.device() == a.device(), "kpm: A lives on ", [&] { return to_string(a.device()); },
      ", so the queue must too; it is on ", [&] { return to_string(queue.device()); });
  require(options.num_moments >= 2 && options.random_vectors >= 1 && options.block >= 1 && options.num_points >= 0,
          "kpm: ", options.num_moments, " moments from ", options.random_vectors, " vectors in blocks of ",
          options.block, " at ", options.num_points, " points were asked for; at least 2, 1, 1 and 0 are accepted");
  require(options.low <= options.high, "kpm: the interval from ", options.low, " to ", options.high,
          " is empty; low < high, or equal to have it found");
  require_sums(queue.device(), a.comm());
}

}  // namespace

std::vector<double> jackson_density(const std::vector<double>& moments, int num_points) {
  const auto num = static_cast<double>(moments.size() + 1);
  const double angle = std::numbers::pi / num;
  std::vector<double> damped, density;
  for (std::size_t k = 0; k < moments.size(); ++k) {
    const double phase = angle * static_cast<double>(k);
    const double kernel = ((num - static_cast<double>(k)) * std::cos(phase) + std::sin(phase) / std::tan(angle)) / num;
    damped.push_back(kernel * moments[k] * (k == 0 ? 1 : 2));
  }
  for (int p = 0; p < num_points; ++p) {
    const double place = std::numbers::pi * (p + 0.5) / num_points;
    double sum = 0;
    for (std::size_t k = 0; k < damped.size(); ++k) sum += damped[k] * std::cos(place * static_cast<double>(k));
    density.push_back(sum / (std::numbers::pi * std::sin(place)));
  }
  return density;
}

template <class T>
KpmReport kpm(Queue& queue, const Operator<T>& a, const KpmOptions& options) {
  const ThreadLimit limit(queue);
  using A = Arith<T>;
  using R = RealOf<T>;
  const Comm comm = a.comm();
  together(comm, [&] { check(queue, a, options); });
  const std::int64_t n = a.shape().rows, global = all_rows(comm, n);
  require(global > 0, "kpm: A is empty; one row or more is accepted");
  const std::uint64_t first_here = first_row(comm, n);
  const auto begin = Clock::now();
  const Range range("kpm");
  KpmReport report;
  std::pair<double, double> bounds(options.low, options.high);
  if (bounds.first == bounds.second) bounds = spectral_bounds(queue, a, 30, options.seed + 17);
  const double middle = (bounds.first + bounds.second) / 2, reach = (bounds.second - bounds.first) / 2;
  const double half = reach > 0 ? reach * (1 + margin) : 1;
  report.low = middle - half;
  report.high = middle + half;

  const int pairs = options.num_moments / 2, block = std::min(options.block, options.random_vectors);
  Array<double> moments(queue, 2 * pairs + 2);
  sweep(queue, comm, moments.size(), FillStep<double>(0, moments.data()));
  DeviceScalars<KpmScalars> memory(queue, {.moments = moments.data()});
  Array<T> first(queue, n * block), second(queue, n * block);
  for (int done = 0; done < options.random_vectors; done += block) {
    const int num = std::min(block, options.random_vectors - done);
    const Vectors<T> v(queue.device(), first.data(), n, num), w(queue.device(), second.data(), n, num);
    // next = factor A~ now + beta next with A~ = (A - middle) / half
    const auto multiply = [&](double factor, Vectors<T> now, T beta, Vectors<T> next) {
      a.apply(queue, {.alpha = T(static_cast<R>(factor / half)), .x = now, .beta = beta, .y = next});
      const int apart = queue.device().on_host() ? num : 1;  // vectors one by one, as any number of ranks adds them
      const std::int64_t entries = n * num / apart;
      for (int k = 0; k < apart; ++k)
        sweep(queue, comm, entries,
              KpmStep<A>{static_cast<R>(factor * middle / half), arith(now.data + k * entries),
                         arith(next.data + k * entries), memory.data(), k + 1 == apart});
    };
    for (int k = 0; k < num; ++k) {
      const auto before = static_cast<std::uint64_t>((done + k) * global);  // numbers that other vectors have drawn
      sweep(queue, comm, n, SignStep<A>(arith(v.data + k * n), ((options.seed * 4099) << 36) + before + first_here));
    }
    static constexpr int begin_at = 1;  // moments[0], the trace of one, is n
    copy_bytes(queue, queue.device(), &memory.data()->count, Device::host(), &begin_at, sizeof(int));
    multiply(1, v, T{0}, w);
    GraphSegment many(
        comm,
        [&] {
          for (int i = 0; i < pairs_per_graph; ++i) multiply(2, w, T{-1}, v), multiply(2, v, T{-1}, w);
        },
        options.graph);
    int left = pairs - 1;
    for (; left >= 2 * pairs_per_graph; left -= 2 * pairs_per_graph) many.enqueue(queue);
    for (bool swapped = false; left > 0; --left, swapped = !swapped)
      multiply(2, swapped ? v : w, T{-1}, swapped ? w : v);
    queue.wait();  // before the graph goes
    report.iterations += pairs * num;
  }
  report.moments = moments.to_vector();
  const double weight = 1 / (static_cast<double>(global) * options.random_vectors);
  for (double& value : report.moments) value *= weight;
  report.moments[0] = 1;
  // [2k+1] is <v_k+1, v_k>, [2k+2] is <v_k+1, v_k+1>; T_i T_j = (T_i+j + T_|i-j|) / 2
  for (std::size_t k = 2; k < report.moments.size(); ++k)
    report.moments[k] = 2 * report.moments[k] - report.moments[k % 2];
  report.moments.resize(static_cast<std::size_t>(std::min<int>(options.num_moments, 2 * pairs + 1)));
  double largest = 0;
  for (const double value : report.moments) largest = std::max(largest, std::isfinite(value) ? std::abs(value) : 1e300);
  if (largest > 1.5) {
    const bool finite = largest < 1e300;
    report.end = finite ? SolveEnd::breakdown : SolveEnd::not_a_number;
    report.reason = join("a moment reached ", largest, " instead of at most 1: ",
                         finite ? "eigenvalues lie outside" : "NaN or Inf in the matrix, or eigenvalues far outside",
                         " of the interval from ", report.low, " to ", report.high);
  } else {
    report.reason = join(report.moments.size(), " moments from ", options.random_vectors, " random vectors");
  }
  const int points = options.num_points > 0 ? options.num_points : 2 * options.num_moments;
  const std::vector<double> density = jackson_density(report.moments, points);
  for (int p = points - 1; p >= 0; --p) {  // the points fall
    report.energies.push_back(middle + half * std::cos(std::numbers::pi * (p + 0.5) / points));
    report.density.push_back(density[static_cast<std::size_t>(p)] / half);
  }
  report.iteration_bytes =
      a.traffic(block, true).total() + 3. * static_cast<double>(n) * block * static_cast<double>(sizeof(T));
  report.seconds = seconds_since(begin);
  return report;
}

template KpmReport kpm(Queue&, const Operator<float>&, const KpmOptions&);
template KpmReport kpm(Queue&, const Operator<double>&, const KpmOptions&);
template KpmReport kpm(Queue&, const Operator<std::complex<float>>&, const KpmOptions&);
template KpmReport kpm(Queue&, const Operator<std::complex<double>>&, const KpmOptions&);

}  // namespace millrace
