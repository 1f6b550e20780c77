// An adaptor for physics written in physical coordinates, with no thought of geometry: the user's functor sees the
// place, u and its gradient, and writes what multiplies v and grad v. The adaptor keeps and applies the geometry.
#pragma once

#include "millrace/fem/physics/point.hpp"

namespace millrace::fem {

template <class F>
inline constexpr bool says_value = true;
template <class F>
  requires requires { F::uses_value; }
inline constexpr bool says_value<F> = F::uses_value;
template <class F>
inline constexpr bool says_grad = true;
template <class F>
  requires requires { F::uses_grad; }
inline constexpr bool says_grad<F> = F::uses_grad;
template <class F>
inline constexpr bool says_lanes = false;
template <class F>
  requires requires { F::takes_lanes; }
inline constexpr bool says_lanes<F> = F::takes_lanes;
template <class F>
inline constexpr int num_coefficients_of = 0;
template <class F>
  requires requires { F::num_coefficients; }
inline constexpr int num_coefficients_of<F> = F::num_coefficients;
template <class F>
inline constexpr int num_given_of = 0;
template <class F>
  requires requires { F::num_given; }
inline constexpr int num_given_of<F> = F::num_given;

/// What a functor that says num_coefficients or num_given sees of a point.
template <class T, int D>
struct FieldsAt {
  const T* x;                          // [D], the place
  const T* coefficient;                // [num_coefficients], in the order of each_coefficient
  const T* given;                      // [num_given]: nodal fields, by ElementOperator::set_given
  const T (*given_grad)[unsigned(D)];  // [num_given][D]
};

/// The numbers that are kept at a point for a functor, and where.
template <class F>
struct PointwiseNumbers {
  static constexpr int dim = F::dim, num_coefficients = num_coefficients_of<F>, num_given = num_given_of<F>;
  static constexpr bool keeps_inverse = says_grad<F> || num_given > 0;
  static constexpr int x = 1;  // after w det
  static constexpr int inverse = x + dim;
  static constexpr int coefficient = inverse + (keeps_inverse ? dim * dim : 0);
  static constexpr int given = coefficient + num_coefficients;
  static constexpr int given_grad = given + num_given;
  static constexpr int size = given_grad + num_given * dim;

  template <class T>
  struct StoreCoefficients {
    const PointGeometry<T, dim>& g;
    T* to;
    template <class Coefficient>
    MILLRACE_HD void operator()(const Coefficient& coefficient) {
      *to++ = coefficient_at(coefficient, g);
    }
  };

  template <class T>
  MILLRACE_HD static void store(const F& f, const PointGeometry<T, dim>& g, T* stored) {
    stored[0] = g.weight * g.det;
    for (int i = 0; i < dim; ++i) stored[x + i] = g.x[i];
    if constexpr (keeps_inverse)
      for (int i = 0; i < dim; ++i)
        for (int j = 0; j < dim; ++j) stored[inverse + i * dim + j] = g.inverse[i][j];
    if constexpr (num_coefficients > 0) F::each_coefficient(f, StoreCoefficients<T>{g, stored + coefficient});
    for (int i = given; i < size; ++i) stored[i] = T(0);
  }

  /// to = J^-T grad, the gradient in physical coordinates.
  template <class T>
  MILLRACE_HD static void to_physical(const T* stored, const T* grad, T* to) {
    for (int k = 0; k < dim; ++k) {
      T sum = grad[0] * stored[inverse + k];
      for (int j = 1; j < dim; ++j) sum += grad[j] * stored[inverse + j * dim + k];
      to[k] = sum;
    }
  }
  /// to = w det J^-1 flux, what multiplies the gradient of v in reference coordinates.
  template <class T>
  MILLRACE_HD static void to_reference(const T* stored, const T* flux, T* to) {
    for (int j = 0; j < dim; ++j) {
      T sum = flux[0] * stored[inverse + j * dim];
      for (int k = 1; k < dim; ++k) sum += flux[k] * stored[inverse + j * dim + k];
      to[j] = stored[0] * sum;
    }
  }

