// The compressible Navier-Stokes equations of an ideal gas, of constant viscosity or Sutherland's. Lengths, speeds and
// densities are in units of the flow's, so that the viscosity far away is 1 / Re; temperatures in units of that there.
#pragma once

#include <array>
#include <string_view>

#include "millrace/hdg/physics/gas.hpp"

namespace millrace::hdg {

enum class ViscosityLaw { constant, sutherland };

template <int Dim>
struct NavierStokes {
  static constexpr std::string_view name = "navier-stokes";
  static constexpr int dim = Dim, comps = Dim + 2;
  static constexpr bool uses_gradient = true;
  // The data of a condition: the state there; a state outside; none; the wall's velocity; the wall's velocity and
  // temperature; a pressure; the flux outward; none; density and velocity.
  static constexpr std::array<std::string_view, 9> kinds{"dirichlet",      "far-field",       "slip-wall",
                                                         "adiabatic-wall", "isothermal-wall", "pressure-outlet",
                                                         "neumann",        "symmetry",        "subsonic-inflow"};
  static constexpr auto fields = joined(Gas<Dim>::fields, std::array<std::string_view, 2>{"temperature", "vorticity"});
  Gas<Dim> gas{};
  double mach = 0.5, reynolds = 100, prandtl = 0.72;
  ViscosityLaw law = ViscosityLaw::constant;
  double sutherland = 110.4 / 288.15;  // S: Sutherland's temperature over that far away, which is that of air at 15 C

  MILLRACE_HD double viscosity() const { return 1 / reynolds; }  // far away
  /// gamma M^2 p / rho: 1 far away.
  template <class N>
  MILLRACE_HD N temperature(const N* u) const {
    return (gas.gamma * mach * mach) * gas.pressure(u) / u[0];
  }
  /// The viscosity over that far away by Sutherland's law (1893), T^(3/2) (1 + S) / (T + S).
  template <class N>
  MILLRACE_HD N relative_viscosity(const N& t) const {
    using std::sqrt;
    return (1 + sutherland) * t * sqrt(t) / (t + sutherland);
  }

  /// Viscous stresses and the flow of heat, from conserved quantities and their gradients.
  template <class N>
  struct Viscous {
    N stress[to_size(Dim)][to_size(Dim)], heat[to_size(Dim)], v[to_size(Dim)];
    MILLRACE_HD Viscous(const NavierStokes& self, const N* u, const N* q) {
      const double mu = self.viscosity(), g = self.gas.gamma, conduction = mu * g / self.prandtl;
      const N over = 1.0 / u[0], energy = u[Dim + 1] * over;
      N dv[to_size(Dim)][to_size(Dim)], divergence(0);
      for (int i = 0; i < Dim; ++i) {
        v[i] = u[1 + i] * over;
        for (int j = 0; j < Dim; ++j) dv[i][j] = (q[(1 + i) * Dim + j] - v[i] * q[j]) * over;
        divergence += dv[i][i];
      }
      for (int j = 0; j < Dim; ++j) {
        N slope = (q[(Dim + 1) * Dim + j] - energy * q[j]) * over;  // of the energy, then without its kinetic part
        for (int i = 0; i < Dim; ++i) {
          slope -= v[i] * dv[i][j];
          stress[i][j] = mu * (dv[i][j] + dv[j][i]);
        }
        stress[j][j] -= (2.0 / 3.0 * mu) * divergence;
        heat[j] = -conduction * slope;
      }
      if (self.law == ViscosityLaw::constant) return;
      const N relative = self.relative_viscosity(self.temperature(u));
      for (int j = 0; j < Dim; ++j) {
        heat[j] *= relative;
        for (int i = 0; i < Dim; ++i) stress[i][j] *= relative;
      }
    }
  };

  /// The heat that is conducted in the direction n.
  template <class N>
  MILLRACE_HD N heat_through(const double* n, const N* u, const N* q) const {
    const Viscous<N> viscous(*this, u, q);
    N sum(0);
    for (int j = 0; j < Dim; ++j) sum += viscous.heat[j] * n[j];
    return sum;
  }

