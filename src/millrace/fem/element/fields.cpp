// The fields of an element operator: coefficients that are bound to its points, and the nodal fields and the state that
// its physics keeps there.
#include "millrace/base/thread_limit.hpp"
#include "millrace/fem/element/one_device.hpp"
#include "millrace/fem/element/sample.hpp"
#include "millrace/fem/element_operator.hpp"

namespace millrace {
namespace {

/// Writes the components of nodal fields as fields first, first + 1, ... of the physics.
template <class T>
void set_fields(Queue& queue, const PointKernel<T>& physics, ElementData<T>& data, int first, const NodalLayout& layout,
                const T* values) {
  const int points = data.basis.num_points();
  const std::ptrdiff_t a_field = std::ptrdiff_t{points} * num_lanes<T>;
  sample_fields<T>(
      queue.num_threads(), data.basis, layout, values, [&](Index elem, int, const T* value, const T* grad) {
        for (int c = 0; c < layout.comps; ++c)
          physics.set_field(physics.physics.data(), first + c, points, value + c * a_field,
                            grad + c * data.basis.dim * a_field, data.factors.data() + data.first_factor(elem));
      });
}

}  // namespace

template <class T>
void ElementOperator<T>::bind_fields(const CellBlock& block) {
  require<Unsupported>(physics_.num_fields == 0 || data_.kind == GeometricFactors::stored,
                       "element operator: recomputed factors were asked for; a physics with a state or given fields "
                       "keeps them at the points, with GeometricFactors::stored");
  if (physics_.bind) physics_.bind(physics_.physics.data(), {block, data_.basis}, field_owners_);
}

template <class T>
void ElementOperator<T>::require_fields(const char* what, const Queue& queue, Vectors<const T> values,
                                        std::int64_t size) const {
  this->require_not_moved(what);
  require_one_device(what, device(), queue, values.device);
  require<Unsupported>(device().on_host() || physics_.on_gpu.set_fields, what,
                       ": this physics was not compiled to keep fields on a GPU (fem/user_physics_cuda.cuh does); set "
                       "them on the host, and copy the operator to the GPU again");
  require(values.size == size && values.num == 1, what, ": needs one vector of ", size, " entries; this is ",
          values.num, " of ", values.size);
}

template <class T>
void ElementOperator<T>::update(Queue& queue, Vectors<const T> u) {
  const ThreadLimit limit(queue);
  require(physics_.num_state > 0,
          "update: this physics has no state; fem::linearise makes one that has, of a fem::Pointwise");
  require_fields("update", queue, u, data_.num_dofs());
  if (device().on_host())
    set_fields(queue, physics_, data_, 0, {data_.basis.order, data_.comps, data_.comp_stride, data_.offsets.span()},
               u.data);
  else if constexpr (build::cuda)
    cuda::set_fields<T>(queue, data_, physics_, 0,
                        {data_.basis, data_.offsets.data(), data_.comps, data_.comp_stride, u.data});
}

template <class T>
void ElementOperator<T>::set_given(Queue& queue, int first, const Space& space, Vectors<const T> values) {
  const ThreadLimit limit(queue);
  const int comps = space.comps, asked = physics_.num_fields - physics_.num_state;
  require(first >= 0 && first + comps <= asked, "set_given: fields ", first, " to ", first + comps - 1,
          " were given; the physics asks for ", asked, " (num_given of its functor), counted from 0");
  const SpaceBlock& block = find_block("set_given", space, data_.basis.cell, data_.num_elem);
  require_fields("set_given", queue, values, space.num_dofs());
  const NodalLayout layout = NodalLayout::of(space, block);
  if (device().on_host()) {
    set_fields(queue, physics_, data_, physics_.num_state + first, layout, values.data);
  } else if constexpr (build::cuda) {
    const Array<Index> offsets = Array<Index>(layout.offsets).to(device());
    const ElementBasis basis = basis_of_order(data_.basis, layout.order);
    cuda::set_fields<T>(queue, data_, physics_, physics_.num_state + first,
                        {basis, offsets.data(), comps, layout.comp_stride, values.data});
  }
}

template void ElementOperator<float>::bind_fields(const CellBlock&);
template void ElementOperator<double>::bind_fields(const CellBlock&);
template void ElementOperator<float>::require_fields(const char*, const Queue&, Vectors<const float>,
                                                     std::int64_t) const;
template void ElementOperator<double>::require_fields(const char*, const Queue&, Vectors<const double>,
                                                      std::int64_t) const;
template void ElementOperator<float>::update(Queue&, Vectors<const float>);
template void ElementOperator<double>::update(Queue&, Vectors<const double>);
template void ElementOperator<float>::set_given(Queue&, int, const Space&, Vectors<const float>);
template void ElementOperator<double>::set_given(Queue&, int, const Space&, Vectors<const double>);

}  // namespace millrace
