// Ranks that share a GPU, or have one each: sums, products and solvers against one rank alone. Part of test_mpi; suites
// of a GPU are skipped where there is none.
#include <functional>

#include "dist/rank_matrices.hpp"
#include "expect.hpp"
#include "millrace/base/mailbox.hpp"
#include "millrace/base/timer.hpp"
#include "millrace/base/to_size.hpp"
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
#include "on_gpu.hpp"

namespace millrace::testing {
namespace {

template <class T>
class GpuRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  }
};
using AllScalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(GpuRanks, AllScalars);

// Few and many numbers, more than a mailbox holds; again from a graph.
TYPED_TEST(GpuRanks, SumsHaveTheSameBitsOnAllRanks) {
  using T = TypeParam;
  const Comm world = Comm::world();
  Queue queue(Device::gpu());
  const auto value = [](std::int64_t i, int rank) {
    return T(static_cast<RealOf<T>>(1.0 / double(3 + i % 97 + rank)));
  };
  for (const std::int64_t count : {1, 2, 33, 1000, 20'000}) {
    std::vector<T> mine;
    for (std::int64_t i = 0; i < count; ++i) mine.push_back(value(i, world.rank()));
    Array<T> there = on_gpu(mine);
    sum_on_gpu(queue, world, arith(there.data()), count);
    queue.wait();
    const std::vector<T> found = there.to_vector(), all = world.gather(std::span<const T>(found));
    for (std::int64_t i = 0; i < count; ++i) {
      std::complex<double> expected = 0;
      for (int r = 0; r < world.size(); ++r) expected += std::complex<double>(value(i, r));
      ASSERT_NEAR(std::abs(std::complex<double>(found[to_size(i)]) - expected), 0,
                  sizeof(RealOf<T>) == 4 ? 1e-5 : 1e-14);
    }
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], found[i % found.size()]);
  }
  if (world.size() > 1 && !queue.mailbox().kernels_wait()) return;  // no graph then
  Array<T> numbers = on_gpu(std::vector<T>(5, T(1)));
  const Graph graph(
      queue, [&] { sum_on_gpu(queue, world, arith(numbers.data()), 5); }, 2);
  for (int k = 0; k < 2; ++k) graph.replay();
  queue.wait();
  const auto ranks = static_cast<RealOf<T>>(world.size());
  EXPECT_EQ(numbers.to_vector()[4], T(ranks * ranks * ranks * ranks * ranks));
}

// Own rows of vectors in the order of the matrix, on its device.
template <class T>
Array<T> take_rows(const DistributedMatrix<T>& a, const std::vector<T>& x, int num) {
  const std::int64_t all = a.partition().num_rows(), first = a.partition().begin(a.comm().rank()),
                     rows = a.shape().rows;
  const auto order = a.permutation() ? a.permutation()->to_vector() : std::vector<Index>();
  std::vector<T> own(to_size(rows * num));
  for (int v = 0; v < num; ++v)
    for (std::int64_t i = 0; i < rows; ++i)
      own[to_size(v * rows + i)] = x[to_size(v * all + first + (order.empty() ? i : order[to_size(i)]))];
  return on_gpu(own);
}

template <class T>
double worst_error(const DistributedMatrix<T>& a, const Array<T>& found, const std::vector<T>& expected, int num) {
  const std::vector<T> here = found.to_vector(), own = take_rows(a, expected, num).to_vector();
  double worst = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double error = std::abs(here[i] - own[i]);
    worst = std::isnan(error) ? 1e300 : std::max(worst, error);
  }
  return worst;
}