  /// The functor with the numbers as N: T, or a dual number of T.
  template <class N, class T>
  MILLRACE_HD static void call(const F& f, const T* stored, const N* u, const N (*grad)[unsigned(dim)], N* v,
                               N (*flux)[unsigned(dim)]) {
    constexpr unsigned D = dim, K = num_coefficients > 0 ? num_coefficients : 1, G = num_given > 0 ? num_given : 1;
    N place[D];
    for (int i = 0; i < dim; ++i) place[i] = N(stored[x + i]);
    if constexpr (num_coefficients + num_given == 0) {
      f(static_cast<const N*>(place), u, grad, v, flux);
    } else {
      N numbers[K], fields[G], slopes[G][D];
      for (int k = 0; k < num_coefficients; ++k) numbers[k] = N(stored[coefficient + k]);
      for (int i = 0; i < num_given; ++i) fields[i] = N(stored[given + i]);
      for (int i = 0; i < num_given * dim; ++i) slopes[i / dim][i % dim] = N(stored[given_grad + i]);
      f(FieldsAt<N, dim>{place, numbers, fields, slopes}, u, grad, v, flux);
    }
  }

  template <class T>
  MILLRACE_HD static void set_given(int field, T value, const T* grad, T* stored) {
    stored[given + field] = value;
    to_physical(stored, grad, stored + given_grad + field * dim);
  }
};

/// F has `static constexpr int dim, comps` and
///   template <class T> MILLRACE_HD void operator()(const T* x, const T* u, const T (*grad_u)[dim], T* v,
///                                                  T (*flux)[dim]) const;
/// with [comps] and [comps][dim]; v and flux come as zeros. It may say `uses_value = false` or `uses_grad = false`, and
/// `takes_lanes = true` if it holds only arithmetic, with every number written as T(number): the host is faster then.
/// It may also ask for
///   num_given: nodal fields and their gradients, which ElementOperator::set_given sets, and
///   num_coefficients: members of F that are constants, functors or fields (fem/fields.hpp), named in
///     template <class P, class Visit> static void each_coefficient(P& f, Visit&& visit) { visit(f.k); }
/// It then takes `const fem::FieldsAt<T, dim>& at` in place of x. What it computes need not be linear in u: see
/// fem/nonlinear_form.hpp.
template <class F>
struct Pointwise {
  using Numbers = PointwiseNumbers<F>;
  static constexpr int dim = F::dim, comps = F::comps;
  static constexpr bool uses_value = says_value<F>, uses_grad = says_grad<F>, symmetric = is_symmetric<F>;
  static constexpr bool takes_lanes = says_lanes<F>;
  static constexpr int num_stored = Numbers::size;
  static constexpr int num_fields = Numbers::num_given, num_state = 0;
  F f{};

  template <class P, class Visit>
    requires(num_coefficients_of<F> > 0)
  MILLRACE_HD static constexpr void each_coefficient(P& physics, Visit&& visit) {
    F::each_coefficient(physics.f, visit);
  }

  template <class T>
  MILLRACE_HD void store(const PointGeometry<T, dim>& g, T* stored) const {
    Numbers::store(f, g, stored);
  }
  template <class T>
  MILLRACE_HD void set_field(int field, T value, const T* grad, T* stored) const {
    Numbers::set_given(field, value, grad, stored);
  }
  template <class T>
  MILLRACE_HD void apply(const T* stored, const PointValue<T, dim, comps>& u, PointValue<T, dim, comps>& v) const {
    constexpr unsigned C = comps, D = dim;
    T grad[C][D] = {}, value[C] = {}, flux[C][D] = {};
    if constexpr (uses_grad)
      for (int c = 0; c < comps; ++c) Numbers::to_physical(stored, u.grad[c], grad[c]);
    Numbers::template call<T>(f, stored, u.value, grad, value, flux);
    for (int c = 0; c < comps; ++c) {
      if constexpr (uses_value) v.value[c] = stored[0] * value[c];
      if constexpr (uses_grad) Numbers::to_reference(stored, flux[c], v.grad[c]);
    }
  }
};

}  // namespace millrace::fem
