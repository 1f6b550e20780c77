// Physics made of a formula on a GPU: NVRTC compiles what to_source prints, and the host evaluates the formula itself.
#include "cache_folder.hpp"
#include "fem/fem_gpu_tools.hpp"
#include "millrace/fem/source_physics.hpp"
#include "millrace/io/expression.hpp"

namespace millrace::testing {
namespace {

// (k grad u, grad v) + (k u, v) with k by a formula, which must live as long.
struct ByFormula {
  static constexpr int dim = 3, comps = 1;
  static constexpr bool symmetric = true;
  const Expression* formula = nullptr;
  template <class T>
  void operator()(const T* x, const T* u, const T (*grad)[3], T* v, T (*flux)[3]) const {
    const T k = static_cast<T>(
        formula->at({static_cast<double>(x[0]), static_cast<double>(x[1]), static_cast<double>(x[2])}, 0.5));
    v[0] = k * u[0];
    for (int d = 0; d < 3; ++d) flux[0][d] = k * grad[0][d];
  }
};

PhysicsSource formula_source(const Expression& formula) {
  return {join(R"(struct Formula {
  static constexpr int dim = 3, comps = 1;
  static constexpr bool symmetric = true;
  template <class T>
  void operator()(const T* x, const T* u, const T (*grad)[3], T* v, T (*flux)[3]) const {
    [[maybe_unused]] const T t = T(0.5);
    const T k = )",
               to_source(formula), R"(;
    v[0] = k * u[0];
    for (int d = 0; d < 3; ++d) flux[0][d] = k * grad[0][d];
  }
};
)"),
          "fem::Pointwise<Formula>",
          {}};
}

// Every function and operation; steps are where no point of the mesh is. Values are between 0.1 and 100.
constexpr const char* formulas[] = {
    "1.5 + x^2 * z + 0.5 * sin(pi * y) * cos(z) + exp(-x) * tanh(y) - t^3 / (2 + (x + y)^5)",
    "4 + if(x < 0.4137, hypot(x, y), erf(z)) + max(x, 0.3) * min(y, 0.6) + floor(3.1 * z) + sign(y - 0.4321) * "
    "(z >= 0.2718) - 0.1 * (x != y) * (x <= 0.9127) * (y > 0.0123) + (x == 2)",
    "3 + asin(0.5 * x) + acos(0.5 * y) + atan2(y + 1, x + 2) + sqrt(1 + z) * log(2 + x) + sinh(x) * cosh(y) + atan(z) "
    "+ tan(0.5 * x) + abs(z - 0.3) + pow(1 + x, 1.5) + (1 + y)^z - -x^2"};

template <class T>
class GpuFormulaPhysics : public OnGpu {
 protected:
  CacheFolder folder_;
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuFormulaPhysics, Reals);

TYPED_TEST(GpuFormulaPhysics, AsTheHostEvaluatesIt) {
  using T = TypeParam;
  const Mesh mesh = warped_box(Cell::hex, 3, 2);
  const Space space = make_space(mesh, 2);
  for (const char* text : formulas) {
    const Expression formula = Expression::parse(text);
    const auto host = make_element_operator<T>(mesh, space, fem::Pointwise<ByFormula>{{&formula}});
    const auto a = make_element_operator<T>(Device::gpu(), mesh, space, formula_source(formula));
    const auto x = random_vector<T>(a.shape().cols, 7);
    const std::vector<T> expected = product<T>(host, x);
    const std::vector<T> nothing(x.size(), std::numeric_limits<T>::quiet_NaN());
    const std::vector<T> found = apply_on_gpu<T>(a, x, T{1}, T{0}, nothing);
    double largest = 1;
    for (const T& v : expected) largest = std::max(largest, std::abs(static_cast<double>(v)));
    // Formulas add their own rounding, tens of operations of which none cancels much, to that of the operator.
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_NEAR(static_cast<double>(found[i]), static_cast<double>(expected[i]), 16 * rounding(host, largest))
          << text << ", entry " << i;
  }
}

}  // namespace
}  // namespace millrace::testing