TYPED_TEST(GpuRanks, ProductsEqualThoseOfOneRank) {
  using T = TypeParam;
  const Comm world = Comm::world();
  const double bound = sizeof(RealOf<T>) == 4 ? 2e-3 : 1e-11;
  Queue host(Device::host(), 1), queue(Device::gpu());
  for (const auto& [name, csr] : rank_matrices<T>()) {
    const Partition parts = by_rows(csr.num_rows, world.size());
    const GlobalRows<T> rows = rows_of(csr, parts.begin(world.rank()), parts.end(world.rank()));
    const SparseMatrix<T> serial(csr, "csr");
    for (const char* format : {"csr", "sell-32-1", "pjds"})
      for (const Mode mode : {Mode::vector, Mode::overlap, Mode::task, Mode::choose}) {
        if (mode == Mode::task && !world.serves_threads()) continue;
        if (mode == Mode::choose && std::string_view(format) != "csr") continue;
        const DistributedMatrix<T> here(world, rows, {.format = format, .mode = mode}), a = here.to(Device::gpu());
        EXPECT_EQ(a.device(), Device::gpu());
        EXPECT_EQ(a.num_entries(), here.num_entries());
        for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose})
          for (const int num : {1, 3}) {
            SCOPED_TRACE(join(name, ", ", format, ", ", to_text(mode), ", op ", static_cast<int>(op), ", ", num));
            const std::vector<T> x = random_vector<T>(std::int64_t{csr.num_rows} * num, 1),
                                 y = random_vector<T>(std::int64_t{csr.num_rows} * num, 2);
            std::vector<T> expected = y;
            serial.apply(host, {.alpha = T(2),
                                .x = Vectors<const T>(Device::host(), x.data(), csr.num_rows, num),
                                .beta = T(-1),
                                .y = Vectors<T>(Device::host(), expected.data(), csr.num_rows, num),
                                .op = op});
            const Array<T> own_x = take_rows(a, x, num);
            Array<T> own_y = take_rows(a, y, num);
            a.apply(queue, {.alpha = T(2), .x = {own_x, num}, .beta = T(-1), .y = {own_y, num}, .op = op});
            queue.wait();
            EXPECT_LT(worst_error(a, own_y, expected, num), bound);
          }
      }
  }
}

// <x, A x> and <A x, A x>, y that was never written, and the product in a graph.
TYPED_TEST(GpuRanks, DotProductsAndGraphs) {
  using T = TypeParam;
  const Comm world = Comm::world();
  const Csr<T> csr = convert_values<T>(gallery::make("poisson2d5:n=70"));
  const Partition parts = by_rows(csr.num_rows, world.size());
  const GlobalRows<T> rows = rows_of(csr, parts.begin(world.rank()), parts.end(world.rank()));
  Queue host(Device::host(), 1), queue(Device::gpu());
  const std::vector<T> x = random_vector<T>(csr.num_rows, 1);
  std::vector<T> expected(x.size());
  SparseMatrix<T>(csr, "csr").apply(host, {.x = x, .y = expected});
  for (const char* format : {"csr", "pjds"})
    for (const Mode mode : {Mode::vector, Mode::overlap, Mode::task})
      for (const DotWith with : {DotWith::x, DotWith::result}) {
        SCOPED_TRACE(join(format, ", ", to_text(mode), ", dot ", static_cast<int>(with)));
        const auto a = DistributedMatrix<T>(world, rows, {.format = format, .mode = mode}).to(Device::gpu());
        const Array<T> own_x = take_rows(a, x, 1);
        Array<T> y = on_gpu(std::vector<T>(to_size(a.shape().rows), T(std::nanf("")))), dot = on_gpu(std::vector<T>(1));
        const auto product = [&] {
          a.apply(queue, {.x = own_x, .y = y, .dot = with, .dot_result = dot.data()});
          sum_on_gpu(queue, world, arith(dot.data()), 1);
        };
        std::complex<double> wanted = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
          const std::complex<double> left = with == DotWith::x ? x[i] : expected[i], right = expected[i];
          wanted += std::conj(left) * right;
        }
        product();
        queue.wait();
        const std::vector<T> first = dot.to_vector(), first_y = y.to_vector();
        EXPECT_LT(std::abs(std::complex<double>(first[0]) - wanted),
                  std::abs(wanted) * (sizeof(RealOf<T>) == 4 ? 1e-4 : 1e-12));
        EXPECT_LT(worst_error(a, y, expected, 1), sizeof(RealOf<T>) == 4 ? 1e-4 : 1e-12);
        if (world.size() > 1 && !queue.mailbox().kernels_wait()) continue;
        const Graph graph(queue, product, 3);
        for (int k = 0; k < 3; ++k) graph.replay();
        queue.wait();
        EXPECT_EQ(dot.to_vector(), first);
        EXPECT_EQ(y.to_vector(), first_y);
      }
}

