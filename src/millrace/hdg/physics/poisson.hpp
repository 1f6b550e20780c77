// Poisson's equation, -div(k grad u) = s.
#pragma once

#include <array>
#include <string_view>

#include "millrace/base/dual.hpp"
#include "millrace/hdg/physics/field_names.hpp"

namespace millrace::hdg {

template <int Dim>
struct Poisson {
  static constexpr std::string_view name = "poisson";
  static constexpr int dim = Dim, comps = 1;
  static constexpr bool uses_gradient = true;
  static constexpr std::array<std::string_view, 2> kinds{"dirichlet", "neumann"};  // u = g; the flux outward is g
  static constexpr auto fields = ScalarFields<Dim>::names;
  double conductivity = 1;
  double tau = 1;  // stabilisation

  template <class N>
  MILLRACE_HD void flux(const double*, const N*, const N* q, N* f) const {
    for (int j = 0; j < Dim; ++j) f[j] = -conductivity * q[j];
  }
  template <class N>
  MILLRACE_HD void source(const double*, const N*, N* s) const {
    s[0] = N(0);
  }
  template <class N>
  MILLRACE_HD void stabilise(const double*, const double*, const N*, const N* jump, N* out) const {
    out[0] = tau * jump[0];
  }
  template <class N>
  MILLRACE_HD void boundary(int kind, const double* g, const double*, const double*, const N*, const N*, const N* uh,
                            const N* hn, N* b) const {
    b[0] = kind == 0 ? uh[0] - g[0] : hn[0] - g[0];
  }
  MILLRACE_HD bool admissible(const double*) const { return true; }
  MILLRACE_HD double speed(const double*) const { return 1; }
  MILLRACE_HD double field(int which, const double* u, const double* q) const {
    return ScalarFields<Dim>::value(which, u, q);
  }
};

}  // namespace millrace::hdg
