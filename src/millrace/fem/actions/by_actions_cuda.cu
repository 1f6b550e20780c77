// An unfused element operator on a GPU, action by action, as in the first step of "fused device-level batch GEMM"
// (Beams et al. 2020): the way for a physics that no kernel of ours knows, and what fused kernels are compared with.
#include <optional>

#include "millrace/base/cuda.cuh"
#include "millrace/fem/actions/basis_actions_cuda.hpp"
#include "millrace/fem/element/gpu_functions.hpp"

namespace millrace::cuda {
namespace {

/// f(basis) with the basis as the actions know it.
template <class T, class F>
void with_basis(const ElementData<T>& data, F&& f) {
  if (data.basis.tensor)
    f(TensorProduct{*data.basis.tensor, data.basis.dim});
  else
    f(SimplexOnGpu<T>{*data.basis.simplex, data.tables.data()});
}

}  // namespace

template <class T>
void prepare_unfused(Queue& queue, ElementData<T>& data, std::span<const Index> host_offsets) {
  require<Unsupported>(data.kind == GeometricFactors::stored,
                       "element operator on a GPU: recomputed factors were asked for, unfused; actions read "
                       "stored ones (GeometricFactors::stored)");
  if (data.basis.tensor) {
    check_tensor_product("element operator", TensorProduct{*data.basis.tensor, data.basis.dim});
  } else {
    const std::vector<T> tables = simplex_action_tables<T>(*data.basis.simplex);
    data.tables = Array<T>(std::span<const T>(tables)).to(queue.device());
  }
  data.restriction = make_restriction_on_gpu(queue.device(), host_offsets, data.num_elem, data.num_nodes, data.comps,
                                             data.comp_stride);
  data.offsets = std::move(data.restriction.offsets);
  data.restriction.offsets = Array<Index>::borrow(data.offsets.device_span());
}

template <class T>
void apply_unfused(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics, const ApplyRequest<T>& r) {
  const std::int64_t fields = std::int64_t{data.num_elem} * data.comps;
  const int points = data.basis.num_points();
  const Scratch<T> u(queue, fields * data.nodes());
  std::optional<Scratch<T>> value, gradient;
  if (physics.uses_value) value.emplace(queue, fields * points);
  if (physics.uses_grad) gradient.emplace(queue, fields * points * data.basis.dim);
  T *v = value ? value->data() : nullptr, *g = gradient ? gradient->data() : nullptr;
  with_basis(data, [&](const auto& basis) {
    for (int k = 0; k < r.y.num; ++k) {
      const T* x = r.x.data + k * r.x.stride;
      restrict_to_elements(queue, data.restriction, x, u.data());
      const T* at_nodes = u.data();
      if (v) interp(queue, basis, fields, at_nodes, v, Write::set);
      if (g) grad(queue, basis, fields, at_nodes, g, Write::set);
      const DeviceGuard guard(queue.device());  // the function may be anybody's
      physics.on_gpu.points(queue, physics.gpu_bytes(), data.num_elem, points, data.factors.data(), v, g);
      if (v) interp_transpose(queue, basis, fields, static_cast<const T*>(v), u.data(), Write::set);
      if (g) grad_transpose(queue, basis, fields, static_cast<const T*>(g), u.data(), v ? Write::add : Write::set);
      sum_elements(queue, data.restriction, r.alpha, at_nodes, r.beta, r.y.data + k * r.y.stride,
                   data.constrained.device_span(), x);
    }
  });
}

#define MILLRACE_INSTANTIATE(T)                                                   \
  template void prepare_unfused(Queue&, ElementData<T>&, std::span<const Index>); \
  template void apply_unfused(Queue&, const ElementData<T>&, const PointKernel<T>&, const ApplyRequest<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
