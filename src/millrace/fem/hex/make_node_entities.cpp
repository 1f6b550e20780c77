// Finds out whether the numbers of nodes run evenly, and lists what elements share.
#include "millrace/fem/hex/make_node_entities.hpp"
#include "millrace/base/to_size.hpp"

#include <algorithm>
#include <atomic>

#include "millrace/base/dispatch.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/fem/element/shared_nodes.hpp"
#include "millrace/fem/hex/node_entities.hpp"

namespace millrace {
namespace {

bool is_inside(int P, int i, int j, int k) {
  return cuda::entity_class(P, i) == 1 && cuda::entity_class(P, j) == 1 && cuda::entity_class(P, k) == 1;
}

/// The entity (x, y, z) of the nodes of one element; false if numbers do not run evenly.
bool find_entity(const Index* nodes, int P, int x, int y, int z, EntityNodes& entity) {
  const int cls[] = {x, y, z};
  int begin[3], width[3];
  for (int d = 0; d < 3; ++d)
    begin[d] = cls[d] == 0 ? 0 : cls[d] == 1 ? 1 : P - 1, width[d] = cuda::entity_width(P, cls[d]);
  const auto node = [&](int i, int j, int k) { return nodes[begin[0] + i + P * (begin[1] + j + P * (begin[2] + k))]; };
  entity = {};
  const bool constrained = node(0, 0, 0) < 0;
  Index lowest = constrained ? 0 : node(0, 0, 0);
  if (!constrained) {
    entity.first = node(0, 0, 0);
    for (int d = 0; d < 3; ++d) {
      const Index step = width[d] > 1 ? node(d == 0, d == 1, d == 2) - entity.first : 0;
      if (step < -100 || step > 100) return false;
      entity.step[d] = static_cast<std::int8_t>(step);
      lowest += std::min(0, step * (width[d] - 1));
    }
    if (x == 1 && y == 1 && z == 1) lowest = entity.first;  // nobody shares them
    if (entity.first - lowest > 255) return false;
    entity.before = static_cast<std::uint8_t>(entity.first - lowest);
  }
  const int count = width[0] * width[1] * width[2];
  for (int k = 0; k < width[2]; ++k)
    for (int j = 0; j < width[1]; ++j)
      for (int i = 0; i < width[0]; ++i) {
        const Index n = node(i, j, k);
        if ((n < 0) != constrained) return false;
        if (!constrained && (n != entity.first + entity.step[0] * i + entity.step[1] * j + entity.step[2] * k ||
                             n < lowest || n >= lowest + count))
          return false;
      }
  return true;
}

}  // namespace

std::vector<EntityNodes> find_entities(std::span<const Index> offsets, Index num_elem, int P) {
  std::vector<EntityNodes> entities(to_size(num_elem) * 27);
  std::atomic<bool> even = true;
  parallel_for(default_num_threads(), num_elem, {.bytes = 8 * P * P * P}, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end && even; ++e)
      for (int n = 0; n < 27; ++n)
        if ((P > 2 || (n % 3 != 1 && n / 3 % 3 != 1 && n / 9 != 1)) &&
            !find_entity(offsets.data() + e * P * P * P, P, n % 3, n / 3 % 3, n / 9, entities[to_size(e * 27 + n)]))
          even = false;
  });
  if (!even) entities.clear();
  return entities;
}

std::vector<std::uint8_t> find_face_merges(const HexNodes& hexes, int group) {
  if (group == 1) return {};  // nobody to merge with
  const int P = hexes.P;
  const Offset size = Offset{P} * P * P;
  std::vector<std::uint8_t> elements(to_size(hexes.num_nodes), 0);  // of a node, at most 3 counted
  for (const Index node : hexes.offsets)
    if (node >= 0 && elements[to_size(node)] < 3) ++elements[to_size(node)];
  const auto can_merge = [&](Index e) {  // e and e + 1
    for (int n = 0; n < P * P; ++n) {
      const Index node = hexes.offsets[to_size(e * size + P - 1 + P * n)];
      const bool inside = cuda::entity_class(P, n % P) == 1 && cuda::entity_class(P, n / P) == 1;
      if (node != hexes.offsets[to_size((e + 1) * size + P * n)]) return false;
      if (inside && node >= 0 && elements[to_size(node)] != 2) return false;
    }
    return true;
  };
  std::vector<std::uint8_t> merges(to_size(hexes.num_elem), 0);
  bool any = false;
  for (Index e = 0; e + 1 < hexes.num_elem; ++e)
    if (e / group == (e + 1) / group && can_merge(e)) {
      merges[to_size(e)] |= FaceMerge::with_next;
      merges[to_size(e + 1)] |= FaceMerge::with_previous;
      any = true;
    }
  if (!any) merges.clear();
  return merges;
}

SharedNodes find_shared_nodes_of_hexes(const HexNodes& hexes, std::span<const std::uint8_t> merges) {
  const int P = hexes.P;
  check_contributions((hexes.num_elem + 31) / 32 * 32, P * P * P);
  // Not where the next element has the sum, nor inside a face that merges two.
  const auto contributes = [&](Index e, int x, int y, int z) {
    const int bits = merges.empty() ? 0 : merges[to_size(e)];
    return !(x == 2 && (bits & FaceMerge::with_next)) &&
           !(x == 0 && y == 1 && z == 1 && (bits & FaceMerge::with_previous));
  };
  if (hexes.entities.empty()) {
    SharedNodes shared;
    dispatch<2, 3, 4, 5, 6, 7, 8, 9>("nodes per direction", P, [&]<int N>() {
      shared = sort_runs(hexes.num_nodes, [&](auto&& f) {
        for (Index e = 0; e < hexes.num_elem; ++e)
          for (int n = 0; n < N * N * N; ++n) {
            const int i = n % N, j = n / N % N, k = n / (N * N);
            const Index node = hexes.offsets[to_size(Offset{e} * N * N * N + n)];
            if (node >= 0 && !is_inside(N, i, j, k) &&
                contributes(e, cuda::entity_class(N, i), cuda::entity_class(N, j), cuda::entity_class(N, k)))
              f(1, node, static_cast<Index>(cuda::hex_contribution<N>(e, cuda::entity_place<N>(i, j, k))));
          }
      });
    });
    return shared;
  }
  return sort_runs(hexes.num_nodes, [&](auto&& f) {
    for (Index e = 0; e < hexes.num_elem; ++e)
      for (int n = 0; n < 27; ++n) {
        const int x = n % 3, y = n / 3 % 3, z = n / 9;
        const EntityNodes& entity = hexes.entities[to_size(Offset{e} * 27 + n)];
        if (n == 13 || entity.first < 0 || !contributes(e, x, y, z)) continue;
        f(cuda::entity_width(P, x) * cuda::entity_width(P, y) * cuda::entity_width(P, z), entity.first - entity.before,
          e * P * P * P + cuda::entity_begin(P, x, y, z));
      }
  });
}

Index first_inner_node(std::span<const Index> offsets, Index num_elem, int P, Index num_nodes) {
  Index last_outer = -1, first_inner = num_nodes;
  for (Index e = 0; e < num_elem; ++e)
    for (int n = 0; n < P * P * P; ++n) {
      const Index node = offsets[to_size(Offset{e} * P * P * P + n)];
      if (is_inside(P, n % P, n / P % P, n / (P * P)) && node >= 0)
        first_inner = std::min(first_inner, node);
      else
        last_outer = std::max(last_outer, node < 0 ? ~node : node);
    }
  return first_inner > last_outer ? first_inner : num_nodes;
}

}  // namespace millrace
