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

/// F has `static constexpr int dim, comps` and
///   template <class T> MILLRACE_HD void operator()(const T* x, const T* u, const T (*grad_u)[dim], T* v,
///                                                  T (*flux)[dim]) const;
/// with [comps] and [comps][dim]; v and flux come as zeros. It may say `uses_value = false` or `uses_grad = false`.
template <class F>
struct Pointwise {
  static constexpr int dim = F::dim, comps = F::comps;
  static constexpr bool uses_value = says_value<F>, uses_grad = says_grad<F>, symmetric = is_symmetric<F>;
  static constexpr int num_stored = 1 + dim + (uses_grad ? dim * dim : 0);  // w det, x, J^-1
  F f{};

  template <class T>
  MILLRACE_HD void store(const PointGeometry<T, dim>& g, T* stored) const {
    stored[0] = g.weight * g.det;
    for (int i = 0; i < dim; ++i) stored[1 + i] = g.x[i];
    if constexpr (uses_grad)
      for (int i = 0; i < dim; ++i)
        for (int j = 0; j < dim; ++j) stored[1 + dim + i * dim + j] = g.inverse[i][j];
  }

  template <class T>
  MILLRACE_HD void apply(const T* stored, const PointValue<T, dim, comps>& u, PointValue<T, dim, comps>& v) const {
    const T* inverse = stored + 1 + dim;  // [j][k]: d xi_j / d x_k
    constexpr unsigned C = comps, D = dim;
    T grad[C][D] = {}, value[C] = {}, flux[C][D] = {};
    if constexpr (uses_grad)
      for (int c = 0; c < comps; ++c)
        for (int k = 0; k < dim; ++k)
          for (int j = 0; j < dim; ++j) grad[c][k] += u.grad[c][j] * inverse[j * dim + k];
    f(stored + 1, u.value, grad, value, flux);
    for (int c = 0; c < comps; ++c) {
      if constexpr (uses_value) v.value[c] = stored[0] * value[c];
      if constexpr (uses_grad)
        for (int j = 0; j < dim; ++j) {
          T sum = flux[c][0] * inverse[j * dim];
          for (int k = 1; k < dim; ++k) sum += flux[c][k] * inverse[j * dim + k];
          v.grad[c][j] = stored[0] * sum;
        }
    }
  }
};

}  // namespace millrace::fem
