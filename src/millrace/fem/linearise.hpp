// The derivative of a physics that is not linear, from its own source: a functor of fem::Pointwise runs on dual numbers
// (base/dual.hpp), with the state in the values and the direction in the slopes. For host and device.
#pragma once

#include "millrace/base/dual.hpp"
#include "millrace/fem/pointwise.hpp"

namespace millrace::fem {

/// v = F'(u) du at a point, where the state u is kept with the geometry: ElementOperator::update sets it. A functor
/// that says `symmetric` says it of this derivative.
template <class F>
struct Linearised {
  using Numbers = PointwiseNumbers<F>;
  static constexpr int dim = F::dim, comps = F::comps;
  static constexpr bool uses_value = says_value<F>, uses_grad = says_grad<F>, symmetric = is_symmetric<F>;
  static constexpr bool takes_lanes = says_lanes<F>;
  static constexpr int state = Numbers::size;  // where the values of u are kept, and then its gradient
  static constexpr int state_grad = state + (uses_value ? comps : 0);
  static constexpr int num_stored = state_grad + (uses_grad ? comps * dim : 0);
  static constexpr int num_state = comps, num_fields = num_state + Numbers::num_given;
  F f{};

  template <class P, class Visit>
    requires(num_coefficients_of<F> > 0)
  MILLRACE_HD static constexpr void each_coefficient(P& physics, Visit&& visit) {
    F::each_coefficient(physics.f, visit);
  }

  template <class T>
  MILLRACE_HD void store(const PointGeometry<T, dim>& g, T* stored) const {
    Numbers::store(f, g, stored);
    for (int i = state; i < num_stored; ++i) stored[i] = T(0);
  }
  template <class T>
  MILLRACE_HD void set_field(int field, T value, const T* grad, T* stored) const {
    if (field >= comps) return Numbers::set_given(field - comps, value, grad, stored);
    if constexpr (uses_value) stored[state + field] = value;
    if constexpr (uses_grad) Numbers::to_physical(stored, grad, stored + state_grad + field * dim);
  }
  template <class T>
  MILLRACE_HD void apply(const T* stored, const PointValue<T, dim, comps>& du, PointValue<T, dim, comps>& v) const {
    constexpr unsigned C = comps, D = dim;
    using N = Dual<T, 1>;
    N u[C] = {}, grad[C][D] = {}, value[C] = {}, flux[C][D] = {};
    for (int c = 0; c < comps; ++c) {
      if constexpr (uses_value) {
        u[c].value = stored[state + c];
        u[c].slope[0] = du.value[c];
      }
      if constexpr (uses_grad) {
        T direction[D];
        Numbers::to_physical(stored, du.grad[c], direction);
        for (int d = 0; d < dim; ++d) {
          grad[c][d].value = stored[state_grad + c * dim + d];
          grad[c][d].slope[0] = direction[d];
        }
      }
    }
    Numbers::template call<N>(f, stored, u, grad, value, flux);
    for (int c = 0; c < comps; ++c) {
      if constexpr (uses_value) v.value[c] = stored[0] * value[c].slope[0];
      if constexpr (uses_grad) {
        T slope[D];
        for (int d = 0; d < dim; ++d) slope[d] = flux[c][d].slope[0];
        Numbers::to_reference(stored, slope, v.grad[c]);
      }
    }
  }
};

/// The derivative of a physics. An operator made of it is linear, the Jacobian at the state that `update` sets (0 at
/// first); it has a diagonal and a matrix as any other, and goes to a GPU where its functor is compiled by nvcc.
template <class F>
MILLRACE_HD constexpr Linearised<F> linearise(const Pointwise<F>& physics) {
  return {physics.f};
}

}  // namespace millrace::fem
