// Convection and diffusion of a scalar, div(v u - k grad u) = s, with a constant velocity v.
#pragma once

#include <array>
#include <string_view>

#include "millrace/base/dual.hpp"
#include "millrace/hdg/physics/field_names.hpp"

namespace millrace::hdg {

template <int Dim>
struct ConvectionDiffusion {
  static constexpr std::string_view name = "convection-diffusion";
  static constexpr int dim = Dim, comps = 1;
  static constexpr bool uses_gradient = true;
  static constexpr std::array<std::string_view, 2> kinds{"dirichlet", "neumann"};  // u = g; the flux outward is g
  static constexpr auto fields = ScalarFields<Dim>::names;
  double velocity[to_size(Dim)] = {};
  double conductivity = 1;
  double tau = 1;  // of the diffusive part; the convective one has |v n|

  template <class N>
  MILLRACE_HD void flux(const double*, const N* u, const N* q, N* f) const {
    for (int j = 0; j < Dim; ++j) f[j] = velocity[j] * u[0] - conductivity * q[j];
  }
  template <class N>
  MILLRACE_HD void source(const double*, const N*, N* s) const {
    s[0] = N(0);
  }
  template <class N>
  MILLRACE_HD void stabilise(const double*, const double* n, const N*, const N* jump, N* out) const {
    double normal = 0;
    for (int j = 0; j < Dim; ++j) normal += velocity[j] * n[j];
    out[0] = (std::abs(normal) + tau) * jump[0];
  }
  template <class N>
  MILLRACE_HD void boundary(int kind, const double* g, const double*, const double*, const N*, const N*, const N* uh,
                            const N* hn, N* b) const {
    b[0] = kind == 0 ? uh[0] - g[0] : hn[0] - g[0];
  }
  MILLRACE_HD bool admissible(const double*) const { return true; }
  MILLRACE_HD double speed(const double*) const {
    double square = 0;
    for (int j = 0; j < Dim; ++j) square += velocity[j] * velocity[j];
    return std::sqrt(square) + tau;
  }
  MILLRACE_HD double field(int which, const double* u, const double* q) const {
    return ScalarFields<Dim>::value(which, u, q);
  }
};

}  // namespace millrace::hdg
