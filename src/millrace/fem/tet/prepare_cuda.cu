// Prepares tets for the fused kernels: tables and factors in their order, and what elements share.
#include "millrace/base/cuda.cuh"
#include "millrace/fem/element/gpu_functions.hpp"
#include "millrace/fem/element/shared_nodes.hpp"
#include "millrace/fem/tet/layout.hpp"

namespace millrace::cuda {
namespace {

// Mapping  one thread per number of the grouped layout of factors [num_elem, num_stored, points]. `back`: from it to
//          that by element.
// Traffic  the factors, read and written; zeros where elements or points fill up.
// Result   repeatable.
template <bool back, class T>
__global__ void __launch_bounds__(256) group_factors(FactorLayout layout, Index num_elem, std::int64_t size,
                                                     const T* __restrict__ from, T* __restrict__ to) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i >= size) return;
  const FactorLayout::Place at = layout.at(i);
  const bool exists = at.elem < num_elem && at.point < layout.num_points;
  const std::int64_t by_element = (at.elem * layout.num_stored + at.stored) * layout.num_points + at.point;
  if constexpr (back) {
    if (exists) to[by_element] = from[i];
  } else {
    to[i] = exists ? from[by_element] : T{};
  }
}

template <class T>
FactorLayout layout_of(const ElementData<T>& data, const PointKernel<T>& physics) {
  const SimplexBasis& basis = *data.basis.simplex;
  return tet_factor_layout<T>(basis.num_points(), data.num_stored, basis.num_nodes(),
                              (physics.uses_value ? 1 : 0) + (physics.uses_grad ? 3 : 0));
}

template <bool back, class T>
void move_factors(Queue& queue, const ElementData<T>& data, const FactorLayout& layout, const T* from, T* to) {
  const std::int64_t size = layout.size(data.num_elem);
  if (size == 0) return;
  const DeviceGuard guard(queue.device());
  group_factors<back><<<num_blocks(size, 256), 256, 0, queue.stream()>>>(layout, data.num_elem, size, from, to);
  check_launch("group_factors", queue.stream());
}

}  // namespace

template <class T>
void tet_factors_by_element(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics, T* to) {
  move_factors<true>(queue, data, layout_of(data, physics), data.factors.data(), to);
}

template <class T>
void group_tet_factors(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics, const T* by_element) {
  move_factors<false>(queue, data, layout_of(data, physics), by_element, data.factors.data());
}

template <class T>
void prepare_tets(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics,
                  std::span<const Index> host_offsets) {
  const SimplexBasis& basis = *data.basis.simplex;
  require<Unsupported>(data.basis.order <= 8 && data.kind == GeometricFactors::stored,
                       "element operator on a GPU: tet elements of order ", data.basis.order, " with ",
                       data.kind == GeometricFactors::stored ? "stored" : "recomputed",
                       " factors; there are kernels for tet, order 1 to 8, stored factors");
  constexpr int max_points = 320;  // what the nodes and points of 32 elements may take of shared memory in float
  require<Unsupported>(std::is_same_v<T, double> || basis.num_points() <= max_points,
                       "element operator on a GPU: a rule of ", basis.num_points(), " points (degree ",
                       basis.rule.degree, "); tets in float take rules of at most ", max_points,
                       ", which those up to degree 16 have");
  const Array<T> by_element =
      std::exchange(data.factors, Array<T>(queue.device(), layout_of(data, physics).size(data.num_elem)));
  group_tet_factors(queue, data, physics, by_element.data());
  queue.wait();
  const auto whole = std::is_same_v<T, double> ? tensor_core_tables(basis, physics.uses_value, physics.uses_grad)
                                               : plain_tables(basis, physics.uses_value, physics.uses_grad);
  const std::vector<T> tables(whole.begin(), whole.end());
  data.tables = Array<T>(std::span<const T>(tables)).to(queue.device());
  const LocalSharedNodes shared = shared_nodes_of_tet(data.basis.order);
  data.num_shared = shared.num;
  data.shared_number = Array<Index>(std::span<const Index>(shared.number)).to(queue.device());
  if (data.accumulation == Accumulation::deterministic)
    data.shared = find_shared_nodes(host_offsets, data.num_elem, shared, data.num_nodes).to(queue.device());
}

#define MILLRACE_INSTANTIATE(T)                                                                   \
  template void tet_factors_by_element(Queue&, const ElementData<T>&, const PointKernel<T>&, T*); \
  template void group_tet_factors(Queue&, ElementData<T>&, const PointKernel<T>&, const T*);      \
  template void prepare_tets(Queue&, ElementData<T>&, const PointKernel<T>&, std::span<const Index>)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
