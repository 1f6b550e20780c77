// A physics given as source text at run time: NVRTC compiles it into the same kernels as the built-in ones, for exactly
// this order and rule, and the result is kept on disk (base/cache.hpp). For a GPU alone.
#pragma once

#include "millrace/fem/element_operator.hpp"
#include "millrace/fem/physics/source_program.hpp"

namespace millrace {

/// On `device`, a GPU. Fused where elements are hexes with one component, order 1 to 8, order + 2 points or points on
/// the nodes; action by action otherwise, or if options ask for it. Factors are stored, by the GPU.
template <class T>
ElementOperator<T> make_element_operator(Device device, const Mesh& mesh, const Space& space,
                                         const PhysicsSource& source, const ElementOptions& options = {});

extern template ElementOperator<float> make_element_operator(Device, const Mesh&, const Space&, const PhysicsSource&,
                                                             const ElementOptions&);
extern template ElementOperator<double> make_element_operator(Device, const Mesh&, const Space&, const PhysicsSource&,
                                                              const ElementOptions&);

namespace cuda {

/// The physics compiled for a device and loaded there, with its type forgotten.
template <class T>
PointKernel<T> make_source_kernel(Device device, const PhysicsSource& source, const SourceShape& shape);

}  // namespace cuda
}  // namespace millrace
