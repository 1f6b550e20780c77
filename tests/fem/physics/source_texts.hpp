// Physics as text, for tests that compile them at run time.
#pragma once

#include "millrace/fem/physics/source_program.hpp"

namespace millrace::testing {

/// (k grad u, grad v) + (u, v) with k = factor (1 + x): in physical coordinates, and not marked for a device.
inline const PhysicsSource layers_source{R"(#include <cmath>
struct Layers {
  static constexpr int dim = 3, comps = 1;
  static constexpr bool symmetric = true;
  double factor = 2;
  template <class T>
  void operator()(const T* x, const T* u, const T (*grad)[3], T* v, T (*flux)[3]) const {
    v[0] = u[0];
    for (int d = 0; d < 3; ++d) flux[0][d] = T(factor) * std::sqrt((T(1) + x[0]) * (T(1) + x[0])) * grad[0][d];
  }
};
)",
                                         "fem::Pointwise<Layers>",
                                         {}};

/// The built-in ones, through their names.
inline const PhysicsSource diffusion_source{"", "fem::Diffusion<3>", {}};
inline const PhysicsSource convection_source{R"(struct Wind {
  template <class T>
  MILLRACE_HD void operator()(const T* x, T* velocity) const {
    velocity[0] = x[1], velocity[1] = -x[0], velocity[2] = T(0.5);
  }
};
)",
                                             "fem::ConvectionDiffusion<3, fem::Constant, Wind>",
                                             {}};
inline const PhysicsSource elasticity_source{"", "fem::Elasticity<3>", {}};

}  // namespace millrace::testing
