// Preconditioners by name: the table makes each of them, numbers after names are read, and errors list the table.
#include "millrace/precond/by_name.hpp"

#include "millrace/precond/boomer_amg.hpp"
#include "millrace/sparse/gallery.hpp"
#include "precond_tools.hpp"

namespace millrace::testing {

TEST(PrecondsByName, TheTableIsComplete) {
  EXPECT_EQ(precond_usage(),
            "none jacobi block-jacobi[-N] iluK icK block-ilu0[-N] chebyshev[-N] "
            "amg[:K=V,...] boomeramg");
  for (const PrecondFacts& facts : preconditioners()) EXPECT_FALSE(facts.help.empty()) << facts.name;
}

TEST(PrecondsByName, NumbersFollowNames) {
  EXPECT_EQ(parse_precond("ilu0").name, "ilu");
  EXPECT_EQ(parse_precond("ilu12").number, 12);
  EXPECT_EQ(parse_precond("block-jacobi").number, 0);
  EXPECT_EQ(parse_precond("block-jacobi-24").number, 24);
  EXPECT_EQ(parse_precond("block-ilu0").name, "block-ilu0");
  for (const char* wrong : {"", "ilu", "ilu-1", "ilu99", "jacobi-3", "block-jacobi-0", "block-jacobi24",
                            "block-jacobi-", "ilu2x", "nothing", "auto"})
    EXPECT_THROW(parse_precond(wrong), Error) << wrong;
  EXPECT_EQ(error_of([] { parse_precond("ilu99"); }), "preconditioner 'ilu99': the number after ilu must be 0 to 20");
  EXPECT_EQ(error_of([] { parse_precond("ssor"); }), "unknown preconditioner 'ssor'; there are: " + precond_usage());
  EXPECT_EQ(error_of([] { parse_precond("ssor", "auto"); }),
            "unknown preconditioner 'ssor'; there are: auto " + precond_usage());
}

namespace {

// Every name of the table, with a number where there may be one.
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const PrecondFacts& facts : preconditioners()) {
    const std::string name(facts.name);
    if (facts.number == PrecondNumber::level) {
      names.push_back(name + "0");
      names.push_back(name + "2");
    } else {
      names.push_back(name);
    }
    if (facts.number == PrecondNumber::size) names.push_back(name + "-3");
  }
  return names;
}

template <class T>
void expect_made(Device device) {
  Queue queue(device);
  const Csr<T> csr = sort_rows(grid_matrix<T>(6, 5, 4, true)).to(device);
  const SparseMatrix<T> a(csr, "csr");
  const std::vector<T> x = random_vector<T>(csr.num_rows, 2);
  const Array<T> x_there = Array<T>(std::span<const T>(x)).to(device);
  for (const std::string& name : all_names()) {
    const bool hypre = name == "boomeramg" && (!build::hypre || !std::is_same_v<T, double> || !device.on_host());
    if (hypre || (name == "amg" && is_complex<T>)) {
      EXPECT_THROW(make_preconditioner(queue, name, csr, a), Unsupported) << name;
      continue;
    }
    for (const bool definite : {false, true}) {
      const Preconditioner<T> m = make_preconditioner(queue, name, csr, a, {.definite = definite});
      ASSERT_NE(m.op, nullptr) << name;
      EXPECT_EQ(m.op->shape(), a.shape()) << name;
      EXPECT_EQ(m.op->device(), device) << name;
      Array<T> y(device, csr.num_rows);
      m.op->apply(queue, {.x = x_there, .y = y});
      queue.wait();
      double product = 0;  // Re <x, M x>, which is positive for a positive definite M
      const std::vector<T> found = y.to_vector();
      for (std::size_t i = 0; i < x.size(); ++i)
        product += std::real(std::conj(std::complex<double>(x[i])) * std::complex<double>(found[i]));
      EXPECT_GT(product, 0) << name;
    }
  }
}

}  // namespace

template <class T>
class PrecondsByName : public ::testing::Test {};
using PrecondScalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(PrecondsByName, PrecondScalars);

TYPED_TEST(PrecondsByName, EveryNameMakesADefiniteOperatorOfADefiniteMatrix) { expect_made<TypeParam>(Device::host()); }

