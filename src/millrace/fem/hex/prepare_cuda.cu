// Prepares hexes for the fused kernels, whatever their physics: factors or maps in the order of the kernels, the nodes
// of entities, and what elements share.
#include "millrace/base/cuda.cuh"
#include "millrace/fem/element/gpu_functions.hpp"
#include "millrace/fem/hex/facts.hpp"
#include "millrace/fem/hex/make_node_entities.hpp"
#include "millrace/fem/hex/trilinear_map.hpp"

namespace millrace::cuda {
namespace {

constexpr int min_entity_nodes = 4;  // per direction: below, the numbers themselves are fewer bytes than the entities

// Mapping  one thread per number of the grouped layout of factors [num_elem, num_stored, z, y, x]: lines [groups,
//          num_stored, v, E, u, x], where (u, v) are two directions (lines.cuh), planes [groups, num_stored, y, x, E,
//          z], or of whole elements [groups, num_stored, z, y, x, E]. `back`: from it to that by element.
// Traffic  the factors, read and written; zeros for the elements that fill up the last group.
// Result   repeatable.
template <bool back, class T>
__global__ void __launch_bounds__(256)
    group_factors(Index num_elem, int num_stored, int Q, int E, HexLayout layout, bool v_is_z, std::int64_t size,
                  const T* __restrict__ from, T* __restrict__ to) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i >= size) return;
  const int inner = layout == HexLayout::whole ? 1 : layout == HexLayout::planes ? Q : Q * Q;
  const int numbers = num_stored * Q * Q * Q, outer = numbers / inner;
  const int in_part = static_cast<int>(i % inner), local = static_cast<int>(i / inner % E);
  const std::int64_t rest = i / (inner * E), e = rest / outer * E + local;  // rest: [groups, outer]
  int number = static_cast<int>(rest % outer);
  if (layout == HexLayout::planes) {
    const int s = number / (Q * Q), y = number / Q % Q, x = number % Q, z = in_part;
    number = ((s * Q + z) * Q + y) * Q + x;
  } else if (layout == HexLayout::lines) {
    const int s = number / Q, v = number % Q, u = in_part / Q, x = in_part % Q;
    number = ((s * Q + (v_is_z ? v : u)) * Q + (v_is_z ? u : v)) * Q + x;
  }
  if constexpr (back) {
    if (e < num_elem) to[e * numbers + number] = from[i];
  } else {
    to[i] = e < num_elem ? from[e * numbers + number] : T{};
  }
}

// Mapping  one thread per coordinate of an element with straight edges.
// Traffic  node numbers and nodes of the geometry by element, maps [num_elem / E, hex_map_size, E] once.
// Result   repeatable.
template <class T>
__global__ void __launch_bounds__(256) map_hexes(Index num_elem, int E, const Index* __restrict__ cell_nodes,
                                                 const double* __restrict__ points, T* __restrict__ maps) {
  const std::int64_t n = blockIdx.x * std::int64_t{256} + threadIdx.x, e = n / 3;
  const int i = static_cast<int>(n % 3);
  if (e >= num_elem) return;
  double r_corner[8];  // from the first corner, so that small elements far from 0 lose nothing
#pragma unroll
  for (int c = 0; c < 8; ++c) r_corner[c] = points[std::int64_t{cell_nodes[e * 8 + c]} * 3 + i];
  const double first = r_corner[0];
#pragma unroll
  for (int c = 0; c < 8; ++c) r_corner[c] -= first;
  fem::find_hex_map(r_corner);
#pragma unroll
  for (int c = 0; c < 8; ++c) maps[(e / E * fem::hex_map_size + c * 3 + i) * E + e % E] = static_cast<T>(r_corner[c]);
}

/// Instead of nodes and their numbers, of which neighbouring elements share many but by two loads one after the other.
/// E: elements whose maps lie together.
template <class T>
void make_hex_maps(Queue& queue, ElementData<T>& data, int E) {
  data.factors = Array<T>(queue.device(), (std::int64_t{data.num_elem} + E - 1) / E * E * fem::hex_map_size);
  if (data.num_elem == 0) return;
  map_hexes<<<num_blocks(std::int64_t{data.num_elem} * 3, 256), 256, 0, queue.stream()>>>(
      data.num_elem, E, data.cell_nodes.data(), data.points.data(), data.factors.data());
  check_launch("map_hexes", queue.stream());
  queue.wait();
  data.cell_nodes = {};
  data.points = {};
}

