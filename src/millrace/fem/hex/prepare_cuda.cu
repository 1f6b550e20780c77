// What the fused kernels of elements share whatever their physics: the layout of the factors, and sums over shared
// nodes in a fixed order.
#include "millrace/fem/hex/launch.cuh"

#include "millrace/fem/element/shared_nodes.hpp"
#include "millrace/fem/hex/make_node_entities.hpp"
#include "millrace/fem/hex/trilinear_map.hpp"

namespace millrace::cuda {
namespace {

constexpr int min_entity_nodes = 4;  // nodes a direction: below, the numbers themselves are fewer bytes than the entities

enum class FactorOrder { whole, planes, lines_along_y, lines_along_z };

// Mapping  one thread a number of the new layout of factors [num_elem, num_stored, z, y, x]: lines [groups, num_stored,
//          v, E, u, x], where (u, v) are two directions (lines.cuh), planes [groups, num_stored, y, x, E, z], or of
//          whole elements [groups, num_stored, z, y, x, E].
// Traffic  the factors, read and written; zeros for the elements that fill up the last group.
// Result   repeatable.
template <class T>
__global__ void __launch_bounds__(256)
    group_factors(Index num_elem, int num_stored, int Q, int E, FactorOrder order, std::int64_t size,
                  const T* __restrict__ from, T* __restrict__ to) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i >= size) return;
  const bool planes = order == FactorOrder::planes, v_is_z = order == FactorOrder::lines_along_z;
  const int inner = order == FactorOrder::whole ? 1 : planes ? Q : Q * Q;
  const int numbers = num_stored * Q * Q * Q, outer = numbers / inner;
  const int in_part = static_cast<int>(i % inner), local = static_cast<int>(i / inner % E);
  const std::int64_t rest = i / (inner * E), e = rest / outer * E + local;  // rest: [groups, outer]
  int number = static_cast<int>(rest % outer);
  if (planes) {
    const int s = number / (Q * Q), y = number / Q % Q, x = number % Q, z = in_part;
    number = ((s * Q + z) * Q + y) * Q + x;
  } else if (order != FactorOrder::whole) {
    const int s = number / Q, v = number % Q, u = in_part / Q, x = in_part % Q;
    number = ((s * Q + (v_is_z ? v : u)) * Q + (v_is_z ? u : v)) * Q + x;
  }
  to[i] = e < num_elem ? from[e * numbers + number] : T{};
}

// Mapping  one thread a coordinate of an element with straight edges.
// Traffic  node numbers and nodes of the geometry by element, maps [num_elem / E, hex_map_size, E] once.
// Result   repeatable.
template <class T>
__global__ void __launch_bounds__(256) map_hexes(Index num_elem, int E, const Index* __restrict__ cell_nodes,
                                                 const double* __restrict__ points, T* __restrict__ maps) {
  const std::int64_t n = blockIdx.x * std::int64_t{256} + threadIdx.x, e = n / 3;
  const int i = static_cast<int>(n % 3);
  if (e >= num_elem) return;
  double r_of[8];  // from the first corner, so that small elements far from 0 lose nothing
#pragma unroll
  for (int c = 0; c < 8; ++c) r_of[c] = points[std::int64_t{cell_nodes[e * 8 + c]} * 3 + i];
  const double first = r_of[0];
#pragma unroll
  for (int c = 0; c < 8; ++c) r_of[c] -= first;
  fem::find_hex_map(r_of);
#pragma unroll
  for (int c = 0; c < 8; ++c) maps[(e / E * fem::hex_map_size + c * 3 + i) * E + e % E] = static_cast<T>(r_of[c]);
}

// Mapping  one thread an entry.
// Traffic  y, and once more where beta is not 0.
// Result   repeatable.
template <class T>
__global__ void __launch_bounds__(256) scale_entries(std::int64_t n, T beta, T* __restrict__ y) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i < n) y[i] = is_zero(beta) ? T{} : beta * y[i];
}

