// The bits of one rank on any number of ranks. Part of the program test_mpi.
#include <cstring>

#include "expect.hpp"
#include "millrace/base/part_sums.hpp"
#include "millrace/dist/matrix.hpp"
#include "millrace/precond/jacobi.hpp"
#include "millrace/solve/bicgstab.hpp"
#include "millrace/solve/cg.hpp"
#include "millrace/solve/chebyshev.hpp"
#include "millrace/solve/gmres.hpp"
#include "millrace/solve/identity.hpp"
#include "millrace/solve/kpm.hpp"
#include "millrace/solve/lanczos.hpp"
#include "millrace/solve/minres.hpp"
#include "millrace/solve/solver.hpp"
#include "millrace/sparse/gallery.hpp"

namespace millrace::testing {
namespace {

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// A matrix on these ranks, the rows in multiples of 4096.
template <class T>
DistributedMatrix<T> reproducible_on(const Comm& comm, const Csr<T>& csr, const char* format) {
  const Partition parts = by_rows(csr.num_rows, comm.size(), Comm::reproducible_rows);
  return DistributedMatrix<T>(comm, rows_of(csr, parts.begin(comm.rank()), parts.end(comm.rank())),
                              {.format = format, .reproducible = true});
}

template <class T>
class MpiReproducible : public ::testing::Test {};
using AllScalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MpiReproducible, AllScalars);

TYPED_TEST(MpiReproducible, SolversHaveTheBitsOfOneRank) {
  using T = TypeParam;
  const Comm world = Comm::world(), alone;
  const Csr<T> csr = convert_values<T>(gallery::make("laplace2d5:n=130"));  // 16,900 rows, five parts of the sums
  Queue queue(Device::host(), 1);
  const std::vector<T> b = random_vector<T>(csr.num_rows, 1);
  const Solver<T> iterate = [](Queue& q, const Operator<T>& a, const Operator<T>& m, Vectors<const T> rhs, Vectors<T> x,
                               const SolveOptions& options) {
    return chebyshev(q, a, m, rhs, x, estimate_bounds(q, a, m), options);
  };
  for (const char* format : {"csr", "sell-8-1"}) {
    const DistributedMatrix<T> one = reproducible_on(alone, csr, format), many = reproducible_on(world, csr, format);
    const std::int64_t first = many.partition().begin(world.rank()), rows = many.shape().rows;
    const std::span<const T> own_b(b.data() + first, static_cast<std::size_t>(rows));
    const Jacobi<T> diagonal(queue, one.local()), own_diagonal(queue, many.local());
    const Solver<T> all[] = {cg<T>, minres<T>, bicgstab<T>, gmres<T>, fgmres<T>, iterate};
    for (std::size_t s = 0; s < std::size(all); ++s)
      for (const bool preconditioned : {false, true}) {
        SCOPED_TRACE(join(format, ", solver ", s, preconditioned ? ", jacobi" : ""));
        std::vector<T> x(b.size()), y(own_b.size());
        std::vector<double> history, own_history;
        SolveOptions options{.tolerance = 1e-12, .max_iterations = 25};
        options.monitor = [&](int, double residual) { return history.push_back(residual), true; };
        const Identity<T> none(one), own_none(many);
        using Op = const Operator<T>&;
        all[s](queue, one, preconditioned ? Op(diagonal) : Op(none), b, x, options);
        options.monitor = [&](int, double residual) { return own_history.push_back(residual), true; };
        all[s](queue, many, preconditioned ? Op(own_diagonal) : Op(own_none), own_b, y, options);
        EXPECT_GT(history.size(), 5U);
        EXPECT_EQ(history, own_history);
        EXPECT_TRUE(same_bits<T>(y, std::span<const T>(x).subspan(static_cast<std::size_t>(first), y.size())));
      }
  }
}

TYPED_TEST(MpiReproducible, EigenvaluesAndMomentsHaveTheBitsOfOneRank) {
  using T = TypeParam;
  const Csr<T> csr = convert_values<T>(gallery::make("laplace2d5:n=100"));  // 10,000 rows
  Queue queue(Device::host(), 1);
  const DistributedMatrix<T> one = reproducible_on(Comm(), csr, "csr"),
                             many = reproducible_on(Comm::world(), csr, "csr");
  const EigenOptions options{.tolerance = 1e-3, .max_iterations = 120};
  EXPECT_EQ(lanczos(queue, one, 2, options).values, lanczos(queue, many, 2, options).values);
  const KpmOptions moments{.num_moments = 12, .random_vectors = 5, .block = 2, .low = 0, .high = 8.1};
  EXPECT_EQ(kpm(queue, one, moments).moments, kpm(queue, many, moments).moments);
}

TEST(MpiReproducibleErrors, SayWhatIsNeeded) {
  const Comm world = Comm::world();
  const Csr<double> csr = gallery::make("poisson2d5:n=80");
  const Partition uneven = by_rows(csr.num_rows, world.size());
  const auto rows = [&] { return rows_of(csr, uneven.begin(world.rank()), uneven.end(world.rank())); };
  if (world.size() > 1) {
    const std::string text = error_of([&] { DistributedMatrix<double> a(world, rows(), {.reproducible = true}); });
    EXPECT_NE(text.find("reproducible sums need multiples of 4096"), std::string::npos) << text;
    return;
  }
  const std::string pjds =
      error_of([&] { DistributedMatrix<double> a(world, rows(), {.format = "pjds", .reproducible = true}); });
  EXPECT_NE(pjds.find("takes the formats csr and sell; pjds was asked for"), std::string::npos) << pjds;
  const std::string mode =
      error_of([&] { DistributedMatrix<double> a(world, rows(), {.mode = Mode::task, .reproducible = true}); });
  EXPECT_NE(mode.find("task was asked for"), std::string::npos) << mode;
}

}  // namespace
}  // namespace millrace::testing
