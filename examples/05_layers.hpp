// A physics of one's own, for host and GPU alike: reaction and anisotropic diffusion with a coefficient that varies in
// space, (k grad u, grad v) + (u, v) with k = diag(1, 1, stretch) (1 + x).
#pragma once

#include "millrace/fem/physics.hpp"

struct Layers {
  static constexpr int dim = 3, comps = 1;
  static constexpr bool symmetric = true;
  double stretch = 10;

  /// What multiplies v and grad v at a point.
  template <class T>
  MILLRACE_HD void operator()(const T* x, const T* u, const T (*grad)[3], T* v, T (*flux)[3]) const {
    const T k = T(1) + x[0];
    v[0] = u[0];
    flux[0][0] = k * grad[0][0];
    flux[0][1] = k * grad[0][1];
    flux[0][2] = T(stretch) * k * grad[0][2];
  }
};
