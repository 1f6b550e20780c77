// Multigrid of patterns that nobody would design: it neither crashes nor hangs, and says NaN before it meets one.
#include <array>
#include <optional>
#include <random>

#include "millrace/precond/amg.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/gmres.hpp"
#include "multigrid/multigrid_tools.hpp"

namespace millrace::testing {
namespace {

using Rows = std::vector<std::vector<std::pair<Index, double>>>;  // columns in any order, also twice

/// Entries, and what makes them odd, all by chance.
class OddMatrix {
 public:
  explicit OddMatrix(unsigned seed) : random_(seed) {
    constexpr Index sizes[] = {1, 2, 3, 40, 300, 1000};
    n_ = sizes[random_() % 6];
    rows_.resize(to_size(n_));
    const unsigned kind = static_cast<unsigned>(random_() % 5);
    if (kind < 3) add_chain(kind == 1);
    if (kind == 2 || kind == 3) add_random(kind == 2);  // 4: the zero matrix, but for what follows
    if (chance()) add_dense_row();
    if (chance()) empty_rows();
    if (chance()) zero_diagonals();
    if (chance()) repeat();
    if (chance()) cut_in_two();
  }
  Index size() const { return n_; }
  Csr<double> csr() const { return csr_of<double>(n_, rows_); }
  AmgOptions options() {
    AmgOptions o;
    o.theta = std::array{0.0, 0.25, 0.5, 5.0}[random_() % 4];
    o.coarsest_rows = std::array{0, 1, 20, 400}[random_() % 4];
    o.block = n_ % 2 == 0 && chance() ? 2 : 1;
    o.damping = chance() ? 0 : 4.0 / 3;
    o.cycle = std::array{AmgCycle::v, AmgCycle::w, AmgCycle::k}[random_() % 3];
    o.cycle_from = static_cast<int>(random_() % 2);
    o.smoother = std::array{AmgSmoother::chebyshev, AmgSmoother::fourth_kind, AmgSmoother::fourth_kind_optimal,
                            AmgSmoother::l1_jacobi, AmgSmoother::block_jacobi}[random_() % 5];
    o.degree = 1 + static_cast<int>(random_() % 3);
    o.precision = std::array{Precision::full, Precision::single, Precision::bfloat16}[random_() % 3];
    o.max_levels = 1 + static_cast<int>(random_() % 10);
    return o;
  }

 private:
  bool chance() { return random_() % 3 == 0; }
  Index any() { return static_cast<Index>(random_() % static_cast<unsigned>(n_)); }
  double value() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  void add(Index r, Index c, double v) { rows_[to_size(r)].push_back({c, v}); }

  void add_chain(bool weak) {
    for (Index i = 0; i < n_; ++i) {
      add(i, i, 2);
      if (i > 0) add(i, i - 1, weak ? -1e-9 : -1);
      if (i + 1 < n_) add(i, i + 1, weak ? -1e-9 : -1);
    }
  }
  void add_random(bool symmetric) {
    for (Index k = 0; k < 4 * n_; ++k) {
      const Index r = any(), c = any();
      const double v = value();
      add(r, c, v);
      if (symmetric && r != c) add(c, r, v);
    }
  }
  void add_dense_row() {
    const Index r = any();
    for (Index c = 0; c < n_; ++c) add(r, c, value());
  }
  void empty_rows() {
    for (Index k = 0; k <= n_ / 10; ++k) rows_[to_size(any())].clear();
  }
  void zero_diagonals() {
    for (Index k = 0; k <= n_ / 5; ++k) {
      const Index r = any();
      std::erase_if(rows_[to_size(r)], [&](const auto& entry) { return entry.first == r; });
      if (chance()) add(r, r, 0);
    }
  }
  void repeat() {
    for (Index k = 0; k <= n_ / 5; ++k) {
      const Index r = any(), other = any();
      if (chance())
        rows_[to_size(r)] = rows_[to_size(other)];
      else if (!rows_[to_size(r)].empty())
        rows_[to_size(r)].push_back(rows_[to_size(r)].front());
    }
  }
  void cut_in_two() {
    const Index half = n_ / 2;
    for (Index r = 0; r < n_; ++r)
      std::erase_if(rows_[to_size(r)], [&](const auto& entry) { return (entry.first < half) != (r < half); });
  }

