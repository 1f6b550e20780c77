// What a pointwise physics sees: the geometry of one quadrature point, and the value and gradient of the unknown there.
// For host and device, and for run-time compilation: nothing of the standard library is needed.
#pragma once

#include "millrace/base/build.hpp"

namespace millrace::fem {

// Bounds are unsigned(D): GCC 12 warns of an int there.

/// The element's map from reference coordinates xi to places x, at one point.
template <class T, int D>
struct PointGeometry {
  T x[unsigned(D)];
  T jacobian[unsigned(D)][unsigned(D)];  // [i][j]: d x_i / d xi_j
  T inverse[unsigned(D)][unsigned(D)];   // [i][j]: d xi_i / d x_j
  T det;                                 // of the jacobian
  T weight;                              // of the quadrature rule
  int element = 0, point = 0;            // numbers of the element, and of the point in it
  int group = 0;                         // the physical group of the cell, or 0
};

/// The unknown u, or what the test function v is multiplied with. Gradients are with respect to xi.
template <class T, int D, int C>
struct PointValue {
  T value[unsigned(C)];
  T grad[unsigned(C)][unsigned(D)];
};

/// Determinant and inverse from the jacobian; the element must not be degenerate.
template <class T, int D>
MILLRACE_HD inline void invert(PointGeometry<T, D>& g) {
  const auto& a = g.jacobian;
  auto& b = g.inverse;
  if constexpr (D == 1) {
    g.det = a[0][0];
    b[0][0] = T(1) / g.det;
  } else if constexpr (D == 2) {
    g.det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    const T s = T(1) / g.det;
    b[0][0] = s * a[1][1];
    b[0][1] = -s * a[0][1];
    b[1][0] = -s * a[1][0];
    b[1][1] = s * a[0][0];
  } else {
    const T c0 = a[1][1] * a[2][2] - a[1][2] * a[2][1];
    const T c1 = a[1][2] * a[2][0] - a[1][0] * a[2][2];
    const T c2 = a[1][0] * a[2][1] - a[1][1] * a[2][0];
    g.det = a[0][0] * c0 + a[0][1] * c1 + a[0][2] * c2;
    const T s = T(1) / g.det;
    b[0][0] = s * c0;
    b[1][0] = s * c1;
    b[2][0] = s * c2;
    b[0][1] = s * (a[0][2] * a[2][1] - a[0][1] * a[2][2]);
    b[1][1] = s * (a[0][0] * a[2][2] - a[0][2] * a[2][0]);
    b[2][1] = s * (a[0][1] * a[2][0] - a[0][0] * a[2][1]);
    b[0][2] = s * (a[0][1] * a[1][2] - a[0][2] * a[1][1]);
    b[1][2] = s * (a[0][2] * a[1][0] - a[0][0] * a[1][2]);
    b[2][2] = s * (a[0][0] * a[1][1] - a[0][1] * a[1][0]);
  }
}

/// A coefficient that is the same everywhere. A variable one is a struct with the same operator() of its own.
struct Constant {
  double number = 1;
  template <class T>
  MILLRACE_HD T operator()(const T*) const {
    return T(number);
  }
};

/// A coefficient at a point: a functor of the place x, or of all that PointGeometry knows.
template <class T, int D, class Coefficient>
MILLRACE_HD inline T coefficient_at(const Coefficient& coefficient, const PointGeometry<T, D>& g) {
  if constexpr (requires { coefficient(g.x); })
    return coefficient(g.x);
  else
    return coefficient(g);
}

/// The same for one with several components, such as a velocity: coefficient(x, numbers) or coefficient(g, numbers).
template <class T, int D, class Coefficient>
MILLRACE_HD inline void coefficients_at(const Coefficient& coefficient, const PointGeometry<T, D>& g, T* numbers) {
  if constexpr (requires { coefficient(g.x, numbers); })
    coefficient(g.x, numbers);
  else
    coefficient(g, numbers);
}

/// Entry (i, j) of a symmetric matrix kept by its upper triangle: in 3D xx xy xz yy yz zz.
template <int D>
MILLRACE_HD constexpr int upper(int i, int j) {
  return i <= j ? i * D - i * (i - 1) / 2 + (j - i) : j * D - j * (j - 1) / 2 + (i - j);
}

/// Is it one that is the same everywhere?
template <class Coefficient>
inline constexpr bool is_constant = false;
template <>
inline constexpr bool is_constant<Constant> = true;

/// stored = scale J^-1 J^-T, what a diffusion needs of the geometry: D (D + 1) / 2 numbers.
template <class T, int D>
MILLRACE_HD inline void store_metric(const PointGeometry<T, D>& g, T scale, T* stored) {
  for (int i = 0; i < D; ++i)
    for (int j = i; j < D; ++j) {
      T sum = g.inverse[i][0] * g.inverse[j][0];
      for (int k = 1; k < D; ++k) sum += g.inverse[i][k] * g.inverse[j][k];
      stored[upper<D>(i, j)] = scale * sum;
    }
}

/// flux = S grad with the symmetric S of store_metric.
template <class T, int D>
MILLRACE_HD inline void apply_metric(const T* stored, const T* grad, T* flux) {
  for (int i = 0; i < D; ++i) {
    T sum = stored[upper<D>(i, 0)] * grad[0];
    for (int j = 1; j < D; ++j) sum += stored[upper<D>(i, j)] * grad[j];
    flux[i] = sum;
  }
}

/// What a physics with constant coefficients needs of a point in three dimensions where nothing is stored (its
/// apply_with): no inverse is formed.
template <class T>
struct PointCofactors {
  T cofactor[3][3];  // [j][i]: det d xi_j / d x_i, the cross product of the other two columns of the jacobian
  T det, inverse_det;
  T weight;  // of the quadrature rule
};

/// All but inverse_det, which a device has a fast way to, and the weight: 21 multiplications and multiply-adds.
template <class T>
MILLRACE_HD inline void find_cofactors(const T (&jacobian)[3][3], PointCofactors<T>& g) {
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i) {
      const int j1 = (j + 1) % 3, j2 = (j + 2) % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
      g.cofactor[j][i] = jacobian[i1][j1] * jacobian[i2][j2] - jacobian[i2][j1] * jacobian[i1][j2];
    }
  g.det = jacobian[0][0] * g.cofactor[0][0] + jacobian[1][0] * g.cofactor[0][1] + jacobian[2][0] * g.cofactor[0][2];
}

