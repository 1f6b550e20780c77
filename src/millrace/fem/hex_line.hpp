// The Jacobian of a hex with straight edges along a line of its points: from eight corners, a few multiplications a
// point. For host and device.
#pragma once

#include "millrace/base/build.hpp"

namespace millrace::fem {

/// At (x, y, all z) of the reference cube. The first two columns are linear in z, the third is constant.
template <class T>
struct HexLine {
  T at[3][2], slope[3][2], third[3];

  /// corners [8, 3], x fastest.
  MILLRACE_HD static HexLine from(const T* corners, T x, T y) {
    HexLine line;
    for (int i = 0; i < 3; ++i) {
      T along_x[2], along_y[2], place[2];
      for (int k = 0; k < 2; ++k) {
        const T* c = corners + 12 * k + i;
        const T low = c[3] - c[0], high = c[9] - c[6];
        along_x[k] = low + y * (high - low);
        along_y[k] = c[6] - c[0] + x * (high - low);
        place[k] = c[0] + x * low + y * along_y[k];
      }
      line.at[i][0] = along_x[0], line.slope[i][0] = along_x[1] - along_x[0];
      line.at[i][1] = along_y[0], line.slope[i][1] = along_y[1] - along_y[0];
      line.third[i] = place[1] - place[0];
    }
    return line;
  }

  /// jacobian[i][j]: d x_i / d xi_j
  MILLRACE_HD void evaluate(T z, T (&jacobian)[3][3]) const {
    for (int i = 0; i < 3; ++i) {
      jacobian[i][0] = at[i][0] + z * slope[i][0];
      jacobian[i][1] = at[i][1] + z * slope[i][1];
      jacobian[i][2] = third[i];
    }
  }
};

}  // namespace millrace::fem
