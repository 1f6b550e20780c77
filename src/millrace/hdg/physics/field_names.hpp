// Names of what can be computed from a state, as lists that depend on the dimension; and the fields of scalar
// equations.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "millrace/base/build.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace::hdg {

/// Two lists, one behind the other.
template <std::size_t M, std::size_t N>
constexpr std::array<std::string_view, M + N> joined(const std::array<std::string_view, M>& first,
                                                     const std::array<std::string_view, N>& second) {
  std::array<std::string_view, M + N> all{};
  std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), all.begin()));
  return all;
}

/// Names of the components that a vector has in this dimension.
template <int Dim>
constexpr std::array<std::string_view, to_size(Dim)> component_names(std::string_view x, std::string_view y,
                                                                     std::string_view z) {
  if constexpr (Dim == 2)
    return {x, y};
  else
    return {x, y, z};
}

/// u, the length of its gradient, and the gradient's components.
template <int Dim>
struct ScalarFields {
  static constexpr auto names = joined(std::array<std::string_view, 2>{"u", "gradient"},
                                       component_names<Dim>("gradient_x", "gradient_y", "gradient_z"));
  MILLRACE_HD static double value(int which, const double* u, const double* q) {
    if (which == 0) return u[0];
    if (which > 1) return q[which - 2];
    double square = 0;
    for (int j = 0; j < Dim; ++j) square += q[j] * q[j];
    return std::sqrt(square);
  }
};

}  // namespace millrace::hdg
