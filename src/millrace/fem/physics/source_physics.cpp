// Decides which kernels a physics given as source text needs.
#include "millrace/fem/source_physics.hpp"

namespace millrace {

template <class T>
ElementOperator<T> make_element_operator(Device device, const Mesh& mesh, const Space& space,
                                         const PhysicsSource& source, const ElementOptions& options) {
  require<Unsupported>(build::cuda, "physics source: compiled for a GPU, but this build has no CUDA");
  require<Unsupported>(!device.on_host(),
                       "physics source: the host was asked for; text is compiled for a GPU. For the host, compile the "
                       "physics with your program (make_element_operator without a device)");
  if constexpr (build::cuda) {
    const ElementBasis basis = make_element_basis(space.block(options.block).cell, space.order, options.points);
    cuda::SourceShape shape{.scalar = scalar_name<T>(), .comps = space.comps, .fused = false};
    if (basis.cell == Cell::hex) {
      shape.nodes = basis.tensor->num_nodes();
      shape.points = basis.tensor->num_points;
      shape.fused = options.evaluation == Evaluation::fused && shape.comps == 1 && basis.order <= 8 &&
                    (basis.tensor->on_nodes || shape.points == basis.order + 2);
    }
    return ElementOperator<T>(device, mesh, space, cuda::make_source_kernel<T>(device, source, shape), options);
  } else {
    throw Unsupported("physics source: this build has no CUDA");
  }
}

template ElementOperator<float> make_element_operator(Device, const Mesh&, const Space&, const PhysicsSource&,
                                                      const ElementOptions&);
template ElementOperator<double> make_element_operator(Device, const Mesh&, const Space&, const PhysicsSource&,
                                                       const ElementOptions&);

}  // namespace millrace