  std::mt19937 random_;
  Index n_ = 0;
  Rows rows_;
};

}  // namespace

TEST(AmgFuzz, OddPatternsEndInAnOperator) {
  Queue queue(Device::host(), 2);
  int made = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    OddMatrix odd(seed);
    const Csr<double> a = odd.csr();
    const AmgOptions options = odd.options();
    std::optional<Amg<double>> found;
    try {
      found.emplace(queue, a, options);
    } catch (const Error& error) {  // diagonals hold a place once
      EXPECT_NE(std::string(error.what()).find(" twice; add repeated entries up first"), std::string::npos)
          << error.what();
      continue;
    }
    Amg<double>& m = *found;
    ++made;
    ASSERT_GE(m.report().levels.size(), 1U);
    EXPECT_LE(std::ssize(m.report().levels), options.max_levels);
    EXPECT_LT(m.report().operator_complexity, 20);
    EXPECT_FALSE(m.report().text().empty());
    const auto x = random_vector<double>(odd.size(), 3);
    const auto y = apply_to<double>(m, x, 2);
    for (const double value : y) ASSERT_TRUE(std::isfinite(value));
    m.update_values(queue, a);
    EXPECT_EQ(apply_to<double>(m, x, 1), y);  // the same bits
    if (seed % 5 == 0) {
      const SparseMatrix<double> op(a, "csr");
      std::vector<double> solution(x.size(), 0.0);
      const SolveReport report = fgmres(queue, op, m, x, solution, {.tolerance = 1e-8, .max_iterations = 20});
      EXPECT_LE(report.iterations, 20);
      EXPECT_FALSE(report.reason.empty());
    }
  }
  EXPECT_GT(made, 200);
}

TEST(AmgFuzz, NotANumberIsRefusedWithItsRow) {
  Queue queue;
  for (unsigned seed = 0; seed < 40; ++seed) {
    OddMatrix odd(seed);
    Csr<double> a = odd.csr();
    if (a.num_entries() == 0) continue;
    a = sort_rows(a);
    const AmgOptions options = odd.options();
    const Amg<double> sound(queue, a, options);
    const Offset at = static_cast<Offset>(seed * 7919U) % a.num_entries();
    a.vals.data()[at] = seed % 2 == 0 ? NAN : -INFINITY;
    const std::string text = error_of([&] { Amg<double>(queue, a, options); });
    const bool in_range = text.find("beyond the range") == std::string::npos;  // of a float, which is looked at first
    EXPECT_TRUE(!in_range || text.find("has a number that is not finite") != std::string::npos) << text;
    EXPECT_TRUE(in_range || options.precision != Precision::full) << text;
  }
}

TEST(AmgFuzz, NumbersOfAnySizeAreTakenOrRefused) {
  Queue queue;
  int refused = 0;
  for (const double size : {1e-300, 1e-40, 1e-20, 1e20, 1e40, 1e150})
    for (const Precision precision : {Precision::full, Precision::single, Precision::bfloat16}) {
      Csr<double> a = gallery::make("laplace2d5:n=40");
      for (double& value : a.vals.span()) value *= size;
      try {
        const Amg<double> m(queue, a, {.coarsest_rows = 30, .precision = precision});
        static_cast<void>(apply_to<double>(m, random_vector<double>(a.num_rows, 3)));
      } catch (const Error& error) {
        ++refused;
        EXPECT_NE(std::string(error.what()).find("amg: "), std::string::npos) << error.what();
        EXPECT_NE(precision, Precision::full) << size;
      }
    }
  EXPECT_GE(refused, 2);  // 1e40 is no float
}

TEST(AmgFuzz, NeumannAndConvectionOfOddShapesAreSolved) {
  Queue queue;
  for (const auto& [nx, ny] : {std::pair{1, 900}, {900, 1}, {3, 400}, {61, 37}}) {
    SCOPED_TRACE(nx);
    const Csr<double> csr = neumann_grid(nx, ny);
    const SparseMatrix<double> a(csr, "csr");
    const Amg<double> m(queue, csr, {.coarsest_rows = 50});
    EXPECT_EQ(m.report().null_vectors, 1);
    std::vector<double> b = apply_to<double>(a, random_vector<double>(csr.num_rows, 5)), x(b.size(), 0.0);
    const SolveReport by_cg = cg(queue, a, m, b, x, {.tolerance = 1e-8, .max_iterations = 60});
    EXPECT_TRUE(by_cg.ok()) << by_cg.reason;
    Csr<double> windy = csr.clone();  // what comes from the left counts more, and a reaction keeps it regular
    for (Index r = 0; r < windy.num_rows; ++r)
      for (Offset s = windy.row_begin(r); s < windy.row_begin(r + 1); ++s) {
        const Index c = windy.cols.data()[s];
        if (c < r) windy.vals.data()[s] *= 1.8;
        if (c == r) windy.vals.data()[s] *= 1.45;
      }
    const SparseMatrix<double> flow(windy, "csr");
    const Amg<double> n(queue, windy, {.coarsest_rows = 50});
    std::vector<double> y(b.size(), 0.0);
    const SolveReport by_gmres = gmres(queue, flow, n, b, y, {.tolerance = 1e-8, .max_iterations = 60});
    EXPECT_TRUE(by_gmres.ok()) << by_gmres.reason;
  }
}

}  // namespace millrace::testing
