// An equation as the solver sees it: fluxes, sources and conditions at many points of a cell at once, with their exact
// derivatives. Behind it stands a physics (hdg/physics/), which is written for one point and any type of number.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "millrace/base/dual.hpp"
#include "millrace/base/error.hpp"

namespace millrace::hdg {

/// What is known at some points, and what is asked for. Arrays have the points fastest; null: not asked for.
struct VolumePoints {
  int num = 0;
  const double* x = nullptr;   // [dim, num]
  const double* u = nullptr;   // [comps, num]
  const double* q = nullptr;   // [comps, dim, num]: the gradient of u, where the equation uses it
  double* flux = nullptr;      // [comps, dim, num]
  double* flux_u = nullptr;    // [comps, dim, comps, num]: derivatives by u
  double* flux_q = nullptr;    // [comps, dim, comps, dim, num]: derivatives by q
  double* source = nullptr;    // [comps, num]
  double* source_u = nullptr;  // [comps, comps, num]
};

/// On a face, seen from a cell. The numerical flux is F(uh, q) n + S(uh) (u - uh).
struct FacePoints {
  int num = 0, stride = 0;         // points, and the distance of rows of the arrays
  int kind = -1;                   // of the equation's boundary kinds; -1: between two cells
  const double* x = nullptr;       // [dim, stride]
  const double* normal = nullptr;  // [dim, stride]: outward, of length 1
  const double* data = nullptr;    // [comps, num]: what the boundary condition was given
  const double* u = nullptr;       // [comps, stride]: of the cell
  const double* q = nullptr;       // [comps, dim, stride]: of the cell
  const double* uh = nullptr;      // [comps, stride]: the trace
  double* flux = nullptr;          // [comps, stride]: numerical flux
  double* flux_d = nullptr;        // [comps, inputs, stride]: derivatives by u, uh, q
  double* condition = nullptr;     // [comps, stride]: zero where the boundary condition holds; boundary faces only
  double* condition_d = nullptr;   // [comps, inputs, stride]
};

/// Stateless after it was made, so one serves all threads.
class Equation {
 public:
  virtual ~Equation() = default;
  virtual std::string_view name() const = 0;
  virtual int dim() const = 0;
  virtual int comps() const = 0;
  virtual bool uses_gradient() const = 0;
  virtual std::span<const std::string_view> kinds() const = 0;  // of boundary conditions
  /// What can be computed from u and q, what a picture shows first; names that end in _x, _y (_z) are of one vector.
  virtual std::span<const std::string_view> fields() const = 0;
  virtual void at_points(const VolumePoints& points) const = 0;
  virtual void at_face(const FacePoints& points) const = 0;
  /// The first point whose state is impossible (a negative density, say), or num.
  virtual int first_inadmissible(int num, const double* u) const = 0;
  /// The fastest signal, which a step of pseudo-time follows.
  virtual double speed(const double* u) const = 0;
  virtual double field(int which, const double* u, const double* q) const = 0;  // u [comps], q [comps, dim]
  /// div F(u, q) - s [comps] at a place, for a u whose gradient q [comps, dim] and second derivatives
  /// [comps, dim, dim] are known: the source that makes u a solution. The flux may not depend on the place itself.
  virtual void balance(const double* x, const double* u, const double* q, const double* second, double* out) const = 0;

  /// Numbers that a numerical flux depends on: u, uh and q.
  int inputs() const { return comps() * (2 + (uses_gradient() ? dim() : 0)); }
  /// The number of a kind; an Error lists those there are.
  int kind(std::string_view name) const;
  /// The number of a field, likewise.
  int field_number(std::string_view name) const;
};

namespace detail {

template <class P>
class EquationOf final : public Equation {
 public:
  explicit EquationOf(const P& physics) : physics_(physics) {}
  std::string_view name() const override { return P::name; }
  int dim() const override { return d; }
  int comps() const override { return c; }
  bool uses_gradient() const override { return P::uses_gradient; }
  std::span<const std::string_view> kinds() const override { return P::kinds; }
  std::span<const std::string_view> fields() const override { return P::fields; }
  double speed(const double* u) const override { return physics_.speed(u); }
  double field(int which, const double* u, const double* q) const override { return physics_.field(which, u, q); }

  void balance(const double* x, const double* u, const double* q, const double* second, double* out) const override {
    using N = Dual<double, d>;  // derivatives by the place
    N state[to_size(c)], gradient[to_size(c * d)], f[to_size(c * d)];
    double s[to_size(c)];
    for (int i = 0; i < c; ++i) state[i] = with_slopes<N>(u[i], q + i * d);
    for (int i = 0; i < c * d; ++i) gradient[i] = with_slopes<N>(q[i], second + i * d);
    physics_.flux(x, state, gradient, f);
    physics_.source(x, u, s);
    for (int i = 0; i < c; ++i) {
      out[i] = -s[i];
      for (int j = 0; j < d; ++j) out[i] += f[i * d + j].slope[j];
    }
  }

  int first_inadmissible(int num, const double* u) const override {
    for (int p = 0; p < num; ++p) {
      double here[to_size(c)];
      for (int i = 0; i < c; ++i) here[i] = u[i * num + p];
      if (!physics_.admissible(here)) return p;
    }
    return num;
  }

