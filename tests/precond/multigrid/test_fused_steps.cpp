// Steps of a smoother that are products whose rows are used at once: as the plain ones, and where their result is.
#include "millrace/precond/multigrid/fused_steps.hpp"

#include "millrace/precond/multigrid/smoother.hpp"
#include "multigrid_tools.hpp"

namespace millrace::testing {
namespace {

using namespace multigrid;

/// As a GPU does it, row after row; and it counts the vectors that it moves beside x and the result of a product.
class FusedOnHost final : public FusedMatrix<double> {
 public:
  FusedOnHost(const SparseMatrix<double>& a, bool skips) : a_(a), skips_(skips) {}
  Shape shape() const override { return a_.shape(); }
  Traffic traffic(int num_vectors, bool reads_y) const override { return a_.traffic(num_vectors, reads_y); }
  bool skips_first() const override { return skips_; }
  void step(Queue& queue, const FusedStep<double>& step) const override {
    FusedStep<double> rest = step;
    num_vectors += (step.x ? 2 : 1) + (step.before ? 1 : 0);
    EXPECT_NE(step.x, step.to);
    EXPECT_EQ(step.keep == 0 && step.before, false);
    if (step.x) return multiply(queue, step.x, step);
    EXPECT_TRUE(skips_ && !step.before);
    std::vector<double> x(to_size(shape().rows));
    const ScaledVector<double> scaled{step.first, step.inverse, step.b};
    for (Index r = 0; r < shape().rows; ++r) x[to_size(r)] = scaled[r];
    rest.first = 0;
    multiply(queue, x.data(), rest);
  }
  void residual(Queue& queue, const double* x, const FusedResidual<double>& residual) const override {
    multiply(queue, x, residual);
  }

  mutable double num_vectors = 0;

 private:
  void do_apply(Queue& queue, const ApplyRequest<double>& request) const override { a_.apply(queue, request); }
  template <class To>
  void multiply(Queue& queue, const double* x, const To& to) const {
    std::vector<double> product(to_size(shape().rows));
    a_.apply(queue, {.x = {Device::host(), x, shape().cols}, .y = product});
    for (Index r = 0; r < shape().rows; ++r) to.store(r, to.load(r), x[r], product[to_size(r)]);
  }

  const SparseMatrix<double>& a_;
  bool skips_;
};

/// Both smoothings of a cycle, plain and fused, x not being there before the first.
void expect_as_plain(const AmgOptions& options, bool skips) {
  SCOPED_TRACE(::testing::Message() << int(options.smoother) << ", degree " << options.degree << ", skips " << skips);
  Queue queue;
  const Csr<double> csr = gallery::make("laplace2d5:nx=12,ny=9,contrast=9");
  const SparseMatrix<double> a(csr, "csr");
  const std::size_t n = to_size(a.shape().rows);
  const auto b = random_vector<double>(a.shape().rows, 1), correction = random_vector<double>(a.shape().rows, 2);
  std::vector<double> inverse(n), x(n, NAN), r(n, NAN), z(n, NAN), q(n, NAN), fused_x(n, NAN), fused_other(n, NAN);
  const std::vector<double> dense = dense_of(csr);
  for (std::size_t i = 0; i < n; ++i) inverse[i] = 1 / dense[(n + 1) * i];
  const auto steps = smoother_steps(options, 2);
  ASSERT_TRUE(can_fuse(steps));
  const SmootherMemory<double> memory{r.data(), z.data(), q.data()};
  const FusedOnHost fused(a, skips);
  double *now = fused_x.data(), *other = fused_other.data();
  if (skips_first(fused, steps)) std::swap(now, other);
  for (const bool from_zero : {true, false}) {
    smooth<double>(queue, a, inverse.data(), steps, b.data(), x.data(), from_zero, memory);
    fused.num_vectors = from_zero && !skips_first(fused, steps) ? 3 : 0;
    smooth<double>(queue, fused, inverse.data(), steps, b.data(), now, other, from_zero);
    EXPECT_EQ(fused_vectors(fused, steps, from_zero), fused.num_vectors);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(now[i], x[i], 1e-12);
      x[i] += correction[i], now[i] = x[i];
    }
    if (from_zero) std::fill(other, other + n, NAN);  // a residual lies there meanwhile
  }
  EXPECT_EQ(now, fused_x.data());
}

TEST(MultigridFusedSteps, AreThePlainOnesAndEndInX) {
  for (const AmgSmoother smoother : {AmgSmoother::chebyshev, AmgSmoother::fourth_kind, AmgSmoother::l1_jacobi})
    for (int degree = 1; degree <= 5; ++degree)
      for (const bool skips : {false, true}) expect_as_plain({.smoother = smoother, .degree = degree}, skips);
}

TEST(MultigridFusedSteps, AreForSmoothersWithoutWeights) {
  for (const int degree : {1, 4}) {
    EXPECT_TRUE(can_fuse(smoother_steps({.smoother = AmgSmoother::fourth_kind, .degree = degree}, 2)));
    EXPECT_FALSE(can_fuse(smoother_steps({.smoother = AmgSmoother::fourth_kind_optimal, .degree = degree}, 2)));
  }
}

}  // namespace
}  // namespace millrace::testing
