// Checks that mesh, space and vector belong together, once.
#include "millrace/fem/field_view.hpp"

#include "millrace/base/to_size.hpp"

namespace millrace {

FieldView::FieldView(const Mesh& mesh, const Space& space, Device device, std::int64_t size, int num)
    : mesh_(&mesh), space_(&space) {
  check_same_cells("field", mesh, space);
  require<Unsupported>(
      device.on_host(),
      "field: the vector lies on a GPU; values, norms and integrals are computed on the host, to which "
      "to(Device::host()) brings it");
  require(size == space.num_dofs() && num == 1, "field: the space has ", space.num_dofs(), " unknowns (", space.comps,
          " x ", space.num_nodes, "), so one vector of that size is right; ", num, " of ", size, " came");
}

FieldView::FieldView(const Mesh& mesh, const Space& space, Vectors<const double> unknowns)
    : FieldView(mesh, space, unknowns.device, unknowns.size, unknowns.num) {
  doubles_ = unknowns.data;
}

FieldView::FieldView(const Mesh& mesh, const Space& space, Vectors<const float> unknowns)
    : FieldView(mesh, space, unknowns.device, unknowns.size, unknowns.num) {
  floats_ = unknowns.data;
}

void FieldView::gather(int block, Index cell, double* unknowns) const {
  const Restriction& r = space_->blocks[to_size(block)].restriction;
  const Index* numbers = r.offsets.data() + Offset{cell} * r.nodes;
  for (int c = 0; c < r.comps; ++c)
    for (int n = 0; n < r.nodes; ++n) {
      const std::int64_t entry = numbers[n] + c * r.comp_stride;
      *unknowns++ = doubles_ ? doubles_[entry] : static_cast<double>(floats_[entry]);
    }
}

}  // namespace millrace