// Cannot be captured in a graph, on one rank alone.
class NotInGraphs final : public Operator<double> {
 public:
  NotInGraphs(const DistributedMatrix<double>& a, bool refuse) : a_(a), refuse_(refuse) {}
  Shape shape() const override { return a_.shape(); }
  Device device() const override { return a_.device(); }
  Comm comm() const override { return a_.comm(); }
  Traffic traffic(int num, bool reads_y) const override { return a_.traffic(num, reads_y); }

 private:
  void do_apply(Queue& queue, const ApplyRequest<double>& request) const override {
    require(!refuse_ || !queue.capturing(), "not in a graph");
    a_.apply(queue, request);
  }
  const DistributedMatrix<double>& a_;
  bool refuse_;
};

TEST(GpuRanksTogether, OneRankThatCannotCaptureOrStopsLeadsAll) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  const Comm world = Comm::world();
  const Csr<double> csr = gallery::make("laplace2d5:n=60");
  const Partition parts = by_rows(csr.num_rows, world.size());
  const GlobalRows<double> rows = rows_of(csr, parts.begin(world.rank()), parts.end(world.rank()));
  const auto matrix = DistributedMatrix<double>(world, rows, {.mode = Mode::overlap}).to(Device::gpu());
  const NotInGraphs a(matrix, world.rank() == world.size() - 1);
  const Identity<double> none(a);
  Queue queue(Device::gpu());
  const Array<double> b = on_gpu(std::vector<double>(to_size(rows.num_rows()), 1));
  for (const Solver<double>& solve : {Solver<double>(cg<double>), Solver<double>(gmres<double>)}) {
    Array<double> x = on_gpu(std::vector<double>(to_size(rows.num_rows())));
    const SolveReport report = solve(queue, a, none, b, x, {.tolerance = 1e-6, .max_iterations = 5000});
    EXPECT_TRUE(report.ok()) << report.reason;
    x = on_gpu(std::vector<double>(to_size(rows.num_rows())));
    SolveOptions options{.tolerance = 1e-12};
    if (world.rank() == 0) options.monitor = [](int iteration, double) { return iteration < 7; };
    const SolveReport stopped = solve(queue, matrix, none, b, x, options);
    EXPECT_EQ(stopped.end, SolveEnd::stopped) << stopped.reason;
    for (const int made : world.gather(stopped.iterations)) EXPECT_EQ(made, stopped.iterations);
  }
  const KpmReport moments = kpm(queue, a, {.num_moments = 128, .random_vectors = 1, .low = 0, .high = 8.1});
  EXPECT_TRUE(moments.ok()) << moments.reason;
}

template <class T>
struct Named {
  const char* name;
  Solver<T> solve;
};

