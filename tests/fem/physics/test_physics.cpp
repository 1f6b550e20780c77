// The built-in physics against the same written in physical coordinates by the adaptor, and the geometry of a point.
#include "millrace/fem/physics.hpp"

#include <gtest/gtest.h>

#include "expect.hpp"

namespace millrace::testing {
namespace {

using namespace fem;

struct Slope {  // a variable coefficient
  template <class T>
  MILLRACE_HD T operator()(const T* x) const {
    return T(2) + x[0] * x[1];
  }
};

template <int D>
struct PlainHelmholtz {
  static constexpr int dim = D, comps = 1;
  template <class T>
  void operator()(const T* x, const T* u, const T (*grad)[unsigned(D)], T* v, T (*flux)[unsigned(D)]) const {
    for (int d = 0; d < D; ++d) flux[0][d] = Slope()(x) * grad[0][d];
    v[0] = T(-3) * u[0];
  }
};

template <int D>
struct PlainConvection {
  static constexpr int dim = D, comps = 1;
  template <class T>
  void operator()(const T*, const T*, const T (*grad)[unsigned(D)], T* v, T (*flux)[unsigned(D)]) const {
    for (int d = 0; d < D; ++d) {
      flux[0][d] = T(0.5) * grad[0][d];
      v[0] += T(d + 1) * grad[0][d];
    }
  }
};

template <int D>
struct PlainElasticity {
  static constexpr int dim = D, comps = D;
  static constexpr bool uses_value = false;
  template <class T>
  void operator()(const T*, const T*, const T (*grad)[unsigned(D)], T*, T (*flux)[unsigned(D)]) const {
    T divergence = 0;
    for (int d = 0; d < D; ++d) divergence += grad[d][d];
    for (int c = 0; c < D; ++c)
      for (int d = 0; d < D; ++d) flux[c][d] = T(3) * (grad[c][d] + grad[d][c]) + (c == d ? T(7) * divergence : T(0));
  }
};

template <int D>
PointGeometry<double, D> random_geometry(std::uint64_t seed) {
  Random random(seed);
  PointGeometry<double, D> g;
  for (int i = 0; i < D; ++i) {
    g.x[i] = random.uniform();
    for (int j = 0; j < D; ++j) g.jacobian[i][j] = 0.3 * random.uniform() + (i == j);
  }
  g.weight = 0.25;
  invert(g);
  return g;
}

/// Both turn the same u into the same v, up to rounding of a few dozen operations on numbers near 1.
template <class P, class R>
void expect_same_physics(const P& physics, const R& reference) {
  constexpr int D = P::dim, C = P::comps;
  static_assert(P::uses_value == R::uses_value && P::uses_grad == R::uses_grad);
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    const auto g = random_geometry<D>(seed);
    double stored[unsigned(P::num_stored)], plain[unsigned(R::num_stored)];
    physics.store(g, stored);
    reference.store(g, plain);
    PointValue<double, D, C> u, v, w;
    Random random(seed + 100);
    for (int c = 0; c < C; ++c) {
      u.value[c] = random.uniform();
      for (int d = 0; d < D; ++d) u.grad[c][d] = random.uniform();
    }
    physics.apply(static_cast<const double*>(stored), u, v);
    reference.apply(static_cast<const double*>(plain), u, w);
    for (int c = 0; c < C; ++c) {
      if constexpr (P::uses_value) {
        EXPECT_NEAR(v.value[c], w.value[c], 1e-13);
      }
      for (int d = 0; P::uses_grad && d < D; ++d) EXPECT_NEAR(v.grad[c][d], w.grad[c][d], 1e-13);
    }
  }
}

template <int D>
void check_all() {
  expect_same_physics(Helmholtz<D, Slope, Constant>{{}, {-3}}, Pointwise<PlainHelmholtz<D>>{});
  ConvectionDiffusion<D> convection{{0.5}, {}};
  for (int d = 0; d < D; ++d) convection.velocity.number[d] = d + 1;
  expect_same_physics(convection, Pointwise<PlainConvection<D>>{});
  expect_same_physics(Elasticity<D>{{7}, {3}}, Pointwise<PlainElasticity<D>>{});
}

TEST(Physics, BuiltInAgreesWithThePlainForm) {
  check_all<2>();
  check_all<3>();
}

/// A physics by its apply_with: it stores the Jacobian and the weight.
template <class P>
struct ByCofactors {
  static constexpr int num_stored = 10;
  static constexpr bool uses_value = P::uses_value, uses_grad = P::uses_grad;
  P physics;

  void store(const PointGeometry<double, 3>& g, double* stored) const {
    for (int n = 0; n < 9; ++n) stored[n] = g.jacobian[n / 3][n % 3];
    stored[9] = g.weight;
  }
  template <int C>
  void apply(const double* stored, const PointValue<double, 3, C>& u, PointValue<double, 3, C>& v) const {
    double jacobian[3][3];
    for (int n = 0; n < 9; ++n) jacobian[n / 3][n % 3] = stored[n];
    PointCofactors<double> g;
    find_cofactors(jacobian, g);
    g.inverse_det = 1 / g.det;
    g.weight = stored[9];
    physics.apply_with(g, u, v);
  }
};

TEST(Physics, CofactorsDoWhatStoredNumbersDo) {
  const auto expect_same = [](const auto& physics) {
    expect_same_physics(physics, ByCofactors<std::remove_cvref_t<decltype(physics)>>{physics});
  };
  expect_same(Mass<3>{{2.5}});
  expect_same(VectorMass<3>{{2.5}});
  expect_same(Diffusion<3>{{0.5}});
  expect_same(VectorDiffusion<3>{{0.5}});
  expect_same(Helmholtz<3>{{1.5}, {-3}});
}

template <int D>
void check_inverse() {
  const auto g = random_geometry<D>(5);
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) {
      double sum = 0;
      for (int k = 0; k < D; ++k) sum += g.jacobian[i][k] * g.inverse[k][j];
      EXPECT_NEAR(sum, i == j, 1e-14);
    }
}

TEST(Physics, InvertsJacobians) {
  check_inverse<1>();
  check_inverse<2>();
  check_inverse<3>();
}

TEST(Physics, VectorFormsActOnEveryComponent) {
  const auto g = random_geometry<3>(3);
  double metric[6], volume[1];
  VectorDiffusion<3>{}.store(g, metric);
  VectorMass<3>{}.store(g, volume);
  PointValue<double, 3, 3> u, v;
  PointValue<double, 3, 1> one, result;
  for (int c = 0; c < 3; ++c) {
    u.value[c] = c + 1;
    for (int d = 0; d < 3; ++d) u.grad[c][d] = 0.5 * c - d;
  }
  VectorDiffusion<3>{}.apply(static_cast<const double*>(metric), u, v);
  VectorMass<3>{}.apply(static_cast<const double*>(volume), u, v);
  for (int c = 0; c < 3; ++c) {
    one.value[0] = u.value[c];
    for (int d = 0; d < 3; ++d) one.grad[0][d] = u.grad[c][d];
    Diffusion<3>{}.apply(static_cast<const double*>(metric), one, result);
    Mass<3>{}.apply(static_cast<const double*>(volume), one, result);
    EXPECT_EQ(v.value[c], result.value[0]);
    for (int d = 0; d < 3; ++d) EXPECT_EQ(v.grad[c][d], result.grad[0][d]);
  }
}

}  // namespace
}  // namespace millrace::testing
