// The bytes of a report against a sum: products and applications as an operator counted them, and the vectors that each
// solver's header promises.
#include <array>

#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

/// Counts how often it is applied.
class Counting final : public Operator<double> {
 public:
  explicit Counting(const Csr<double>& csr) : matrix_(csr, "csr") {}
  Shape shape() const override { return matrix_.shape(); }
  Traffic traffic(int num, bool reads_y) const override { return matrix_.traffic(num, reads_y); }
  mutable int calls = 0, reading = 0;  // without and with y read

 private:
  void do_apply(Queue& queue, const ApplyRequest<double>& request) const override {
    (request.beta == 0 ? calls : reading) += 1;
    matrix_.apply(queue, request);
  }
  SparseMatrix<double> matrix_;
};

struct VectorsMoved {
  double iteration, start, end = 0;  // vectors moved beside products and applications, dot products included
};

TEST(SolveBytes, AreThoseThatWereMoved) {
  constexpr Index m = 20;
  constexpr double vector = m * m * 8.0;
  const std::vector<double> b = random_vector<double>(m * m, 1);
  Queue queue;
  // Dot products of a product that does not fuse them read 2 vectors. In the order of cases<T>().
  const std::pair<const char*, std::array<VectorsMoved, 2>> expected[] = {
      {"cg", {{{8 + 2, 3}, {8 + 4, 2}}}},       {"bicgstab", {{{18, 3}, {19, 3}}}},
      {"bicgstab, left", {{{18, 3}, {18, 6}}}}, {"minres", {{{10 + 2, 6, 3}, {13 + 4, 7, 3}}}},
      {"chebyshev", {{{7, 2}, {9, 2}}}},
  };
  const auto all = cases<double>();
  for (std::size_t k = 0; k < std::size(expected); ++k)
    for (const int preconditioned : {0, 1})
      for (const int most : {0, 1, 7, 1000}) {
        const Case<double>& c = all[k];
        ASSERT_EQ(c.name, expected[k].first);
        SCOPED_TRACE(c.name + ", " + std::to_string(most) + (preconditioned ? ", diagonal" : ""));
        const Csr<double> csr = c.matrix(m);
        std::vector<Triplet<double>> inverse;
        for (Index r = 0; r < m * m; ++r) inverse.push_back({r, r, 0.25});
        const Counting a(csr), diagonal(make_csr(m * m, m * m, inverse));
        const Identity<double> none(a);
        const Operator<double>& used = preconditioned ? static_cast<const Operator<double>&>(diagonal) : none;
        std::vector<double> x(b.size());
        const SolveReport report = c.solver(queue, a, used, b, x, {.max_iterations = most});
        EXPECT_EQ(report.ok(), most == 1000) << report.reason;
        const VectorsMoved v = expected[k].second[static_cast<std::size_t>(preconditioned)];
        const double started = most > 0 ? 1 : 0;
        // x kept, the first residual and the one after the last iteration
        const double edge = 2 + 3 + started * (v.start + v.end + 3);
        const double counted =
            a.calls * a.traffic(1, false).total() + diagonal.calls * diagonal.traffic(1, false).total();
        EXPECT_DOUBLE_EQ(report.bytes, counted + (edge + report.iterations * v.iteration) * vector);
        const double each = c.name.starts_with("bicgstab") ? 2 : 1;
        EXPECT_EQ(a.calls, each * report.iterations + 1 + started);
        if (c.name == "cg") {
          EXPECT_EQ(diagonal.calls, preconditioned * report.iterations);  // none in vain
        }
        EXPECT_DOUBLE_EQ(report.iteration_bytes,
                         each * (a.traffic(1, false).total() + preconditioned * diagonal.traffic(1, false).total()) +
                             v.iteration * vector);
      }
}

// The whole of GMRES: cycles of j = 0, 1, ... as test_gmres.cpp has them, and the edge.
TEST(SolveBytes, OfGmresAreThoseThatWereMoved) {
  constexpr double vector = 400 * 8;
  const Csr<double> csr = laplacian<double>(20, 0.2, 0.3);
  std::vector<Triplet<double>> inverse;
  for (Index r = 0; r < 400; ++r) inverse.push_back({r, r, 0.25});
  const std::vector<double> b = random_vector<double>(400, 1);
  Queue queue;
  for (const int restart : {1, 7, 30, 300})
    for (const Side side : {Side::left, Side::right}) {
      const Counting a(csr), m(make_csr(400, 400, inverse));
      std::vector<double> x(400);
      const SolveReport report = gmres(queue, a, m, b, x, {.max_iterations = 5000, .restart = restart, .side = side});
      EXPECT_TRUE(report.ok()) << report.reason;
      double vectors = 2 + 3 + 3 + 3;  // x kept, the first residual, again by the method, and the last
      for (int left = report.iterations; left > 0; left -= restart) {
        const int cycle = std::min(left, restart);
        for (int j = 0; j < cycle; ++j) vectors += j + 2 + (j + 1 < cycle ? j + 4 : 0);
        vectors += cycle + (side == Side::left ? 2 : 1) + 3;  // the combination, and the residual
      }
      const double counted = a.calls * a.traffic(1, false).total() + m.calls * m.traffic(1, false).total() +
                             m.reading * m.traffic(1, true).total();
      EXPECT_DOUBLE_EQ(report.bytes, counted + vectors * vector) << restart;
    }
}

}  // namespace
}  // namespace millrace::testing
