// BoomerAMG through hypre: a good inverse of a Laplacian, symmetric, or a clear refusal where hypre is missing.
#include "millrace/base/comm.hpp"
#include "millrace/precond/boomer_amg.hpp"
#include "millrace/sparse/gallery.hpp"
#include "precond_tools.hpp"

namespace millrace::testing {
namespace {

MpiSession& session() {  // until the program ends: MPI starts only once
  static int argc = 0;
  static char** argv = nullptr;
  static MpiSession running(argc, argv);
  return running;
}

TEST(BoomerAmg, RefusedWithoutHypre) {
  if (build::hypre) GTEST_SKIP() << "this build has hypre";
  Queue queue;
  EXPECT_NE(error_of<Unsupported>([&] { BoomerAmg(queue, tridiagonal<double>(3, 1, true)); }).find("has no hypre"),
            std::string::npos);
}

TEST(BoomerAmg, CyclesReduceTheError) {
  if (!build::hypre) GTEST_SKIP() << "this build has no hypre";
  session();
  Queue queue;
  const Csr<double> a = gallery::make("poisson2d5:n=60");
  BoomerAmg m(queue, a);
  const std::vector<double> b = random_vector<double>(a.num_rows, 3);
  std::vector<double> x(b.size(), 0.0), r = b;
  for (int cycle = 0; cycle < 12; ++cycle) {  // refinement: x += M (b - A x)
    const std::vector<double> z = apply_to(m, r);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += z[i];
    const Expected<double> ax = reference<double>(a, Op::none, 1.0, x, 0.0, b);
    for (std::size_t i = 0; i < x.size(); ++i) r[i] = b[i] - static_cast<double>(ax.value[i]);
  }
  EXPECT_LE(residual<double>(a, x, b), 1e-6);  // each cycle of multigrid reduces it by 3 or more
  const std::vector<double> y = random_vector<double>(a.num_rows, 4), mb = apply_to(m, b), my = apply_to(m, y);
  double left = 0, right = 0;
  for (std::size_t i = 0; i < b.size(); ++i) left += mb[i] * y[i], right += b[i] * my[i];
  EXPECT_NEAR(left, right, 1e-10 * std::abs(left) + 1e-10);
  expect_scaled_application<double>(m, 1e-14);
  Csr<double> twice = a.clone();
  for (double& v : twice.vals.span()) v *= 2;
  m.update_values(queue, twice);
  EXPECT_NEAR(apply_to(m, b)[17], mb[17] / 2, 1e-12 * std::abs(mb[17]));
  EXPECT_EQ(m.traffic().vectors, 16.0 * a.num_rows);
}

TEST(BoomerAmg, Refusals) {
  if (!build::hypre) GTEST_SKIP() << "this build has no hypre";
  session();
  Queue queue;
  EXPECT_NE(error_of([&] { BoomerAmg(queue, random_csr<double>(3, 4, 2, 1)); }).find("must be square"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              BoomerAmg(queue, tridiagonal<double>(3, 1, true), {.num_cycles = 0});
            }).find("are positive; they are 0.25, 1 and 0"),
            std::string::npos);
  EXPECT_EQ(apply_to<double>(BoomerAmg(queue, Csr<double>()), {}), std::vector<double>{});
}

}  // namespace
}  // namespace millrace::testing
