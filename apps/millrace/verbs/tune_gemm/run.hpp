// Times the ways to multiply a table with many columns: what `millrace tune-gemm` chooses from.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "millrace/base/timer.hpp"
#include "millrace/fem/gemm/choice.hpp"

namespace millrace::command {

/// One product to tune.
struct GemmCase {
  std::string name;  // "order 3 grad transposed", "27 x 64"
  GemmShape shape{};
  std::vector<double> table{};  // [m, k], transposed [k, m]
};

struct GemmPoint {
  std::string name, precision;
  GemmShape shape{};
  std::string variant;  // of gemm.hpp, or "loop" on the host
  Samples samples{};

  double gflop_s() const { return 2e-9 * shape.m * static_cast<double>(shape.n) * shape.k / samples.median(); }
};

struct GemmTuning {
  std::vector<int> etas{};  // of both kernels, beside the product of all columns at once; empty: a usual choice
  double min_time = 0.002;  // seconds of samples per point
  double max_flops = 5e10;  // of one product: the plain loop takes its time; larger ones are left out
};

/// The actions of tets of an order with the rule of the bake-off problems, for n columns.
std::vector<GemmCase> tet_cases(int order, std::int64_t n);
/// A table of any size: values at Q points from P nodes.
GemmCase plain_case(int num_nodes, int num_points, std::int64_t n);

/// All points of all cases, each checked against a plain loop before it is timed; `progress` gets 0..1.
template <class T>
std::vector<GemmPoint> tune_gemm(Queue& queue, const std::vector<GemmCase>& cases, const GemmTuning& tuning,
                                 const std::function<void(double)>& progress);

/// The fastest variants of every shape.
GemmTable best_variants(const std::vector<GemmPoint>& points);

}  // namespace millrace::command