struct RunLists {
  Runs runs[3];
  const Index *nodes, *first, *contributions;  // of SharedNodes
};

// Mapping  one thread a shared node, run after run; behind them one a constrained node.
// Traffic  every slot, y once; for a run its node, and a number for each of its elements.
// Result   repeatable: contributions ascend with their elements.
template <class T>
__global__ void __launch_bounds__(dot_threads)
    sum_slots(unsigned num_shared, RunLists lists, const T* __restrict__ contributions, Index num_constrained,
              const Index* __restrict__ constrained, T alpha, const T* __restrict__ x, T beta, T* __restrict__ y,
              T* block_sums) {
  const unsigned i = blockIdx.x * dot_threads + threadIdx.x;
  T product{};
  if (i < num_shared) {
    unsigned in_group = i, run = 0, length = 1;
#pragma unroll
    for (int g = 0; g < 3; ++g) {
      length = static_cast<unsigned>(lists.runs[g].length);
      const unsigned num = length * static_cast<unsigned>(lists.runs[g].num);
      if (in_group < num) break;
      in_group -= num, run += static_cast<unsigned>(lists.runs[g].num);
    }
    const unsigned whole = in_group / length, place = in_group - whole * length;
    run += whole;
    const Index begin = lists.first[run], end = lists.first[run + 1];
    T sum{};
#pragma unroll 4
    for (Index s = begin; s < end; ++s) sum += contributions[static_cast<std::int64_t>(lists.contributions[s]) + place];
    update(y[static_cast<unsigned>(lists.nodes[run]) + place], T{1}, sum, beta);
  } else if (i - num_shared < static_cast<unsigned>(num_constrained)) {
    const Index n = constrained[i - num_shared];
    const T here = x[n];
    product = here * alpha * here;
    update(y[n], alpha, here, beta);
  }
  if (!block_sums) return;
  product = block_sum(product);
  if (threadIdx.x == 0) block_sums[blockIdx.x] = product;
}

/// Instead of nodes and their numbers, of which neighbouring elements share many but by two loads one after the other.
template <class T>
void make_hex_maps(Queue& queue, ElementData<T>& data) {
  const int E = data.basis.order == 1 ? whole_threads : 1;
  data.factors = Array<T>(queue.device(), (std::int64_t{data.num_elem} + E - 1) / E * E * fem::hex_map_size);
  if (data.num_elem == 0) return;
  map_hexes<<<num_blocks(std::int64_t{data.num_elem} * 3, 256), 256, 0, queue.stream()>>>(
      data.num_elem, E, data.cell_nodes.data(), data.points.data(), data.factors.data());
  check_launch("map_hexes", queue.stream());
  queue.wait();
  data.cell_nodes = {};
  data.points = {};
}

template <class T>
void prepare_hexes(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics) {
  const auto& tensor = data.basis.tensor;
  const int order = data.basis.order, points = tensor ? tensor->num_points : 0;
  require<Unsupported>(
      data.basis.cell == Cell::hex && order >= 1 && order <= 8 && (tensor->on_nodes || points == order + 2),
      "element operator on a GPU: ", name(data.basis.cell), " elements of order ", order, " with ", points,
      " points a direction; there are kernels for hex, order 1 to 8, order + 2 points or points on the nodes, and for "
      "tet, order 1 to 8");
  if (data.kind == GeometricFactors::recomputed) {
    require<Unsupported>(
        physics.recomputes_on_gpu,
        "element operator on a GPU: recomputed factors of this physics were asked for; there they are "
        "those of mass, diffusion and Helmholtz with constant coefficients. GeometricFactors::stored takes others");
    if (has_hex_maps(data)) make_hex_maps(queue, data);
    return;
  }
  const int Q = points, P = order + 1, E = hex_group(P, Q, physics.uses_grad);
  const FactorOrder in_order = hex_is_whole(P, Q, physics.uses_grad)    ? FactorOrder::whole
                               : hex_in_planes(P, Q, physics.uses_grad) ? FactorOrder::planes
                               : tensor->on_nodes                       ? FactorOrder::lines_along_z
                                                                        : FactorOrder::lines_along_y;
  const std::int64_t groups = (std::int64_t{data.num_elem} + E - 1) / E,
                     size = groups * E * data.num_stored * Q * Q * Q;
  Array<T> grouped(queue.device(), size);
  if (size > 0) {
    group_factors<<<num_blocks(size, 256), 256, 0, queue.stream()>>>(data.num_elem, data.num_stored, Q, E, in_order,
                                                                     size, data.factors.data(), grouped.data());
    check_launch("group_factors", queue.stream());
    queue.wait();
  }
  data.factors = std::move(grouped);
}

}  // namespace

