// Small dense matrices, ours beside Eigen's: LU factors with partial pivoting, solves with as many right-hand sides as
// rows, and products, on one thread. HDG factorises one such matrix per cell and step. Every answer is checked.
//
// usage: benchmark_dense OUT.json [small]
#include "millrace/base/dense.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "millrace/base/timer.hpp"
#include "millrace/bench/record.hpp"
#include "program.hpp"

namespace {

using namespace millrace;
using Json = nlohmann::ordered_json;
using Matrix = Eigen::MatrixXd;

constexpr double at_least_flops = 2e6;  // per sample: so many matrices that the clock is fine enough

/// Numbers in [-1, 1], and a diagonal that keeps the matrix well conditioned and yet has rows swapped.
Matrix random_matrix(Index n, unsigned seed, double diagonal) {
  std::srand(seed);
  Matrix a = Matrix::Random(n, n);
  a.diagonal().array() += diagonal;
  return a;
}

dense::Block<double> block(Matrix& a) { return {a.data(), static_cast<Index>(a.rows()), static_cast<Index>(a.cols())}; }
dense::Block<const double> block(const Matrix& a) {
  return {a.data(), static_cast<Index>(a.rows()), static_cast<Index>(a.cols())};
}

struct Bench {
  Queue& queue;
  TimingOptions timing;
  Json points = Json::array();
};

/// Times `work`, which does one task of `flops`; `error`: of what it leaves, over the size of the answer.
template <class Work>
void add_point(Bench& bench, Index n, const char* task, const char* contender, double flops, Work&& work,
               double error) {
  require(error < 1e-12, "n = ", n, ", ", task, " by ", contender, ": an error of ", error);
  const int times = std::max(1, static_cast<int>(at_least_flops / flops));
  Samples samples = time(
      bench.queue,
      [&] {
        for (int k = 0; k < times; ++k) work();
      },
      bench.timing);
  Json list = Json::array();
  for (double& seconds : samples.seconds) {
    seconds /= times;
    list.push_back(seconds * 1e6);
  }
  const double rate = flops / samples.median() * 1e-9;
  fmt::print("n {:>4}  {:<10} {:<6} {:>10.3f} us {:>7.2f} GFLOP/s\n", n, task, contender, samples.median() * 1e6, rate);
  bench.points.push_back({{"n", n},
                          {"task", task},
                          {"contender", contender},
                          {"flops", flops},
                          {"error", error},
                          {"samples_us", list},
                          {"median_us", samples.median() * 1e6},
                          {"spread", samples.spread()},
                          {"gflop_s", rate}});
}

double relative(const Matrix& difference, const Matrix& whole) { return difference.norm() / whole.norm(); }

/// P^-1 L U of factors as dense::factorise leaves them.
Matrix multiplied(const Matrix& factors, const std::vector<Index>& pivots) {
  Matrix product = factors.triangularView<Eigen::UnitLower>() * Matrix(factors.triangularView<Eigen::Upper>());
  for (auto k = std::ssize(pivots) - 1; k >= 0; --k)
    product.row(k).swap(product.row(pivots[static_cast<std::size_t>(k)]));
  return product;
}

void measure(Bench& bench, Index n) {
  const Matrix a = random_matrix(n, 1, std::sqrt(n)), b = random_matrix(n, 2, 0);
  const double cube = std::pow(n, 3);
  Matrix factors = a, x = b, c = Matrix::Zero(n, n);
  std::vector<Index> pivots(static_cast<std::size_t>(n));
  const auto factorise = [&] {
    factors = a;  // part of the task for both
    require(dense::factorise(block(factors), pivots.data()) == 0, "a matrix of random numbers is singular");
  };
  const auto solve = [&] {
    x = b;
    dense::solve(block(std::as_const(factors)), pivots.data(), block(x));
  };
  const auto multiply = [&] {
    c.setZero();
    dense::add_product(block(a), block(b), block(c));
  };
  factorise();
  solve();
  multiply();
  const double factors_error = relative(multiplied(factors, pivots) - a, a), solve_error = relative(a * x - b, b);
  const Matrix product = a.lazyProduct(b);
  const double product_error = relative(c - product, product);

  Eigen::PartialPivLU<Matrix> lu(n);
  Matrix y, d;
  const auto eigen_factorise = [&] { lu.compute(a); };
  const auto eigen_solve = [&] { y = lu.solve(b); };
  const auto eigen_multiply = [&] { d.noalias() = a * b; };
  eigen_factorise();
  eigen_solve();
  eigen_multiply();

  add_point(bench, n, "factorise", "own", 2 * cube / 3, factorise, factors_error);
  add_point(bench, n, "factorise", "eigen", 2 * cube / 3, eigen_factorise, relative(lu.reconstructedMatrix() - a, a));
  add_point(bench, n, "solve", "own", 2 * cube, solve, solve_error);
  add_point(bench, n, "solve", "eigen", 2 * cube, eigen_solve, relative(a * y - b, b));
  add_point(bench, n, "product", "own", 2 * cube, multiply, product_error);
  add_point(bench, n, "product", "eigen", 2 * cube, eigen_multiply, relative(d - product, product));
}

int run(int argc, char** argv) {
  require(argc >= 2, "usage: benchmark_dense OUT.json [small]");
  const bool small = argc > 2 && std::string_view(argv[2]) == "small";
  Queue queue(Device::host(), 1);
  Eigen::setNbThreads(1);
  Bench bench{queue, {.warm_ups = 2, .min_runs = small ? 1 : 15, .max_runs = small ? 1 : 60, .max_seconds = 0.3}};
  for (const Index n : small ? std::vector<Index>{8, 40} : std::vector<Index>{8, 12, 16, 24, 40, 60, 84, 100, 175, 250})
    measure(bench, n);
  bench::write_json(argv[1], bench::points_record("millrace.dense", Device::host(), measure_bandwidth(queue),
                                                  std::move(bench.points)));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return millrace::program::guarded("benchmark_dense", [&] { return run(argc, argv); });
}