TYPED_TEST(GpuRanks, SolversAgreeWithOneRank) {
  using T = TypeParam;
  const Comm world = Comm::world();
  Queue host(Device::host(), 1), queue(Device::gpu());
  const SolveOptions options{.tolerance = sizeof(RealOf<T>) == 4 ? 1e-4 : 1e-10};
  const Solver<T> iterate = [](Queue& q, const Operator<T>& a, const Operator<T>& m, Vectors<const T> rhs, Vectors<T> x,
                               const SolveOptions& how) {
    return chebyshev(q, a, m, rhs, x, {0.05, 8}, how);
  };
  const Named<T> all[] = {{"cg", cg<T>},       {"minres", minres<T>}, {"bicgstab", bicgstab<T>},
                          {"gmres", gmres<T>}, {"fgmres", fgmres<T>}, {"chebyshev", iterate}};
  for (const char* spec : {"laplace2d5:n=2", "laplace2d5:n=30"}) {  // fewer rows than ranks, and more
    const Csr<T> csr = convert_values<T>(gallery::make(spec));
    const Partition parts = by_rows(csr.num_rows, world.size());
    const GlobalRows<T> rows = rows_of(csr, parts.begin(world.rank()), parts.end(world.rank()));
    const SparseMatrix<T> serial(csr, "csr");
    const std::vector<T> b = random_vector<T>(csr.num_rows, 3);
    const std::span<const T> own_b(b.data() + rows.first, to_size(rows.num_rows()));
    for (const auto& [format, mode] : {std::pair("csr", Mode::vector), std::pair("csr", Mode::overlap),
                                       std::pair("pjds", Mode::overlap), std::pair("csr", Mode::task)}) {
      const auto a = DistributedMatrix<T>(world, rows, {.format = format, .mode = mode}).to(Device::gpu());
      const Jacobi<T> diagonal(queue, a.local().to(Device::gpu()));
      for (const Named<T>& solver : all)
        for (const bool preconditioned : {false, true})
          for (const bool graph : {false, true}) {
            if (preconditioned && std::string_view(format) == "pjds") continue;
            if (std::string_view(solver.name) == "chebyshev" && preconditioned) continue;
            SCOPED_TRACE(join(spec, ", ", format, ", ", to_text(mode), ", ", solver.name,
                              preconditioned ? ", jacobi" : "", graph ? ", graph" : ""));
            SolveOptions how = options;
            how.graph = graph;
            using Op = const Operator<T>&;
            const Identity<T> none(serial), own_none(a);
            const Jacobi<T> serial_diagonal(host, csr);
            std::vector<T> x(b.size());
            const SolveReport one =
                solver.solve(host, serial, preconditioned ? Op(serial_diagonal) : Op(none), b, x, options);
            const Array<T> there_b = on_gpu(std::vector<T>(own_b.begin(), own_b.end()));
            Array<T> y = on_gpu(std::vector<T>(own_b.size()));
            const SolveReport many =
                solver.solve(queue, a, preconditioned ? Op(diagonal) : Op(own_none), there_b, y, how);
            EXPECT_EQ(many.ok(), one.ok()) << many.reason;
            EXPECT_NEAR(many.iterations, one.iterations, std::max(2, one.iterations / 4));
            EXPECT_NEAR(many.rhs_norm, one.rhs_norm, 1e-6 * one.rhs_norm);
            const std::vector<T> found = y.to_vector();
            for (std::size_t i = 0; i < found.size(); ++i)
              ASSERT_NEAR(std::abs(found[i] - x[i + to_size(rows.first)]), 0, 1e3 * options.tolerance);
            for (const double residual : world.gather(many.residual)) EXPECT_EQ(residual, many.residual);
            for (const int made : world.gather(many.iterations)) EXPECT_EQ(made, many.iterations);
          }
    }
  }
}

TYPED_TEST(GpuRanks, EigenvaluesAndMoments) {
  using T = TypeParam;
  const Comm world = Comm::world();
  const Csr<T> csr = convert_values<T>(gallery::make("laplace2d5:n=25"));
  const Partition parts = by_rows(csr.num_rows, world.size());
  const GlobalRows<T> rows = rows_of(csr, parts.begin(world.rank()), parts.end(world.rank()));
  const SparseMatrix<T> serial(csr, "csr");
  Queue host(Device::host(), 1), queue(Device::gpu());
  const EigenOptions options{.tolerance = sizeof(RealOf<T>) == 4 ? 1e-4 : 1e-9};
  const KpmOptions moments{.num_moments = 128, .random_vectors = 5, .block = 2, .low = 0, .high = 8.1};
  const EigenReport one = lanczos(host, serial, 2, options);
  const KpmReport expected = kpm(host, serial, moments);
  for (const char* format : {"csr", "pjds"})
    for (const Mode mode : {Mode::overlap, Mode::task}) {
      SCOPED_TRACE(join(format, ", ", to_text(mode)));
      const auto a = DistributedMatrix<T>(world, rows, {.format = format, .mode = mode}).to(Device::gpu());
      const EigenReport many = lanczos(queue, a, 2, options);
      EXPECT_TRUE(one.ok() && many.ok()) << one.reason << '\n' << many.reason;
      for (std::size_t k = 0; k < 2; ++k)
        EXPECT_NEAR(many.values.at(k), one.values.at(k), 20 * options.tolerance * one.norm);
      for (std::size_t k = 0; k < 2; ++k) EXPECT_LT(many.residuals.at(k), 20 * options.tolerance * one.norm);
      if (a.permutation()) continue;  // start vectors are drawn by the row
      const KpmReport found = kpm(queue, a, moments);
      for (std::size_t k = 0; k < expected.moments.size(); ++k)
        EXPECT_NEAR(found.moments.at(k), expected.moments.at(k), sizeof(RealOf<T>) == 4 ? 1e-3 : 1e-10);
    }
}

