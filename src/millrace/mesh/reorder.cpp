// Hilbert's curve, reverse Cuthill-McKee, and points by first use.
#include "millrace/mesh/reorder.hpp"
#include "millrace/base/to_size.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "millrace/mesh/topology.hpp"

namespace millrace {
namespace {

constexpr int bits = 21;  // a coordinate; three fit into a key

// Position of a place on Hilbert's curve (J. Skilling, "Programming the Hilbert curve", 2004).
std::uint64_t hilbert_key(std::array<std::uint32_t, 3> x, int dims) {
  const auto n = to_size(dims);
  for (std::uint32_t q = 1u << (bits - 1); q > 1; q >>= 1) {
    const std::uint32_t below = q - 1;
    for (std::size_t i = 0; i < n; ++i) {
      if ((x[i] & q) != 0) {
        x[0] ^= below;
      } else {
        const std::uint32_t swap = (x[0] ^ x[i]) & below;
        x[0] ^= swap;
        x[i] ^= swap;
      }
    }
  }
  for (std::size_t i = 1; i < n; ++i) x[i] ^= x[i - 1];
  std::uint32_t flip = 0;
  for (std::uint32_t q = 1u << (bits - 1); q > 1; q >>= 1)
    if ((x[n - 1] & q) != 0) flip ^= q - 1;
  std::uint64_t key = 0;
  for (int b = bits - 1; b >= 0; --b)
    for (std::size_t i = 0; i < n; ++i) key = 2 * key + (((x[i] ^ flip) >> b) & 1);
  return key;
}

std::vector<Index> hilbert_order(const Mesh& mesh, const CellBlock& block) {
  std::array<double, 3> low{}, high{};
  for (Index p = 0; p < mesh.num_points(); ++p) {
    const Point x = mesh.point(p);
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = p == 0 ? x[d] : std::min(low[d], x[d]);
      high[d] = p == 0 ? x[d] : std::max(high[d], x[d]);
    }
  }
  double extent = std::numeric_limits<double>::min();
  for (std::size_t d = 0; d < 3; ++d) extent = std::max(extent, high[d] - low[d]);
  const auto corners = vertex_nodes(block.cell, block.order);
  std::vector<std::pair<std::uint64_t, Index>> keys;
  keys.reserve(to_size(block.num_cells()));
  for (Index c = 0; c < block.num_cells(); ++c) {
    Point center{};
    for (const int v : corners)
      for (std::size_t d = 0; d < 3; ++d)
        center[d] += mesh.point(block.nodes_of(c)[to_size(v)])[d] / static_cast<double>(corners.size());
    std::array<std::uint32_t, 3> place{};
    for (std::size_t d = 0; d < 3; ++d)
      place[d] = static_cast<std::uint32_t>((center[d] - low[d]) / extent * ((1 << bits) - 1));
    keys.emplace_back(hilbert_key(place, mesh.dim), c);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<Index> order;
  for (const auto& [key, c] : keys) order.push_back(c);
  return order;
}

// Cells of one block that share a face with each, -1 where there is none. [num_cells, num_faces]
std::vector<Index> neighbours_of(const Mesh& mesh, const CellBlock& block) {
  const auto at = to_size(&block - mesh.blocks.data());
  const Topology topology = make_topology(mesh);
  const auto& faces = topology.blocks[at].faces;
  std::vector<Index> neighbours(faces.size(), -1);
  for (std::size_t k = 0; k < faces.size(); ++k)
    for (const FaceSide& side : topology.face_sides[to_size(faces[k])])
      if (side.exists() && to_size(side.block) == at && to_size(side.cell) != k / to_size(num_faces(block.cell)))
        neighbours[k] = side.cell;
  return neighbours;
}

// Breadth first from the cell that a first walk reached last, neighbours of few neighbours first; turned round.
std::vector<Index> rcm_order(const Mesh& mesh, const CellBlock& block) {
  const auto neighbours = neighbours_of(mesh, block);
  const auto faces = to_size(num_faces(block.cell));
  const auto of = [&](Index c) { return std::span(neighbours).subspan(to_size(c) * faces, faces); };
  const auto degree = [&](Index c) { return std::ssize(of(c)) - std::count(of(c).begin(), of(c).end(), -1); };
  std::vector<Index> order;
  std::vector<char> seen(to_size(block.num_cells()), 0);
  const auto walk = [&](Index start) {
    std::size_t next = order.size();
    order.push_back(start);
    seen[to_size(start)] = 1;
    for (; next < order.size(); ++next) {
      const auto first = std::ssize(order);
      for (const Index c : of(order[next]))
        if (c >= 0 && seen[to_size(c)] == 0) {
          seen[to_size(c)] = 1;
          order.push_back(c);
        }
      std::sort(order.begin() + first, order.end(),
                [&](Index a, Index b) { return std::pair(degree(a), a) < std::pair(degree(b), b); });
    }
  };
  for (Index c = 0; c < block.num_cells(); ++c) {
    if (seen[to_size(c)] != 0) continue;
    const std::size_t component = order.size();
    walk(c);
    const Index end = order.back();
    for (std::size_t k = component; k < order.size(); ++k) seen[to_size(order[k])] = 0;
    order.resize(component);
    walk(end);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

void permute(CellBlock& block, const std::vector<Index>& order) {
  const CellBlock old = block.clone();
  for (Index c = 0; c < block.num_cells(); ++c) {
    const auto from = old.nodes_of(order[to_size(c)]);
    std::copy(from.begin(), from.end(), block.nodes_of(c).begin());
    block.tag.data()[c] = old.tag.data()[order[to_size(c)]];
  }
}

}  // namespace

std::vector<Index> make_cell_order(const Mesh& mesh, const CellBlock& block, CellOrder order) {
  return order == CellOrder::hilbert ? hilbert_order(mesh, block) : rcm_order(mesh, block);
}

void reorder(Mesh& mesh, CellOrder order) {
  std::vector<std::vector<Index>> orders;
  for (const CellBlock& block : mesh.blocks) orders.push_back(make_cell_order(mesh, block, order));
  for (std::size_t b = 0; b < orders.size(); ++b) permute(mesh.blocks[b], orders[b]);

  std::vector<Index> number(to_size(mesh.num_points()), -1);
  Index next = 0;
  const auto use = [&](Index p) {
    if (number[to_size(p)] < 0) number[to_size(p)] = next++;
  };
  for (const CellBlock& block : mesh.blocks)
    for (const Index p : block.nodes.span()) use(p);
  for (Index p = 0; p < mesh.num_points(); ++p) use(p);
  const Array<double> old = mesh.points.clone();
  for (Index p = 0; p < mesh.num_points(); ++p)
    std::copy_n(old.data() + static_cast<Offset>(p) * mesh.dim, mesh.dim,
                mesh.points.data() + static_cast<Offset>(number[to_size(p)]) * mesh.dim);
  for (auto* blocks : {&mesh.blocks, &mesh.boundary})
    for (CellBlock& block : *blocks)
      for (Index& p : block.nodes.span()) p = number[to_size(p)];
  for (PeriodicSide& side : mesh.periodic)
    for (auto& pair : side.pairs)
      for (Index& p : pair) p = number[to_size(p)];

  for (BoundaryBlock& block : mesh.boundary) {
    std::vector<Index> faces(to_size(block.num_cells()));
    std::iota(faces.begin(), faces.end(), 0);
    const auto first = [&](Index f) { return *std::min_element(block.nodes_of(f).begin(), block.nodes_of(f).end()); };
    std::stable_sort(faces.begin(), faces.end(), [&](Index a, Index b) { return first(a) < first(b); });
    permute(block, faces);
  }
}

}  // namespace millrace
