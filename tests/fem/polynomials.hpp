// Polynomials that tests of fields interpolate and look at.
#pragma once

#include <cmath>

#include "millrace/fem/field_view.hpp"

namespace millrace::testing {

/// A polynomial of total degree p whose monomials all count, component c with other factors; and its gradient.
inline double polynomial(const Point& x, int p, int c = 0) {
  return std::pow(0.3 + 0.5 * x[0] - 0.4 * x[1] + 0.2 * x[2], p) + (c + 1) * (x[0] - 2 * x[1] + x[2]) - c;
}
inline Point polynomial_gradient(const Point& x, int p, int c = 0) {
  const double slope = p * std::pow(0.3 + 0.5 * x[0] - 0.4 * x[1] + 0.2 * x[2], p - 1);
  return {0.5 * slope + c + 1, -0.4 * slope - 2 * (c + 1), 0.2 * slope + c + 1};
}
inline VectorFunction components(int p) {
  return [p](const Point& x, std::span<double> value) {
    for (std::size_t c = 0; c < value.size(); ++c) value[c] = polynomial(x, p, static_cast<int>(c));
  };
}

/// Of a sum over nodes, with values up to some units: tables of Lagrange polynomials grow numbers by a small factor.
inline double rounding_of(int order) { return 1e-14 * (order + 1) * (order + 1); }

}  // namespace millrace::testing