  template <class N>
  MILLRACE_HD void flux(const double*, const N* u, const N* q, N* f) const {
    gas.flux(u, f);
    const Viscous<N> viscous(*this, u, q);
    for (int j = 0; j < Dim; ++j) {
      N work = -viscous.heat[j];
      for (int i = 0; i < Dim; ++i) {
        f[(1 + i) * Dim + j] -= viscous.stress[i][j];
        work += viscous.v[i] * viscous.stress[i][j];
      }
      f[(Dim + 1) * Dim + j] -= work;
    }
  }
  template <class N>
  MILLRACE_HD void source(const double*, const N*, N* s) const {
    for (int i = 0; i < comps; ++i) s[i] = N(0);
  }
  /// The convective part, and diffusion coefficients over a length of 1.
  template <class N>
  MILLRACE_HD void stabilise(const double*, const double* n, const N* uh, const N* jump, N* out) const {
    gas.stabilise(n, uh, jump, out);
    N viscous[to_size(Dim + 1)];
    for (int i = 0; i < Dim; ++i) viscous[i] = viscosity() * jump[1 + i];
    viscous[Dim] = viscosity() * gas.gamma / prandtl * jump[Dim + 1];
    if (law == ViscosityLaw::sutherland) {
      const N relative = relative_viscosity(temperature(uh));
      for (N& part : viscous) part *= relative;
    }
    for (int i = 0; i <= Dim; ++i) out[1 + i] += viscous[i];
  }
  template <class N>
  MILLRACE_HD void boundary(int kind, const double* data, const double*, const double* n, const N* u, const N* q,
                            const N* uh, const N* hn, N* b) const {
    N outside[to_size(comps)];
    for (int i = 0; i < comps; ++i) outside[i] = N(data[i]);
    switch (kind) {
      case 0:
        for (int i = 0; i < comps; ++i) b[i] = uh[i] - outside[i];
        return;
      case 1:
        return gas.far_field(n, outside, u, uh, b);
      case 2:
        return gas.slip_wall(n, u, uh, b);
      case 5:
        return gas.outlet(n, data[0], u, uh, b);
      case 6:
        for (int i = 0; i < comps; ++i) b[i] = hn[i] - outside[i];
        return;
      case 7:
        return gas.symmetry(n, uh, hn, b);
      case 8:
        return gas.inflow(n, data, viscosity() * gas.gamma / prandtl, heat_through(n, uh, q), u, uh, b);
      default:
        break;
    }
    b[0] =
        hn[0];  // nothing passes, to the last digit, so that a closed domain keeps its mass; it ties rho to that of uh
    N kinetic(0);
    for (int i = 0; i < Dim; ++i) {
      b[1 + i] = uh[1 + i] - uh[0] * data[i];
      kinetic += 0.5 * uh[1 + i] * uh[1 + i] / uh[0];
    }
    if (kind == 3) {  // no heat: energy flows by pressure and friction alone, through the flux of momentum
      b[Dim + 1] = hn[Dim + 1];
      for (int i = 0; i < Dim; ++i) b[Dim + 1] -= data[i] * hn[1 + i];
    } else {  // the temperature of the wall
      const double wanted = data[Dim] / (gas.gamma * (gas.gamma - 1) * mach * mach);
      b[Dim + 1] = (uh[Dim + 1] - kinetic) / uh[0] - wanted;
    }
  }
  MILLRACE_HD bool admissible(const double* u) const { return gas.admissible(u); }
  MILLRACE_HD double speed(const double* u) const { return gas.speed(u); }
  /// In the plane with its sign: positive where the flow turns to the left. In space the length of the vector.
  MILLRACE_HD double vorticity(const double* u, const double* q) const {
    const auto slope = [&](int i, int j) { return (q[(1 + i) * Dim + j] - u[1 + i] / u[0] * q[j]) / u[0]; };
    const double about_z = slope(1, 0) - slope(0, 1);
    if constexpr (Dim == 2) return about_z;
    const double about_x = slope(2, 1) - slope(1, 2), about_y = slope(0, 2) - slope(2, 0);
    return std::sqrt(about_x * about_x + about_y * about_y + about_z * about_z);
  }
  MILLRACE_HD double field(int which, const double* u, const double* q) const {
    constexpr int first = static_cast<int>(Gas<Dim>::fields.size());
    return which < first ? gas.field(which, u) : which == first ? temperature(u) : vorticity(u, q);
  }
};

}  // namespace millrace::hdg
