// Eigenvalues by factorisations: known spectra, shifts that hit an eigenvalue, A x = lambda M x, inertia; and real
// matrices from both ends and inside against LAPACK's values (by SciPy 1.x, numpy.linalg).
#include "millrace/precond/eigen.hpp"

#include <cmath>
#include <numbers>

#include "io/io_tools.hpp"
#include "millrace/io/matrix_file.hpp"
#include "millrace/precond/direct.hpp"
#include "millrace/sparse/assemble.hpp"
#include "millrace/sparse/matrix.hpp"
#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

bool has_cholmod() { return direct_packages()[0].built(); }
bool has_both() { return has_cholmod() && direct_packages()[1].built(); }

template <class T>
Csr<T> diagonal_csr(const std::vector<double>& values) {
  std::vector<Triplet<T>> entries;
  for (const double value : values)
    entries.push_back({static_cast<Index>(entries.size()), static_cast<Index>(entries.size()), T(RealOf<T>(value))});
  return make_csr(static_cast<Index>(values.size()), static_cast<Index>(values.size()), entries);
}

template <class T>
class EigenByFactors : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_both()) GTEST_SKIP() << "this build has no CHOLMOD or no UMFPACK";
  }
};
TYPED_TEST_SUITE(EigenByFactors, Scalars);

TYPED_TEST(EigenByFactors, NearAShiftAndAtBothEnds) {
  using T = TypeParam;
  std::vector<double> values;
  for (int i = 0; i < 200; ++i) values.push_back(std::floor(i / 2.0) - 30);  // each twice
  const Csr<T> a = diagonal_csr<T>(values);
  const bool is_float = sizeof(RealOf<T>) == 4;
  EigenOptions options{.tolerance = is_float ? 1e-5 : 1e-10};
  const double bound = is_float ? 2e-3 : 1e-8;
  Queue queue;
  const auto expect = [&](const FactorisedEigenReport& report, const std::vector<double>& exact) {
    ASSERT_TRUE(report.ok()) << report.reason;
    EXPECT_TRUE(report.verified) << report.check;
    ASSERT_EQ(report.values.size(), exact.size());
    for (std::size_t k = 0; k < exact.size(); ++k) EXPECT_NEAR(report.values[k], exact[k], bound) << report.reason;
  };
  std::vector<T> vectors(3 * values.size());
  expect(eigen_near(queue, a, 5.2, 3, options, nullptr, Vectors<T>(Device::host(), vectors.data(), 200, 3)), {5, 5, 6});
  for (int k = 0; k < 3; ++k) {
    double square = 0, inside = 0;  // of the vector, and of its part in the eigenspace
    for (int i = 0; i < 200; ++i) {
      const double part = std::norm(vectors[static_cast<std::size_t>(200 * k + i)]);
      square += part;
      if (values[static_cast<std::size_t>(i)] == (k < 2 ? 5 : 6)) inside += part;
    }
    EXPECT_NEAR(square, 1, is_float ? 1e-5 : 1e-12);
    EXPECT_NEAR(inside, 1, is_float ? 1e-5 : 1e-12);
  }
  expect(eigen_near(queue, a, 5, 2, options), {5, 5});  // the shift is an eigenvalue
  expect(eigen_near(queue, a, 5, 6, options), {4, 4, 5, 5, 6, 6});
  expect(eigen_at_end(queue, a, 3, options), {-30, -30, -29});
  options.end = SpectrumEnd::highest;
  expect(eigen_at_end(queue, a, 3, options), {69, 69, 68});
}

