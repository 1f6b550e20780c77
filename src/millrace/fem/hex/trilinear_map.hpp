// The trilinear map of a hex with straight edges, about its middle, and its Jacobian along a line of points: a few
// multiplications per point. For host and device.
#pragma once

#include "millrace/base/build.hpp"

namespace millrace::fem {

/// Numbers of a map: [8, 3], the coefficient of x^i y^j z^k of each coordinate at i + 2 j + 4 k, for x, y and z from
/// -1/2 to 1/2. The first, the place of the middle, is in no Jacobian.
inline constexpr int hex_map_size = 24;

/// In place: from a coordinate of the corners, x fastest, to the coefficients of that coordinate.
template <class T>
MILLRACE_HD inline void find_hex_map(T (&numbers)[8]) {
  for (int d = 1; d < 8; d *= 2)
    for (int n = 0; n < 8; ++n)
      if ((n & d) == 0) {
        const T low = numbers[n], high = numbers[n + d];
        numbers[n] = (low + high) / 2;
        numbers[n + d] = high - low;
      }
}

/// The transpose, in place: from what meets the coefficients to what meets the corners.
template <class T>
MILLRACE_HD inline void spread_hex_map(T (&numbers)[8]) {
  for (int d = 1; d < 8; d *= 2)
    for (int n = 0; n < 8; ++n)
      if ((n & d) == 0) {
        const T middle = numbers[n] / 2, difference = numbers[n + d];
        numbers[n] = middle - difference;
        numbers[n + d] = middle + difference;
      }
}

/// At (a, b, all c) of the cube from -1/2 to 1/2, where a is along direction A, b along B and c along the third. The
/// columns A and B of the Jacobian are linear in c, the third is constant. 18 multiply-adds per line, 6 per point.
template <class T, int A = 0, int B = 1>
struct HexLine {
  static constexpr int C = 3 - A - B;
  T at[3][2], slope[3][2], third[3];

  /// map [8, 3], its numbers Step apart
  template <int Step = 1>
  MILLRACE_HD static HexLine from(const T* map, T a, T b) {
    constexpr int step_a = 3 * Step << A, step_b = 3 * Step << B, step_c = 3 * Step << C;
    HexLine line;
    for (int i = 0; i < 3; ++i) {
      const T* m = map + i * Step;
      line.at[i][0] = m[step_a] + b * m[step_a + step_b];
      line.at[i][1] = m[step_b] + a * m[step_a + step_b];
      line.slope[i][0] = m[step_a + step_c] + b * m[step_a + step_b + step_c];
      line.slope[i][1] = m[step_b + step_c] + a * m[step_a + step_b + step_c];
      line.third[i] = m[step_c] + a * m[step_a + step_c] + b * line.slope[i][1];
    }
    return line;
  }

  /// jacobian[i][j]: d x_i / d xi_j
  MILLRACE_HD void evaluate(T c, T (&jacobian)[3][3]) const {
    for (int i = 0; i < 3; ++i) {
      jacobian[i][A] = at[i][0] + c * slope[i][0];
      jacobian[i][B] = at[i][1] + c * slope[i][1];
      jacobian[i][C] = third[i];
    }
  }
  /// The same at c = 0, where it costs nothing.
  MILLRACE_HD void evaluate_middle(T (&jacobian)[3][3]) const {
    for (int i = 0; i < 3; ++i) jacobian[i][A] = at[i][0], jacobian[i][B] = at[i][1], jacobian[i][C] = third[i];
  }
};

}  // namespace millrace::fem
