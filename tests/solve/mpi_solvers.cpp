// Solvers whose vectors are shared by several ranks: the same answer as one rank alone. Part of the program test_mpi.
#include "expect.hpp"
#include "millrace/solve/bicgstab.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/chebyshev.hpp"
#include "millrace/solve/gmres.hpp"
#include "millrace/solve/identity.hpp"
#include "millrace/solve/inverse.hpp"
#include "millrace/solve/kpm.hpp"
#include "millrace/solve/lanczos.hpp"
#include "millrace/solve/minres.hpp"

namespace millrace::testing {
namespace {

constexpr std::int64_t num_unknowns = 601;  // all ranks together

/// Row i: diagonal 2.5 + i % 3, `below` and `above` beside it. Every rank owns equal rows; x is gathered by a sum.
template <class T>
class RowsOfRank final : public Operator<T> {
 public:
  RowsOfRank(Comm comm, RealOf<T> below, RealOf<T> above)
      : comm_(comm), own_(even_part(num_unknowns, comm.rank(), comm.size())), below_(below), above_(above) {}
  Shape shape() const override { return {own_.second - own_.first, own_.second - own_.first}; }
  Comm comm() const override { return comm_; }
  Traffic traffic(int, bool) const override { return {}; }
  std::int64_t first() const { return own_.first; }

 private:
  void do_apply(Queue&, const ApplyRequest<T>& r) const override {
    using R = RealOf<T>;
    constexpr int parts = is_complex<T> ? 2 : 1;
    for (int v = 0; v < r.x.num; ++v) {
      const T* x = r.x.data + v * r.x.stride;
      T* y = r.y.data + v * r.y.stride;
      std::vector<T> all(num_unknowns);
      std::copy(x, x + r.x.size, all.begin() + own_.first);
      comm_.sum(std::span(reinterpret_cast<R*>(all.data()), num_unknowns * parts));
      for (std::int64_t i = own_.first; i < own_.second; ++i) {
        const auto at = static_cast<std::size_t>(i);
        T value = R(2.5 + static_cast<double>(i % 3)) * all[at];
        if (i > 0) value += below_ * all[at - 1];
        if (i + 1 < num_unknowns) value += above_ * all[at + 1];
        y[i - own_.first] = r.alpha * value + (r.beta == T(0) ? T(0) : r.beta * y[i - own_.first]);
      }
    }
  }
  Comm comm_;
  std::pair<std::int64_t, std::int64_t> own_;
  RealOf<T> below_, above_;
};

template <class T>
class MpiSolvers : public ::testing::Test {};
using AllScalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MpiSolvers, AllScalars);

TYPED_TEST(MpiSolvers, SameAsOneRankAlone) {
  using T = TypeParam;
  using R = RealOf<T>;
  const Comm world = Comm::world(), alone;
  const std::vector<T> b = random_vector<T>(num_unknowns, 1);
  const Solver<T> iterate = [](Queue& q, const Operator<T>& a, const Operator<T>& m, Vectors<const T> rhs, Vectors<T> x,
                               const SolveOptions& options) {
    return chebyshev(q, a, m, rhs, x, {0.5, 7}, options);
  };
  const SolveOptions options{.tolerance = sizeof(R) == 4 ? 1e-4 : 1e-10};
  const Solver<T> all[] = {cg<T>, minres<T>, bicgstab<T>, gmres<T>, fgmres<T>, iterate};
  for (const Solver<T>& solver : all) {
    const RowsOfRank<T> shared(world, R(-1), R(-1)), whole(alone, R(-1), R(-1));
    Queue queue(Device::host(), 1);
    std::vector<T> x(num_unknowns), y(static_cast<std::size_t>(shared.shape().rows));
    const Vectors<const T> own_b(Device::host(), b.data() + shared.first(), shared.shape().rows);
    const SolveReport one = solver(queue, whole, Identity<T>(whole), b, x, options);
    const SolveReport many = solver(queue, shared, Identity<T>(shared), own_b, y, options);
    EXPECT_TRUE(one.ok()) << one.reason;
    EXPECT_TRUE(many.ok()) << many.reason;
    EXPECT_NEAR(many.iterations, one.iterations, 1);
    EXPECT_NEAR(many.rhs_norm, one.rhs_norm, 1e-6 * one.rhs_norm);
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_NEAR(std::abs(y[i] - x[i + static_cast<std::size_t>(shared.first())]), 0, 1e3 * options.tolerance);
    double counts[1] = {static_cast<double>(many.iterations)};  // all ranks have made the same number
    world.max(counts);
    EXPECT_EQ(counts[0], many.iterations);
  }
}

TYPED_TEST(MpiSolvers, EigenvaluesAndMoments) {
  using T = TypeParam;
  using R = RealOf<T>;
  const RowsOfRank<T> shared(Comm::world(), R(-1), R(-1)), whole(Comm(), R(-1), R(-1));
  Queue queue(Device::host(), 1);
  const EigenOptions options{.tolerance = sizeof(R) == 4 ? 1e-4 : 1e-9};
  const EigenReport one = lanczos(queue, whole, 2, options), many = lanczos(queue, shared, 2, options);
  EXPECT_TRUE(one.ok() && many.ok()) << one.reason << '\n' << many.reason;
  for (std::size_t k = 0; k < 2; ++k)
    EXPECT_NEAR(many.values.at(k), one.values.at(k), 20 * options.tolerance * one.norm);
  const auto [low, high] = spectral_bounds(queue, shared);
  EXPECT_LE(low, one.values[0] + 1e-3);
  EXPECT_LE(high, 7);  // 4.5 + 2, and what few steps do not know
  EXPECT_GE(high, 6);
  const KpmOptions about{.num_moments = 8, .random_vectors = 64, .block = 1, .low = 0.4, .high = 6.6};
  const KpmReport expected = kpm(queue, whole, about), found = kpm(queue, shared, about);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(found.moments.at(k), expected.moments.at(k), 0.1);  // random vectors
}

// A matrix without symmetry, a preconditioner that is itself a solver, and a failure that all ranks see at once.
TYPED_TEST(MpiSolvers, UnsymmetricAndFailures) {
  using T = TypeParam;
  using R = RealOf<T>;
  const RowsOfRank<T> a(Comm::world(), R(-1.4), R(-0.6)), skew(Comm::world(), R(0), R(-9));
  const Identity<T> none(a);
  const auto n = static_cast<std::size_t>(a.shape().rows);
  Queue queue(Device::host(), 1);
  const std::vector<T> b(n, T(1));
  std::vector<T> x(n), y(n);
  const double tolerance = sizeof(R) == 4 ? 1e-4 : 1e-10;
  const SolveReport plain = bicgstab(queue, a, none, b, x, {.tolerance = tolerance});
  EXPECT_TRUE(plain.ok()) << plain.reason;
  const Inverse<T> inner = inverse(a, none, {.tolerance = 1e-2}, bicgstab<T>);
  const SolveReport nested = bicgstab(queue, a, inner, b, y, {.tolerance = tolerance});
  EXPECT_TRUE(nested.ok()) << nested.reason;
  EXPECT_LT(nested.iterations, plain.iterations);
  std::vector<T> z(n);
  const SolveReport failed = cg(queue, skew, none, b, z, {.tolerance = 1e-12, .max_iterations = 100});
  EXPECT_FALSE(failed.ok());
}

}  // namespace
}  // namespace millrace::testing