  void at_points(const VolumePoints& v) const override {
    for (int p = 0; p < v.num; ++p)
      if (v.flux_u)
        differentiate(v, p);
      else
        evaluate(v, p);
  }

  void at_face(const FacePoints& f) const override {
    for (int p = 0; p < f.num; ++p)
      if (f.flux_d)
        on_face<FaceDual, true>(f, p);
      else
        on_face<double, false>(f, p);
  }

 private:
  static constexpr int d = P::dim, c = P::comps, gradients = P::uses_gradient ? c * d : 0;
  static constexpr int directions = c + gradients, face_directions = 2 * c + gradients;
  using VolumeDual = Dual<double, directions>;
  using FaceDual = Dual<double, face_directions>;

  template <class N>
  static N with_slopes(double value, const double* slopes) {
    N number(value);
    for (int j = 0; j < d; ++j) number.slope[j] = slopes[j];
    return number;
  }
  static void take(const double* from, int num, int p, int count, double* to) {
    for (int i = 0; i < count; ++i) to[i] = from[i * num + p];
  }
  template <int N>
  static void take(const double* from, int num, int p, int count, Dual<double, N>* to, int first) {
    for (int i = 0; i < count; ++i) to[i] = Dual<double, N>::variable(from[i * num + p], first + i);
  }

  void evaluate(const VolumePoints& v, int p) const {
    double x[to_size(d)], u[to_size(c)], q[to_size(c * d)] = {}, f[to_size(c * d)], s[to_size(c)];
    take(v.x, v.num, p, d, x);
    take(v.u, v.num, p, c, u);
    if constexpr (gradients > 0) take(v.q, v.num, p, gradients, q);
    physics_.flux(x, u, q, f);
    for (int i = 0; i < c * d; ++i) v.flux[i * v.num + p] = f[i];
    physics_.source(x, u, s);
    for (int i = 0; i < c; ++i) v.source[i * v.num + p] = s[i];
  }

  void differentiate(const VolumePoints& v, int p) const {
    double x[to_size(d)];
    VolumeDual u[to_size(c)], q[to_size(c * d)], f[to_size(c * d)], s[to_size(c)];
    take(v.x, v.num, p, d, x);
    take(v.u, v.num, p, c, u, 0);
    if constexpr (gradients > 0) take(v.q, v.num, p, gradients, q, c);
    physics_.flux(x, u, q, f);
    physics_.source(x, u, s);
    for (int i = 0; i < c * d; ++i) {
      v.flux[i * v.num + p] = f[i].value;
      for (int k = 0; k < c; ++k) v.flux_u[(i * c + k) * v.num + p] = f[i].slope[k];
      for (int k = 0; k < gradients; ++k) v.flux_q[(i * gradients + k) * v.num + p] = f[i].slope[c + k];
    }
    for (int i = 0; i < c; ++i) {
      v.source[i * v.num + p] = s[i].value;
      for (int k = 0; k < c; ++k) v.source_u[(i * c + k) * v.num + p] = s[i].slope[k];
    }
  }

  template <class N, bool Derivatives>
  void on_face(const FacePoints& at, int p) const {
    double x[to_size(d)], n[to_size(d)];
    N u[to_size(c)], uh[to_size(c)], q[to_size(c * d)], jump[to_size(c)], f[to_size(c * d)], h[to_size(c)],
        b[to_size(c)];
    take(at.x, at.stride, p, d, x);
    take(at.normal, at.stride, p, d, n);
    if constexpr (Derivatives) {
      take(at.u, at.stride, p, c, u, 0);
      take(at.uh, at.stride, p, c, uh, c);
      if constexpr (gradients > 0) take(at.q, at.stride, p, gradients, q, 2 * c);
    } else {
      take(at.u, at.stride, p, c, u);
      take(at.uh, at.stride, p, c, uh);
      if constexpr (gradients > 0) take(at.q, at.stride, p, gradients, q);
    }
    physics_.flux(x, uh, q, f);
    for (int i = 0; i < c; ++i) jump[i] = u[i] - uh[i];
    physics_.stabilise(x, n, uh, jump, h);
    for (int i = 0; i < c; ++i)
      for (int j = 0; j < d; ++j) h[i] += f[i * d + j] * n[j];
    write<Derivatives>(h, at.stride, p, at.flux, at.flux_d);
    if (at.kind < 0) return;
    double data[to_size(c)];
    take(at.data, at.num, p, c, data);
    physics_.boundary(at.kind, data, x, n, u, q, uh, h, b);
    write<Derivatives>(b, at.stride, p, at.condition, at.condition_d);
  }

  template <bool Derivatives, class N>
  static void write(const N* from, int num, int p, double* values, double* derivatives) {
    for (int i = 0; i < c; ++i) {
      values[i * num + p] = value_of(from[i]);
      if constexpr (Derivatives)
        for (int k = 0; k < face_directions; ++k) derivatives[(i * face_directions + k) * num + p] = from[i].slope[k];
    }
  }

  P physics_;
};

}  // namespace detail

/// An equation of your own physics: see docs/hdg.md for what it has to have.
template <class P>
std::shared_ptr<const Equation> make_equation(const P& physics) {
  return std::make_shared<detail::EquationOf<P>>(physics);
}

}  // namespace millrace::hdg