TYPED_TEST(EigenByFactors, SmallSingularAndZeroMatrices) {
  using T = TypeParam;
  Queue queue;
  const bool is_float = sizeof(RealOf<T>) == 4;
  const EigenOptions options{.tolerance = is_float ? 1e-5 : 1e-10};
  const std::vector<double> cases[] = {{3}, {0, 0}, {0, 0, 0, 0, 0, 0, 0}, {-1, 0, 2}, {0, 0, 1, 1, 1, 2}};
  for (const auto& values : cases)
    for (const bool at_end : {true, false}) {
      const Csr<T> a = diagonal_csr<T>(values);
      const auto num = static_cast<int>(values.size());
      const FactorisedEigenReport report =
          at_end ? eigen_at_end(queue, a, num, options) : eigen_near(queue, a, 0.0, num, options);
      ASSERT_TRUE(report.ok()) << report.reason;
      EXPECT_TRUE(report.verified) << report.check;
      for (std::size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(report.values[k], values[k], is_float ? 1e-3 : 1e-9);
    }
}

// The stiffness and mass matrices of linear elements on an interval: all eigenvalues are known.
TYPED_TEST(EigenByFactors, StiffnessAndMass) {
  using T = TypeParam;
  using R = RealOf<T>;
  const Index n = 150;
  const double h = 1.0 / (n + 1);
  const Csr<T> k = tridiagonal<T>(n, T(R(-1 / h)), T(R(2 / h)), T(R(-1 / h))),
               m = tridiagonal<T>(n, T(R(h / 6)), T(R(4 * h / 6)), T(R(h / 6)));
  const auto exact = [&](int mode) {
    const double c = std::cos(mode * std::numbers::pi * h);
    return 6 / (h * h) * (1 - c) / (2 + c);
  };
  const bool is_float = sizeof(R) == 4;
  Queue queue;
  EigenOptions options{.tolerance = is_float ? 1e-5 : 1e-11};
  const double relative = is_float ? 1e-2 : 1e-9;
  std::vector<T> vectors(2 * static_cast<std::size_t>(n)), product(static_cast<std::size_t>(n));
  const auto low = eigen_at_end(queue, k, 2, options, &m, Vectors<T>(Device::host(), vectors.data(), n, 2));
  ASSERT_TRUE(low.ok() && low.verified) << low.reason;
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(low.values[static_cast<std::size_t>(i)] / exact(i + 1), 1, relative);
  const SparseMatrix<T> mass(m.clone(), "csr");
  mass.apply(queue, {.x = Vectors<const T>(Device::host(), vectors.data(), n), .y = product});
  double square = 0;
  for (std::size_t i = 0; i < product.size(); ++i) square += std::real(std::conj(vectors[i]) * product[i]);
  EXPECT_NEAR(square, 1, is_float ? 1e-4 : 1e-12);  // in the norm of M
  const auto inside = eigen_near(queue, k, exact(70) * (1 + 1e-3), 1, options, &m);
  ASSERT_TRUE(inside.ok() && inside.verified) << inside.reason;
  EXPECT_NEAR(inside.values[0] / exact(70), 1, relative);
  options.end = SpectrumEnd::highest;
  const auto high = eigen_at_end(queue, k, 2, options, &m);
  ASSERT_TRUE(high.ok() && high.verified) << high.reason;
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(high.values[static_cast<std::size_t>(i)] / exact(n - i), 1, relative);
  Csr<T> indefinite = m.clone();
  indefinite.vals.data()[0] = T(R(-1));
  const std::string refused = error_of([&] { eigen_near(queue, k, 1.0, 1, {}, &indefinite); });
  EXPECT_NE(refused.find("must be positive definite"), std::string::npos) << refused;
}

TEST(EigenByFactorsParts, AnIterativeInverseServesAsWell) {
  const Csr<double> csr = laplacian<double>(20);
  const SparseMatrix<double> a(csr.clone(), "csr");
  const Inverse<double> inverse_of_a = inverse(a, {.tolerance = 1e-13, .max_iterations = 2000});
  Queue queue;
  const EigenReport by_cg = shift_invert(queue, a, inverse_of_a, 0.0, 4), plain = lanczos(queue, a, 4);
  ASSERT_TRUE(by_cg.ok()) << by_cg.reason;
  EXPECT_TRUE(by_cg.verified) << by_cg.check;
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(by_cg.values[k], plain.values[k], 1e-8);
  EXPECT_LT(by_cg.iterations, plain.iterations);
}

/// Eigenvalues by LAPACK, from both ends, and the six nearest to `near`.
struct RealSpectrum {
  const char* name;
  double norm;
  bool hard;  // an end takes plain Lanczos long
  std::vector<double> lowest, highest;
  double near = 0;
  std::vector<double> nearest{};
};

const RealSpectrum spectra[] = {
    {"bcsstk06",
     3.48695e+09,
     true,
     {460.624597000106, 1349.96506544015, 1594.5762856215, 2137.73360804654, 2648.97717731156, 3057.92280915303},
     {3486950071.56856, 3483949999.33107, 3482100235.89105, 3480657170.96802}},
    {"1138_bus",
     30148.8,
     true,
     {0.00351686000778188, 0.0986223473394462, 0.12412793067158, 0.176814930452319, 0.183176853173522,
      0.185622309823352},
     {30148.7944219532, 30010.4900366512, 30001.3038713638, 21947.8363280294},
     10,
     {9.85001069631114, 9.92673184400654, 9.99579976278905, 10.0601556925743, 10.0940256365338, 10.1466425503028}},
    {"662_bus",
     4008.11,
     true,
     {0.00504716901933029, 0.162368095033289, 0.263812902592307, 0.335187237309908, 0.365884378617402,
      0.389010999921636},
     {4008.11392473474, 2220.03335912186, 1617.98672649336, 1424.7420937913}},
    {"gr_30_30",
     11.9591,
     false,
     {0.0614628239274319, 0.153184311127334, 0.153184311127353, 0.24396461174956, 0.305007334670662, 0.305007334670666},
     {11.959059882505, 11.959059882505, 11.9286959238627, 11.9286959238627},
     3.3,
     {3.34338717709032, 3.34338717709032, 3.34543066137468, 3.37693452375737, 3.3769345237574, 3.40051024469153}},
    {"sherman1",
     5.04487,
     true,
     {-5.04486936716548, -5.008, -5.008, -4.93764056263995, -4.8136649573997, -4.7958751489948},
     {-0.000323487120412113, -0.00101783139254354, -0.00111314690082106, -0.00151088686556976},
     -2.5,
     {-2.55004200365424, -2.53677201124458, -2.51545111833127, -2.49457686476679, -2.47622761863932,
      -2.47599926254624}},
    {"bcsstm06",
     7602.41,
     true,
     {0.00219908415009, 0.00219908415009, 0.00219908415009, 0.00219908415009, 0.00219908415009, 0.00219908415009},
     {7602.41022847, 7602.41022847, 7602.41022847, 7602.41022847}},
    {"bcspwr06",
     5.61949,
     false,
     {-3.08916069826534, -2.96937915639849, -2.76823504936924, -2.57130380761817, -2.53256021833199, -2.51998046903763},
     {5.61949235184474, 5.51473430627617, 5.30672954888066, 5.1034161081528},
     0.3,
     {0.286961782213874, 0.289172018861374, 0.291168569696385, 0.299919578664866, 0.304342932002442,
      0.310327677937417}},
    {"ash292",
     9.15222,
     false,
     {-2.46674239993679, -2.42086188742409, -2.38294806072379, -2.29933091630067, -2.23927441229407, -2.19629337772673},
     {9.1522205059855, 8.37686590830248, 8.16479766939782, 7.91519236920859}},
    {"Si2",
     41.3813,
     false,
     {-0.384406113094764, 0.242211549139063, 0.315932723047979, 0.531446160601656, 0.851551076947426, 1.06950154240063},
     {41.3813143918492, 40.0287165356865, 39.9806073585841, 38.9465248755902},
     5,
     {4.94968674573554, 4.95313263088682, 4.97614206888316, 4.98407202308442, 5.03003128826951, 5.0625921452691}},
    {"USAir97",
     4.22683,
     false,
     {-1.89853326724927, -1.48364171448988, -1.1595715042743, -0.911571524847092, -0.813664097568737,
      -0.802401466602257},
     {4.22682552459522, 1.31204215391923, 0.88941294483463, 0.778505867267543},
     -0.05,
     {-0.0547063813152351, -0.0519938599959167, -0.0499041879213966, -0.0482256574761685, -0.0454371745999481,
      -0.0444896722229027}},
    {"LFAT5",
     2.14522e+07,
     true,
     {0.149918934820388, 0.178315207964221, 0.495641395791099, 0.608806201454399, 1.02802640402301, 1.03929719485259},
     {21452186.6551026, 12566400, 3680613.34489736, 25744.4526854846}},
    {"karate",
     6.7257,
     false,
     {-4.48722919416226, -3.4479348579588, -3.11069091665173, -2.43742442656863, -2.09082295477648, -2},
     {6.72569772763173, 4.97707423328834, 2.91650670492065, 2.30908766643383},
     0.01,
     {0, 0, 0, 0, 0, 0}},
    {"nos5",
     582029,
     true,
     {52.8994826013208, 67.542971750298, 115.591152062458, 131.563634754859, 185.716937671092, 229.084362916881},
     {582029.115606707, 561272.03764097, 536443.936849602, 527935.461973542}},
    {"lund_a",
     2.23854e+08,
     true,
     {80.035109320662, 1976.50546696838, 1996.76478001272, 6354.11120404525, 12838.3306965858, 13181.0155104864},
     {223854064.391354, 221040214.7334, 219788362.528739, 216594143.343654}},
    {"can_144",
     9.88494,
     false,
     {-2.19297649914809, -2.14265964993684, -2.14265964993683, -1.99839445657794, -1.99839445657794, -1.82842712474619},
     {9.88494008433815, 9.75617112145831, 9.75617112145828, 9.379830665412},
     1.05,
     {0.999999999999999, 1.01729348705281, 1.01729348705281, 1.07106037278368, 1.07106037278368, 1.16672396331444}},
    {"maxwell_M0c_1331",
     0.000957539,
     false,
     {1.55909247096567e-05, 1.5613781296734e-05, 1.56137812967342e-05, 1.56137812967343e-05, 1.56366713919948e-05,
      1.56366713919952e-05},
     {0.000957538612371097, 0.000916825204372131, 0.00091682520437213, 0.000916825204372128},
     0.0001,
     {9.91848810488012e-05, 9.91848810488013e-05, 9.91848810488013e-05, 9.91848810488013e-05, 9.91848810488014e-05,
      9.91848810488016e-05}},
};

template <class T>
void expect_spectrum(const Csr<T>& csr, const RealSpectrum& s) {
  Queue queue;
  const SparseMatrix<T> a(csr.clone(), "csr");
  const double rounding = csr.num_rows * 0x1p-52 * s.norm;  // of LAPACK
  const auto expect = [&](const EigenReport& report, const std::vector<double>& exact, const char* what) {
    ASSERT_TRUE(report.ok()) << s.name << ' ' << what << ": " << report.reason;
    EXPECT_TRUE(report.verified) << s.name << ' ' << what << ": " << report.check;
    ASSERT_EQ(report.values.size(), exact.size()) << s.name << ' ' << what;
    for (std::size_t k = 0; k < exact.size(); ++k)  // a symmetric matrix has an eigenvalue within the residual
      EXPECT_NEAR(report.values[k], exact[k], report.residuals[k] + rounding) << s.name << ' ' << what << ' ' << k;
  };
  EigenOptions options;
  const auto num = [](const std::vector<double>& values) { return static_cast<int>(values.size()); };
  if (!s.hard) expect(lanczos(queue, a, num(s.lowest), options), s.lowest, "lowest");
  if (has_both()) expect(eigen_at_end(queue, csr, num(s.lowest), options), s.lowest, "lowest by factors");
  if (has_both() && !s.nearest.empty())
    expect(eigen_near(queue, csr, s.near, num(s.nearest), options), s.nearest, "near");
  options.end = SpectrumEnd::highest;
  if (!s.hard) expect(lanczos(queue, a, num(s.highest), options), s.highest, "highest");
  if (has_both()) expect(eigen_at_end(queue, csr, num(s.highest), options), s.highest, "highest by factors");
}

TEST(DataEigenvalues, AgreeWithLapackOnRealMatrices) {
  if (test::data_folder().empty()) GTEST_SKIP() << "MILLRACE_DATA does not name the folder of test matrices";
  for (const RealSpectrum& s : spectra) {
    const AnyCsr any = read_matrix(test::data_folder() / "matrices" / (std::string(s.name) + ".mtx.xz"));
    std::visit([&](const auto& csr) { expect_spectrum(sort_rows(csr), s); }, any);
  }
}

// D^-1/2 K D^-1/2 with the diagonal mass matrix D, by LAPACK.
TEST(DataEigenvalues, StiffnessAndMassOfAStructure) {
  if (test::data_folder().empty()) GTEST_SKIP() << "MILLRACE_DATA does not name the folder of test matrices";
  if (!has_both()) GTEST_SKIP() << "this build has no CHOLMOD or no UMFPACK";
  const auto read = [](const char* name) {
    return sort_rows(std::get<Csr<double>>(read_matrix(test::data_folder() / "matrices" / name)));
  };
  const Csr<double> k = read("bcsstk06.mtx.xz"), m = read("bcsstm06.mtx.xz");
  const std::vector<double> lowest{186.235172934723, 667.837669329877, 683.369836227316, 908.317775069675,
                                   998.671947539257},
      highest{474743665.590526, 474743665.590523, 474743657.856419};
  const double rounding = 420 * 0x1p-52 * highest[0], smallest_mass = 0.00219908415009;
  Queue queue;
  EigenOptions options;
  for (const bool top : {false, true}) {
    options.end = top ? SpectrumEnd::highest : SpectrumEnd::lowest;
    const auto& exact = top ? highest : lowest;
    const auto report = eigen_at_end(queue, k, static_cast<int>(exact.size()), options, &m);
    ASSERT_TRUE(report.ok() && report.verified) << report.reason;
    for (std::size_t i = 0; i < exact.size(); ++i)  // |r| in the norm of M^-1 bounds the error
      EXPECT_NEAR(report.values[i], exact[i], report.residuals[i] / std::sqrt(smallest_mass) + rounding);
  }
}

}  // namespace
}  // namespace millrace::testing