TYPED_TEST(GpuRanks, NewValuesAndTheWayBack) {
  using T = TypeParam;
  const Comm world = Comm::world();
  const Csr<T> csr = convert_values<T>(gallery::make("poisson2d5:n=20"));
  const Partition parts = by_rows(csr.num_rows, world.size());
  const GlobalRows<T> rows = rows_of(csr, parts.begin(world.rank()), parts.end(world.rank()));
  Queue host(Device::host(), 1), queue(Device::gpu());
  const std::vector<T> x = random_vector<T>(csr.num_rows, 3);
  std::vector<T> expected(x.size());
  SparseMatrix<T>(csr, "csr").apply(host, {.x = x, .y = expected});
  for (const char* format : {"csr", "pjds"})
    for (const Mode mode : {Mode::vector, Mode::overlap}) {
      GlobalRows<T> wrong = rows_of(csr, rows.first, rows.end());
      for (T& value : wrong.vals.span()) value *= T(3);
      auto a = DistributedMatrix<T>(world, wrong, {.format = format, .mode = mode}).to(Device::gpu());
      a.update_values(queue, rows);
      EXPECT_EQ(a.local().num_rows, rows.num_rows());
      EXPECT_NE(a.details().find(world.size() > 1 ? "wait" : "halo of 0"), std::string::npos) << a.details();
      const Array<T> own_x = take_rows(a, x, 1);
      Array<T> y = own_x.clone();
      a.apply(queue, {.x = own_x, .y = y});
      queue.wait();
      EXPECT_LT(worst_error(a, y, expected, 1), sizeof(RealOf<T>) == 4 ? 1e-4 : 1e-12);
      const DistributedMatrix<T> back = a.to(Device::host());
      const std::vector<T> here = own_x.to_vector();
      std::vector<T> again(here.size());
      back.apply(host, {.x = here, .y = again});
      EXPECT_LT(worst_error(a, on_gpu(again), expected, 1), sizeof(RealOf<T>) == 4 ? 1e-4 : 1e-12);
    }
}

}  // namespace
}  // namespace millrace::testing

namespace millrace::cuda {
template <class R>
void sum_numbers(Queue& queue, const MailboxView& mail, R* values, int count, bool hand, bool take);
}

namespace millrace::testing {
namespace {

// Whoever cannot answer lets the kernels go: their numbers are NaN, and the error is told.
TEST(GpuMailbox, KernelsDoNotWaitForEver) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  Queue queue(Device::gpu());
  Mailbox& mailbox = queue.mailbox();
  const int twice = mailbox.add([](std::span<double> numbers) {
    for (double& number : numbers) number *= 2;
  });
  const int broken = mailbox.add([](std::span<double>) { throw MpiError("a rank is gone"); });
  if (!mailbox.kernels_wait()) GTEST_SKIP() << "this MPI serves one thread";
  Array<double> numbers = on_gpu(std::vector<double>{1, 2, 3});
  if constexpr (build::cuda) {
    for (int k = 0; k < 3; ++k) cuda::sum_numbers(queue, mailbox.view(twice), numbers.data(), 3, true, true);
    queue.wait();
    EXPECT_EQ(numbers.to_vector(), (std::vector<double>{8, 16, 24}));
    cuda::sum_numbers(queue, mailbox.view(broken), numbers.data(), 3, true, true);
    EXPECT_EQ(error_of<MpiError>([&] { queue.wait(); }), "a rank is gone");
    for (const double value : numbers.to_vector()) EXPECT_TRUE(std::isnan(value));
    EXPECT_EQ(error_of<MpiError>([&] { mailbox.view(twice); }), "a rank is gone");
  }
}

}  // namespace
}  // namespace millrace::testing
