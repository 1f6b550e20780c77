// The built-in physics: mass, diffusion, Helmholtz, their vector forms, convection-diffusion and linear elasticity.
// Each is written once, for host and device, and knows neither mesh nor order. Coefficients are functors of the place,
// or fields (fem/fields.hpp).
// `Form` is the physics that applies the stored factors of `Self`: they hold the coefficients, so one kernel serves
// all.
#pragma once

#include "millrace/fem/physics/point.hpp"
#include "millrace/fem/pointwise.hpp"

namespace millrace::fem {

/// A constant coefficient as it is; for one that varies, any: it is in the stored factors.
template <class Coefficient>
MILLRACE_HD constexpr Constant as_constant(const Coefficient& coefficient) {
  if constexpr (is_constant<Coefficient>)
    return coefficient;
  else
    return {};
}

/// (rho u, v), for each of C components.
template <int D, class Rho = Constant, int C = 1>
struct Mass {
  static constexpr int dim = D, comps = C;
  static constexpr bool uses_value = true, uses_grad = false, symmetric = true, takes_lanes = true;
  static constexpr int num_stored = 1;
  Rho rho{};

  using Self = Mass;
  using Form = Mass<D>;
  MILLRACE_HD constexpr Form form() const { return {as_constant(rho)}; }
  template <class P, class Visit>
  MILLRACE_HD static constexpr void each_coefficient(P& physics, Visit&& visit) {
    visit(physics.rho);
  }

  template <class T>
  MILLRACE_HD void store(const PointGeometry<T, D>& g, T* stored) const {
    stored[0] = g.weight * g.det * coefficient_at(rho, g);
  }
  template <class T>
  MILLRACE_HD void apply(const T* stored, const PointValue<T, D, C>& u, PointValue<T, D, C>& v) const {
    for (int c = 0; c < C; ++c) v.value[c] = stored[0] * u.value[c];
  }
  template <class T>
    requires(D == 3 && is_constant<Rho>)
  MILLRACE_HD void apply_with(const PointCofactors<T>& g, const PointValue<T, 3, C>& u, PointValue<T, 3, C>& v) const {
    const T volume = g.weight * g.det * T(rho.number);
    for (int c = 0; c < C; ++c) v.value[c] = volume * u.value[c];
  }
};

/// (mu grad u, grad v), for each of C components.
template <int D, class Mu = Constant, int C = 1>
struct Diffusion {
  static constexpr int dim = D, comps = C;
  static constexpr bool uses_value = false, uses_grad = true, symmetric = true, takes_lanes = true;
  static constexpr int num_stored = D * (D + 1) / 2;
  Mu mu{};

  using Self = Diffusion;
  using Form = Diffusion<D>;
  MILLRACE_HD constexpr Form form() const { return {as_constant(mu)}; }
  template <class P, class Visit>
  MILLRACE_HD static constexpr void each_coefficient(P& physics, Visit&& visit) {
    visit(physics.mu);
  }

  template <class T>
  MILLRACE_HD void store(const PointGeometry<T, D>& g, T* stored) const {
    store_metric<T, D>(g, g.weight * g.det * coefficient_at(mu, g), stored);
  }
  template <class T>
  MILLRACE_HD void apply(const T* stored, const PointValue<T, D, C>& u, PointValue<T, D, C>& v) const {
    for (int c = 0; c < C; ++c) apply_metric<T, D>(stored, u.grad[c], v.grad[c]);
  }
  template <class T>
    requires(D == 3 && is_constant<Mu>)
  MILLRACE_HD void apply_with(const PointCofactors<T>& g, const PointValue<T, 3, C>& u, PointValue<T, 3, C>& v) const {
    const T scale = g.weight * T(mu.number) * g.inverse_det;
    for (int c = 0; c < C; ++c) apply_cofactors(g, scale, u.grad[c], v.grad[c]);
  }
};

template <int D, class Rho = Constant>
using VectorMass = Mass<D, Rho, D>;
template <int D, class Mu = Constant>
using VectorDiffusion = Diffusion<D, Mu, D>;

/// (mu grad u, grad v) + (beta u, v); a negative beta is a wave.
template <int D, class Mu = Constant, class Beta = Constant>
struct Helmholtz {
  static constexpr int dim = D, comps = 1;
  static constexpr bool uses_value = true, uses_grad = true, symmetric = true, takes_lanes = true;
  static constexpr int num_metric = D * (D + 1) / 2;
  static constexpr int num_stored = num_metric + 1;  // the metric, beta
  Mu mu{};
  Beta beta{};

  using Self = Helmholtz;
  using Form = Helmholtz<D>;
  MILLRACE_HD constexpr Form form() const { return {as_constant(mu), as_constant(beta)}; }
  template <class P, class Visit>
  MILLRACE_HD static constexpr void each_coefficient(P& physics, Visit&& visit) {
    visit(physics.mu);
    visit(physics.beta);
  }

