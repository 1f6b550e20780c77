// The ideal gas that Euler and Navier-Stokes share: pressure, convective flux, and functions of its Jacobian.
// Conserved quantities u = (rho, rho v, rho E); scales are a length, a speed and a density of the flow, and pressure is
// in units of density times speed squared.
#pragma once

#include "millrace/base/dual.hpp"
#include "millrace/hdg/physics/field_names.hpp"

namespace millrace::hdg {

enum class Stabilisation { lax_friedrichs, roe };

template <int Dim>
struct Gas {
  static constexpr int comps = Dim + 2;
  double gamma = 1.4;
  double smoothing = 0.05;  // of absolute values of speeds: Newton's method stalls at kinks
  Stabilisation stabilisation = Stabilisation::lax_friedrichs;

  template <class N>
  MILLRACE_HD N pressure(const N* u) const {
    N kinetic = u[1] * u[1];
    for (int i = 1; i < Dim; ++i) kinetic += u[1 + i] * u[1 + i];
    return (gamma - 1) * (u[Dim + 1] - 0.5 * kinetic / u[0]);
  }

  /// f [comps, dim].
  template <class N>
  MILLRACE_HD void flux(const N* u, N* f) const {
    const N p = pressure(u), over = 1.0 / u[0];
    for (int j = 0; j < Dim; ++j) {
      const N v = u[1 + j] * over;
      f[j] = u[1 + j];
      for (int i = 0; i < Dim; ++i) f[(1 + i) * Dim + j] = u[1 + i] * v;
      f[(1 + j) * Dim + j] += p;
      f[(Dim + 1) * Dim + j] = (u[Dim + 1] + p) * v;
    }
  }

  /// What functions of the Jacobian in direction n need, at one state.
  template <class N>
  struct Speeds {
    N v[to_size(Dim)], normal, kinetic, enthalpy, sound, square;
    MILLRACE_HD Speeds(const Gas& gas, const N* u, const double* n) {
      using std::sqrt;
      const N over = 1.0 / u[0], p = gas.pressure(u);
      normal = N(0);
      kinetic = N(0);
      for (int i = 0; i < Dim; ++i) {
        v[i] = u[1 + i] * over;
        normal += v[i] * n[i];
        kinetic += 0.5 * v[i] * v[i];
      }
      enthalpy = (u[Dim + 1] + p) * over;
      square = gas.gamma * p * over;
      sound = sqrt(square);
    }
  };

  /// f(A_n) w, where A_n = dF n / du has the eigenvalues v n + c, v n - c and v n: `plus`, `minus` and `middle` are f
  /// of them. No matrix is formed.
  template <class N>
  MILLRACE_HD void apply_function(const Speeds<N>& s, const double* n, const N& plus, const N& minus, const N& middle,
                                  const N* w, N* out) const {
    N along = -s.normal * w[0], work = s.kinetic * w[0] + w[Dim + 1];
    for (int i = 0; i < Dim; ++i) {
      along += n[i] * w[1 + i];
      work -= s.v[i] * w[1 + i];
    }
    const N a = (gamma - 1) * work, mean = 0.5 * (plus + minus) - middle, half = 0.5 * (plus - minus);
    const N first = mean * a / s.square + half * along / s.sound, second = half * a / s.sound + mean * along;
    out[0] = middle * w[0] + first;
    for (int i = 0; i < Dim; ++i) out[1 + i] = middle * w[1 + i] + first * s.v[i] + second * n[i];
    out[Dim + 1] = middle * w[Dim + 1] + first * s.enthalpy + second * s.normal;
  }

  /// |A_n(uh)| w with smooth absolute values.
  template <class N>
  MILLRACE_HD void apply_absolute(const Speeds<N>& s, const double* n, const N* w, N* out) const {
    apply_function(s, n, smooth_abs(s.normal + s.sound, smoothing), smooth_abs(s.normal - s.sound, smoothing),
                   smooth_abs(s.normal, smoothing), w, out);
  }

  template <class N>
  MILLRACE_HD void stabilise(const double* n, const N* uh, const N* jump, N* out) const {
    const Speeds<N> s(*this, uh, n);
    if (stabilisation == Stabilisation::roe) return apply_absolute(s, n, jump, out);
    const N fastest = smooth_abs(s.normal, smoothing) + s.sound;
    for (int i = 0; i < comps; ++i) out[i] = fastest * jump[i];
  }

  /// The characteristic far field: (A + |A|)(u - uh) - (A - |A|)(outside - uh), both at uh.
  template <class N>
  MILLRACE_HD void far_field(const double* n, const N* outside, const N* u, const N* uh, N* b) const {
    const Speeds<N> s(*this, uh, n);
    N both[to_size(comps)], difference[to_size(comps)], straight[to_size(comps)], absolute[to_size(comps)];
    for (int i = 0; i < comps; ++i) {
      both[i] = u[i] + outside[i] - 2.0 * uh[i];
      difference[i] = u[i] - outside[i];
    }
    apply_function(s, n, s.normal + s.sound, s.normal - s.sound, s.normal, difference, straight);
    apply_absolute(s, n, both, absolute);
    for (int i = 0; i < comps; ++i) b[i] = straight[i] + absolute[i];
  }

