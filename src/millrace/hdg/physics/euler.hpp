// The Euler equations of an ideal gas.
#pragma once

#include <array>
#include <string_view>

#include "millrace/hdg/physics/gas.hpp"

namespace millrace::hdg {

template <int Dim>
struct Euler {
  static constexpr std::string_view name = "euler";
  static constexpr int dim = Dim, comps = Dim + 2;
  static constexpr bool uses_gradient = false;
  // The data of a condition: the state there; a state outside; none; a pressure; none; density and velocity.
  static constexpr std::array<std::string_view, 6> kinds{"dirichlet",       "far-field", "slip-wall",
                                                         "pressure-outlet", "symmetry",  "subsonic-inflow"};
  static constexpr auto fields = Gas<Dim>::fields;
  Gas<Dim> gas{};

  template <class N>
  MILLRACE_HD void flux(const double*, const N* u, const N*, N* f) const {
    gas.flux(u, f);
  }
  template <class N>
  MILLRACE_HD void source(const double*, const N*, N* s) const {
    for (int i = 0; i < comps; ++i) s[i] = N(0);
  }
  template <class N>
  MILLRACE_HD void stabilise(const double*, const double* n, const N* uh, const N* jump, N* out) const {
    gas.stabilise(n, uh, jump, out);
  }
  template <class N>
  MILLRACE_HD void boundary(int kind, const double* data, const double*, const double* n, const N* u, const N*,
                            const N* uh, const N* hn, N* b) const {
    N outside[to_size(comps)];
    for (int i = 0; i < comps; ++i) outside[i] = N(data[i]);
    if (kind == 0)
      for (int i = 0; i < comps; ++i) b[i] = uh[i] - outside[i];
    else if (kind == 1)
      gas.far_field(n, outside, u, uh, b);
    else if (kind == 2)
      gas.slip_wall(n, u, uh, b);
    else if (kind == 3)
      gas.outlet(n, data[0], u, uh, b);
    else if (kind == 4)
      gas.symmetry(n, uh, hn, b);
    else
      gas.inflow(n, data, 0.0, N(0), u, uh, b);
  }
  MILLRACE_HD bool admissible(const double* u) const { return gas.admissible(u); }
  MILLRACE_HD double speed(const double* u) const { return gas.speed(u); }
  MILLRACE_HD double field(int which, const double* u, const double*) const { return gas.field(which, u); }
};

}  // namespace millrace::hdg