  template <class T>
  MILLRACE_HD void store(const PointGeometry<T, D>& g, T* stored) const {
    const T volume = g.weight * g.det;
    store_metric<T, D>(g, volume * coefficient_at(mu, g), stored);
    stored[num_metric] = volume * coefficient_at(beta, g);
  }
  template <class T>
  MILLRACE_HD void apply(const T* stored, const PointValue<T, D, 1>& u, PointValue<T, D, 1>& v) const {
    apply_metric<T, D>(stored, u.grad[0], v.grad[0]);
    v.value[0] = stored[num_metric] * u.value[0];
  }
  template <class T>
    requires(D == 3 && is_constant<Mu> && is_constant<Beta>)
  MILLRACE_HD void apply_with(const PointCofactors<T>& g, const PointValue<T, 3, 1>& u, PointValue<T, 3, 1>& v) const {
    apply_cofactors(g, g.weight * T(mu.number) * g.inverse_det, u.grad[0], v.grad[0]);
    v.value[0] = g.weight * g.det * T(beta.number) * u.value[0];
  }
};

/// The same velocity everywhere. A variable one is a struct with this operator() of its own.
template <int D>
struct ConstantVector {
  double number[unsigned(D)] = {};
  template <class T>
  MILLRACE_HD void operator()(const T*, T* velocity) const {
    for (int i = 0; i < D; ++i) velocity[i] = T(number[i]);
  }
};

/// (mu grad u, grad v) + (b . grad u, v).
template <int D, class Mu = Constant, class Velocity = ConstantVector<D>>
struct ConvectionDiffusion {
  static constexpr int dim = D, comps = 1;
  static constexpr bool uses_value = true, uses_grad = true, symmetric = false, takes_lanes = true;
  static constexpr int num_metric = D * (D + 1) / 2;
  static constexpr int num_stored = num_metric + D;  // the metric, J^-1 b
  Mu mu{};
  Velocity velocity{};

  using Self = ConvectionDiffusion;
  using Form = ConvectionDiffusion<D>;
  MILLRACE_HD constexpr Form form() const { return {as_constant(mu), {}}; }
  template <class P, class Visit>
  MILLRACE_HD static constexpr void each_coefficient(P& physics, Visit&& visit) {
    visit(physics.mu);
    visit(physics.velocity);
  }

  template <class T>
  MILLRACE_HD void store(const PointGeometry<T, D>& g, T* stored) const {
    const T volume = g.weight * g.det;
    store_metric<T, D>(g, volume * coefficient_at(mu, g), stored);
    T b[unsigned(D)];
    coefficients_at(velocity, g, b);
    for (int i = 0; i < D; ++i) {
      T sum = g.inverse[i][0] * b[0];
      for (int k = 1; k < D; ++k) sum += g.inverse[i][k] * b[k];
      stored[num_metric + i] = volume * sum;
    }
  }
  template <class T>
  MILLRACE_HD void apply(const T* stored, const PointValue<T, D, 1>& u, PointValue<T, D, 1>& v) const {
    apply_metric<T, D>(stored, u.grad[0], v.grad[0]);
    T sum = stored[num_metric] * u.grad[0][0];
    for (int i = 1; i < D; ++i) sum += stored[num_metric + i] * u.grad[0][i];
    v.value[0] = sum;
  }
};

/// Linear elasticity: (lambda div u, div v) + (mu (grad u + grad u^T), grad v).
template <int D, class Lambda = Constant, class Mu = Constant>
struct Elasticity {
  static constexpr int dim = D, comps = D;
  static constexpr bool uses_value = false, uses_grad = true, symmetric = true, takes_lanes = true;
  static constexpr int num_stored = D * D + 2;  // J^-1, lambda, mu
  Lambda lambda{};
  Mu mu{};

  using Self = Elasticity;
  using Form = Elasticity<D>;
  MILLRACE_HD constexpr Form form() const { return {as_constant(lambda), as_constant(mu)}; }
  template <class P, class Visit>
  MILLRACE_HD static constexpr void each_coefficient(P& physics, Visit&& visit) {
    visit(physics.lambda);
    visit(physics.mu);
  }

  template <class T>
  MILLRACE_HD void store(const PointGeometry<T, D>& g, T* stored) const {
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) stored[i * D + j] = g.inverse[i][j];
    stored[D * D] = g.weight * g.det * coefficient_at(lambda, g);
    stored[D * D + 1] = g.weight * g.det * coefficient_at(mu, g);
  }
  template <class T>
  MILLRACE_HD void apply(const T* stored, const PointValue<T, D, D>& u, PointValue<T, D, D>& v) const {
    constexpr unsigned N = D;
    T grad[N][N];  // [c][k]: d u_c / d x_k
    for (int c = 0; c < D; ++c)
      for (int k = 0; k < D; ++k) {
        T sum = u.grad[c][0] * stored[k];
        for (int j = 1; j < D; ++j) sum += u.grad[c][j] * stored[j * D + k];
        grad[c][k] = sum;
      }
    T divergence = grad[0][0];
    for (int k = 1; k < D; ++k) divergence += grad[k][k];
    const T pressure = stored[D * D] * divergence, shear = stored[D * D + 1];
    T stress[N][N];
    for (int c = 0; c < D; ++c)
      for (int k = 0; k < D; ++k) stress[c][k] = shear * (grad[c][k] + grad[k][c]) + (c == k ? pressure : T(0));
    for (int c = 0; c < D; ++c)
      for (int j = 0; j < D; ++j) {
        T sum = stress[c][0] * stored[j * D];
        for (int k = 1; k < D; ++k) sum += stress[c][k] * stored[j * D + k];
        v.grad[c][j] = sum;
      }
  }
};

}  // namespace millrace::fem