TYPED_TEST(PrecondsByName, ZerosOnTheDiagonalAreNoError) {
  using T = TypeParam;
  Queue queue;
  const Csr<T> csr = csr_of<T>(3, {{{0, T{2}}}, {{0, T{1}}, {1, T{0}}}, {}});  // zero, and an empty row
  const SparseMatrix<T> a(csr, "csr");
  const std::vector<T> x{T{4}, T{1}, T{1}};
  for (const char* name : {"jacobi", "block-jacobi-1"}) {
    std::vector<T> y(3);
    make_preconditioner(queue, name, csr, a).op->apply(queue, {.x = x, .y = y});
    EXPECT_EQ(y[0], T{2}) << name;
    EXPECT_EQ(y[1], T{1}) << name;
    EXPECT_EQ(y[2], T{1}) << name;
  }
  std::vector<T> y(3);  // |D|, and where there is none the norm of the row
  const Preconditioner<T> positive = make_preconditioner(queue, "jacobi", csr, a, {.definite = true});
  positive.op->apply(queue, {.x = x, .y = y});
  EXPECT_EQ(y[1], T{1});
  EXPECT_EQ(positive.note, "absolute values");
}

TEST(PrecondsByName, RefusesWhatDoesNotFit) {
  Queue queue;
  const Csr<double> csr = sort_rows(grid_matrix<double>(4, 4, 4, true)), other = gallery::make("poisson2d5:n=3");
  const Csr<double> wide(2, 3, Array<std::int32_t>{0, 1, 2}, {0, 1}, {1, 1});
  const SparseMatrix<double> a(csr, "csr"), not_square(wide, "csr");
  EXPECT_NE(error_of([&] { make_preconditioner(queue, "jacobi", other, a); }).find("16 x 16"), std::string::npos);
  EXPECT_THROW(make_preconditioner(queue, "jacobi", wide, not_square), Error);
  EXPECT_THROW(make_preconditioner(queue, "ilu1", wide, not_square), Error);
  EXPECT_THROW(make_preconditioner(queue, PrecondSpec{"ssor", 0}, csr, a), Error);
}

TEST(PrecondsByName, WordsFollowMultigrid) {
  const PrecondSpec spec = parse_precond("amg:theta=0.25,cycle=k");
  EXPECT_EQ(spec.name, "amg");
  EXPECT_EQ(spec.words, "theta=0.25,cycle=k");
  EXPECT_TRUE(needs_flexible(spec));
  for (const char* stays : {"amg", "amg:cycle=v", "amg:degree=3", "jacobi", "boomeramg"})
    EXPECT_FALSE(needs_flexible(parse_precond(stays))) << stays;
  for (const char* wrong : {"amg:", "amg-3", "amg2", "amg:theta", "amg:speed=2", "boomeramg:theta=1", "jacobi:theta=1"})
    EXPECT_THROW(parse_precond(wrong), Error) << wrong;
  Queue queue;
  const Csr<double> csr = gallery::make("laplace3d7:n=14");
  const SparseMatrix<double> a(csr, "csr");
  int levels = 0;
  PrecondOptions options;
  options.amg.theta = 0.25;
  options.amg.format_double = [&](Queue& own, const Csr<double>& level) {
    ++levels;
    return SparseMatrix<double>(own, level, "ell");
  };
  const Preconditioner<double> m = make_preconditioner(queue, parse_precond("amg:degree=3"), csr, a, options);
  const auto& made = dynamic_cast<const Amg<double>&>(*m.op);
  EXPECT_EQ(made.options().degree, 3);
  EXPECT_EQ(made.options().theta, 0.25);  // what the words leave open
  EXPECT_GE(levels, 1);
  ASSERT_TRUE(m.multigrid);
  EXPECT_EQ(m.multigrid->levels[0].format, "ell");
  EXPECT_EQ(m.multigrid->levels.size(), made.report().levels.size());
  EXPECT_EQ(m.note.find("levels of 2744, "), 2U) << m.note;
  EXPECT_EQ(dynamic_cast<const Amg<double>&>(
                *make_preconditioner(queue, "amg", csr, a, {.precision = Precision::bfloat16}).op)
                .options()
                .precision,
            Precision::bfloat16);
  EXPECT_NE(error_of<Unsupported>([&] {
              const Csr<std::complex<double>> complex_csr = convert_values<std::complex<double>>(csr);
              const SparseMatrix<std::complex<double>> complex_a(complex_csr, "csr");
              make_preconditioner(queue, "amg", complex_csr, complex_a);
            }).find("float and double are accepted"),
            std::string::npos);
}

TEST(PrecondsByName, NoRowsMakeAnEmptyOperator) {
  Queue queue;
  const Csr<double> csr;
  const SparseMatrix<double> a(csr, "csr");
  for (const char* name : {"none", "jacobi", "block-jacobi-2", "ilu0", "ilu2", "ic0", "amg"})
    EXPECT_EQ(make_preconditioner(queue, name, csr, a).op->shape(), (Shape{0, 0})) << name;
}

TEST(GpuPrecondsByName, EveryNameMakesADefiniteOperatorOfADefiniteMatrix) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  expect_made<double>(Device::gpu());
}

}  // namespace millrace::testing