  /// The far field with a pressure in place of that of the cell.
  template <class N>
  MILLRACE_HD void outlet(const double* n, double outlet_pressure, const N* u, const N* uh, N* b) const {
    N outside[to_size(comps)];
    for (int i = 0; i <= Dim; ++i) outside[i] = u[i];
    N kinetic(0);
    for (int i = 0; i < Dim; ++i) kinetic += 0.5 * u[1 + i] * u[1 + i] / u[0];
    outside[Dim + 1] = outlet_pressure / (gamma - 1) + kinetic;
    far_field(n, outside, u, uh, b);
  }

  /// A wall that lets gas slide along it: the trace is the state of the cell without its normal momentum.
  template <class N>
  MILLRACE_HD void slip_wall(const double* n, const N* u, const N* uh, N* b) const {
    N normal(0);
    for (int i = 0; i < Dim; ++i) normal += u[1 + i] * n[i];
    for (int i = 0; i < comps; ++i) b[i] = u[i] - uh[i];
    for (int i = 0; i < Dim; ++i) b[1 + i] -= normal * n[i];
  }

  /// A plane that mirrors the flow: what a face between two mirrored cells has. Nothing passes, the trace has no normal
  /// momentum, and neither the momentum along the plane (no friction) nor energy (no heat) flows through it. The
  /// numerical flux hn has the viscous part, where there is one.
  template <class N>
  MILLRACE_HD void symmetry(const double* n, const N* uh, const N* hn, N* b) const {
    N difference(0);  // of normal momentum and its flux
    for (int i = 0; i < Dim; ++i) difference += (uh[1 + i] - hn[1 + i]) * n[i];
    for (int i = 0; i < comps; ++i) b[i] = hn[i];
    for (int i = 0; i < Dim; ++i) b[1 + i] += difference * n[i];
  }

  /// Gas of a given density and velocity (data: 1 + Dim numbers) enters slower than sound, with the pressure of the
  /// cell: energy comes in by the flow alone, so that the heat conducted outward and (|v n| + c + diffusion) (p -
  /// p(uh)) / (gamma - 1) add up to nothing. Without the heat, that of a viscous gas would have no condition.
  template <class N>
  MILLRACE_HD void inflow(const double* n, const double* data, double diffusion, const N& heat, const N* u, const N* uh,
                          N* b) const {
    const Speeds<N> s(*this, uh, n);
    b[0] = uh[0] - data[0];
    for (int i = 0; i < Dim; ++i) b[1 + i] = uh[1 + i] - data[0] * data[1 + i];
    b[Dim + 1] =
        heat + (smooth_abs(s.normal, smoothing) + s.sound + diffusion) * (pressure(u) - pressure(uh)) / (gamma - 1);
  }

  /// The state far away: density 1, and speed 1 at an angle (in radians) in the plane of x and y.
  MILLRACE_HD void free_stream(double mach, double angle, double* u) const {
    for (int i = 0; i < comps; ++i) u[i] = 0;
    u[0] = 1;
    u[1] = std::cos(angle);
    u[2] = std::sin(angle);
    u[Dim + 1] = 0.5 + 1 / (gamma * (gamma - 1) * mach * mach);
  }
  MILLRACE_HD bool admissible(const double* u) const { return u[0] > 0 && pressure(u) > 0; }
  MILLRACE_HD double velocity(const double* u) const {
    double square = 0;
    for (int i = 0; i < Dim; ++i) square += u[1 + i] * u[1 + i];
    return std::sqrt(square) / u[0];
  }
  MILLRACE_HD double sound(const double* u) const { return std::sqrt(gamma * pressure(u) / u[0]); }
  MILLRACE_HD double speed(const double* u) const { return velocity(u) + sound(u); }
  MILLRACE_HD double mach(const double* u) const { return velocity(u) / sound(u); }
  MILLRACE_HD double entropy(const double* u) const { return pressure(u) / std::pow(u[0], gamma); }

  /// Fields of a state. Equations have theirs behind these.
  static constexpr auto fields =
      joined(std::array<std::string_view, 5>{"mach", "density", "pressure", "entropy", "velocity"},
             component_names<Dim>("velocity_x", "velocity_y", "velocity_z"));
  MILLRACE_HD double field(int which, const double* u) const {
    switch (which) {
      case 0:
        return mach(u);
      case 1:
        return u[0];
      case 2:
        return pressure(u);
      case 3:
        return entropy(u);
      case 4:
        return velocity(u);
      default:
        return u[which - 4] / u[0];
    }
  }
};

}  // namespace millrace::hdg