/// flux = scale C C^T grad with the rows C of g.cofactor, which is apply_metric of store_metric with scale det^2: 21
/// again.
template <class T>
MILLRACE_HD inline void apply_cofactors(const PointCofactors<T>& g, T scale, const T* grad, T* flux) {
  T there[3];  // along the coordinates
  for (int i = 0; i < 3; ++i)
    there[i] = scale * (g.cofactor[0][i] * grad[0] + g.cofactor[1][i] * grad[1] + g.cofactor[2][i] * grad[2]);
  for (int j = 0; j < 3; ++j)
    flux[j] = g.cofactor[j][0] * there[0] + g.cofactor[j][1] * there[1] + g.cofactor[j][2] * there[2];
}

/// A pointwise physics: a plain functor that folds the geometry into `num_stored` numbers per point (store), and turns
/// value and gradient of u into the factors of value and gradient of the test function (apply). One with
/// apply_with(cofactors, u, v) does both at once, where factors are recomputed on a GPU. One whose coefficients may be
/// fields (fem/fields.hpp) names them in each_coefficient(physics, visit).
template <class P>
concept Physics = __is_trivially_copyable(P) && requires(const P& physics, const PointGeometry<double, P::dim>& g,
                                                         const PointValue<double, P::dim, P::comps>& u,
                                                         PointValue<double, P::dim, P::comps>& v, double* stored) {
  P::uses_value || P::uses_grad;
  P::num_stored + 0;
  physics.store(g, stored);
  physics.apply(static_cast<const double*>(stored), u, v);
};

/// Is the bilinear form symmetric? A physics says so by `static constexpr bool symmetric = true`.
template <class P>
inline constexpr bool is_symmetric = false;
template <class P>
  requires requires { P::symmetric; }
inline constexpr bool is_symmetric<P> = P::symmetric;

}  // namespace millrace::fem