template <class T>
void scale(Queue& queue, std::int64_t n, T beta, T* y) {
  if (n == 0) return;
  scale_entries<<<num_blocks(n, 256), 256, 0, queue.stream()>>>(n, beta, y);
  check_launch("scale_entries", queue.stream());
}

template <class T>
void sum_contributions(Queue& queue, const ElementData<T>& data, const T* contributions, T alpha, const T* x, T beta, T* y,
               T* block_sums) {
  const SharedNodes& shared = data.shared;
  const unsigned blocks = num_sum_blocks(data);
  if (blocks == 0) return;
  const RunLists lists{
      {shared.runs[0], shared.runs[1], shared.runs[2]}, shared.nodes.data(), shared.first.data(), shared.contributions.data()};
  sum_slots<<<blocks, dot_threads, 0, queue.stream()>>>(
      contributions ? static_cast<unsigned>(shared.num_nodes()) : 0u, lists, contributions, static_cast<Index>(data.constrained.size()),
      data.constrained.data(), alpha, x, contributions ? beta : T{1}, y, block_sums);
  check_launch("sum_slots", queue.stream());
}

template <class T>
void prepare_elements(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics,
                      std::span<const Index> host_offsets) {
  const int order = data.basis.order, P = order + 1;
  const bool sorts = data.accumulation == Accumulation::deterministic;
  if (data.basis.cell == Cell::tet) {
    prepare_tets(queue, data, physics);
    if (sorts)
      data.shared = find_shared_nodes(host_offsets, data.num_elem, shared_nodes_of_tet(order), data.num_nodes).to(queue.device());
    return;
  }
  prepare_hexes(queue, data, physics);
  data.hex.first_inner = first_inner_node(host_offsets, data.num_elem, P, data.num_nodes);
  std::vector<EntityNodes> entities;
  if (P >= min_entity_nodes) entities = find_entities(host_offsets, data.num_elem, P);
  data.hex.entities = Array<EntityNodes>(std::span<const EntityNodes>(entities)).to(queue.device());
  const int Q = data.basis.tensor->num_points;
  const HexNodes nodes{host_offsets, entities, data.num_elem, P, data.num_nodes};
  const bool stored = data.kind == GeometricFactors::stored;
  const int group = stored || has_whole_maps(P, data) ? hex_join_group(P, Q, physics.uses_grad) : 1;
  const std::vector<std::uint8_t> merges = find_face_merges(nodes, group);
  data.hex.merges = Array<std::uint8_t>(std::span<const std::uint8_t>(merges)).to(queue.device());
  data.hex.computes_dot = (stored && group > 1) || !physics.uses_grad;
  if (sorts) data.shared = find_shared_nodes_of_hexes(nodes, merges).to(queue.device());
}

#define MILLRACE_INSTANTIATE(T)                                                             \
  template void scale(Queue&, std::int64_t, T, T*);                                         \
  template void sum_contributions(Queue&, const ElementData<T>&, const T*, T, const T*, T, T*, T*); \
  template void prepare_elements(Queue&, ElementData<T>&, const PointKernel<T>&, std::span<const Index>)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