struct FactorGroups {
  HexTuning tuning;
  int Q;
  std::int64_t size;
};

template <class T>
FactorGroups factor_groups(const ElementData<T>& data, const PointKernel<T>& physics) {
  const HexTuning tuning = hex_tuning(hex_facts(data, physics.uses_value, physics.uses_grad));
  const int Q = data.basis.tensor->num_points, E = tuning.factor_group;
  const std::int64_t groups = (std::int64_t{data.num_elem} + E - 1) / E;
  return {tuning, Q, groups * E * data.num_stored * Q * Q * Q};
}

template <bool back, class T>
void move_factors(Queue& queue, const ElementData<T>& data, const FactorGroups& g, const T* from, T* to) {
  if (g.size == 0) return;
  const DeviceGuard guard(queue.device());
  group_factors<back><<<num_blocks(g.size, 256), 256, 0, queue.stream()>>>(
      data.num_elem, data.num_stored, g.Q, g.tuning.factor_group, g.tuning.layout, data.basis.tensor->on_nodes, g.size,
      from, to);
  check_launch("group_factors", queue.stream());
}

template <class T>
void check_hexes(const ElementData<T>& data, const PointKernel<T>& physics) {
  const auto& tensor = data.basis.tensor;
  const int order = data.basis.order, points = tensor ? tensor->num_points : 0;
  require<Unsupported>(
      data.basis.cell == Cell::hex && order >= 1 && order <= 8 && (tensor->on_nodes || points == order + 2),
      "element operator on a GPU: ", name(data.basis.cell), " elements of order ", order, " with ", points,
      " points per direction; there are kernels for hex, order 1 to 8, order + 2 points or points on the nodes, and "
      "for tet, order 1 to 8");
  require<Unsupported>(
      data.kind == GeometricFactors::stored || physics.on_gpu.straight_hexes,
      "element operator on a GPU: recomputed factors of this physics were asked for; there they are "
      "those of mass, diffusion and Helmholtz with constant coefficients, and of a physics with apply_with that was "
      "compiled for a GPU. GeometricFactors::stored takes others");
}

}  // namespace

template <class T>
void hex_factors_by_element(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics, T* to) {
  move_factors<true>(queue, data, factor_groups(data, physics), data.factors.data(), to);
}

template <class T>
void group_hex_factors(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics, const T* by_element) {
  move_factors<false>(queue, data, factor_groups(data, physics), by_element, data.factors.data());
}

template <class T>
void prepare_hexes(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics,
                   std::span<const Index> host_offsets) {
  check_hexes(data, physics);
  const HexTuning tuning = hex_tuning(hex_facts(data, physics.uses_value, physics.uses_grad));
  const bool stored = data.kind == GeometricFactors::stored;
  if (stored) {
    const Array<T> by_element =
        std::exchange(data.factors, Array<T>(queue.device(), factor_groups(data, physics).size));
    group_hex_factors(queue, data, physics, by_element.data());
    queue.wait();
  } else if (has_hex_maps(data))
    make_hex_maps(queue, data, tuning.factor_group);
  const int P = data.basis.order + 1;
  data.hex.first_inner = first_inner_node(host_offsets, data.num_elem, P, data.num_nodes);
  std::vector<EntityNodes> entities;
  if (P >= min_entity_nodes) entities = find_entities(host_offsets, data.num_elem, P);
  data.hex.entities = Array<EntityNodes>(std::span<const EntityNodes>(entities)).to(queue.device());
  const HexNodes nodes{host_offsets, entities, data.num_elem, P, data.num_nodes};
  const std::vector<std::uint8_t> merges = find_face_merges(nodes, tuning.merge_group);
  data.hex.merges = Array<std::uint8_t>(std::span<const std::uint8_t>(merges)).to(queue.device());
  data.hex.computes_dot = (stored && tuning.merge_group > 1) || !physics.uses_grad;
  if (data.accumulation == Accumulation::deterministic)
    data.shared = find_shared_nodes_of_hexes(nodes, merges).to(queue.device());
}

#define MILLRACE_INSTANTIATE(T)                                                                   \
  template void hex_factors_by_element(Queue&, const ElementData<T>&, const PointKernel<T>&, T*); \
  template void group_hex_factors(Queue&, ElementData<T>&, const PointKernel<T>&, const T*);      \
  template void prepare_hexes(Queue&, ElementData<T>&, const PointKernel<T>&, std::span<const Index>)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
