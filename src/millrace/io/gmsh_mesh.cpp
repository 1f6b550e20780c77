// A gmsh file as a mesh: its elements of the highest dimension are cells, those below are boundary faces.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "millrace/base/to_size.hpp"
#include "millrace/io/chunks.hpp"
#include "millrace/io/gmsh.hpp"
#include "millrace/io/gmsh_file.hpp"
#include "millrace/io/text_buffer.hpp"
#include "millrace/mesh/generate.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace {
namespace {

// The elements of one type as cells of a (possibly lower) order: nodes sorted from gmsh's order into the lattice's.
CellBlock make_block(const GmshElements& elements, int order, const std::vector<Index>& point_of) {
  const GmshType& type = *elements.type;
  const auto places = gmsh_lattice(type.cell, order);
  CellBlock block{type.cell, order, Array<Index>(std::ssize(elements.tags) * std::ssize(places)),
                  Array<std::int32_t>(std::span<const std::int32_t>(elements.tags))};
  std::vector<std::size_t> target;
  for (const Lattice& at : places) target.push_back(to_size(lattice_index(type.cell, order, at)));
  for (Index c = 0; c < block.num_cells(); ++c)
    for (std::size_t n = 0; n < places.size(); ++n)
      block.nodes_of(c)[target[n]] = point_of[to_size(elements.nodes[to_size(c) * to_size(type.num_nodes) + n])];
  return block;
}

// Makes blocks of all types that matter, of the order asked for (their own when 0).
Mesh make_blocks(const GmshFile& file, int dim, int order) {
  Mesh mesh;
  mesh.dim = dim;
  std::vector<Index> point_of(to_size(file.nodes.count()), -1);
  for (const GmshElements& elements : file.elements) {
    if (elements.type->dim < dim - 1) continue;
    const auto used = order == 0 ? to_size(elements.type->num_nodes) : to_size(num_vertices(elements.type->cell));
    for (std::size_t k = 0; k < elements.nodes.size(); ++k)
      if (k % to_size(elements.type->num_nodes) < used) point_of[to_size(elements.nodes[k])] = 0;
  }
  Index num_points = 0;
  for (Index& p : point_of)
    if (p == 0) p = num_points++;
  mesh.points = Array<double>(static_cast<Offset>(num_points) * dim);
  for (std::size_t n = 0; n < point_of.size(); ++n)
    if (point_of[n] >= 0) mesh.set_point(point_of[n], file.nodes.places[n]);
  for (const GmshElements& elements : file.elements)
    if (elements.type->dim >= dim - 1)
      (elements.type->dim == dim ? mesh.blocks : mesh.boundary)
          .push_back(make_block(elements, order == 0 ? elements.type->order : order, point_of));
  mesh.periodic = make_periodic(file, dim, point_of);
  return mesh;
}

// Weights [num_nodes(cell, order), nodes of the type] that give the place of every node of the lattice. The map of a
// serendipity cell is the sum of its edges blended linearly, less (dim - 1) times the map of its corners (Coons 1967).
std::vector<double> lifting_weights(const GmshType& type) {
  const auto given = gmsh_lattice(type.cell, type.order);
  const auto wanted = lattice(type.cell, type.order);
  const int p = type.order, d = type.dim;
  std::vector<double> weights(wanted.size() * to_size(type.num_nodes));
  for (std::size_t w = 0; w < wanted.size(); ++w)
    for (std::size_t g = 0; g < to_size(type.num_nodes); ++g) {
      if (!type.serendipity) {
        weights[w * to_size(type.num_nodes) + g] = wanted[w] == given[g] ? 1 : 0;
        continue;
      }
      double sum = 0;
      for (int axis = -1; axis < d; ++axis) {  // axis -1: the corners; otherwise the edges along that axis
        double weight = axis < 0 ? 1 - d : wanted[w][to_size(axis)] == given[g][to_size(axis)] ? 1 : 0;
        for (int a = 0; a < d; ++a) {
          if (a == axis) continue;
          const int at = given[g][to_size(a)];
          weight *= at == 0 ? 1 - double(wanted[w][to_size(a)]) / p : at == p ? double(wanted[w][to_size(a)]) / p : 0;
        }
        sum += weight;
      }
      weights[w * to_size(type.num_nodes) + g] = sum;
    }
  return weights;
}

Mesh raise(const GmshFile& file, const Mesh& straight, int order) {
  try {
    return elevate(straight, order);
  } catch (const Error& error) {
    throw IoError(join(file.name, ": ", error.what()));
  }
}

// Serendipity cells lack points that neighbours share: raise straight cells to the order, then put every node in place.
Mesh lift(const GmshFile& file, int dim) {
  int order = 0;
  for (const GmshElements& elements : file.elements) {
    if (elements.type->dim != dim) continue;
    require<IoError>(order == 0 || order == elements.type->order, file.name,
                     ": serendipity cells beside cells of order ", std::min(order, elements.type->order), " and ",
                     std::max(order, elements.type->order), "; they are read where all cells have one order");
    order = elements.type->order;
  }
  Mesh mesh = raise(file, make_blocks(file, dim, 1), order);
  std::size_t b = 0;
  for (const GmshElements& elements : file.elements) {
    if (elements.type->dim != dim) continue;
    const CellBlock& block = mesh.blocks[b++];
    const auto weights = lifting_weights(*elements.type);
    const auto given = to_size(elements.type->num_nodes);
    for (Index c = 0; c < block.num_cells(); ++c)
      for (std::size_t n = 0; n < block.nodes_of(c).size(); ++n) {
        Point x{};
        for (std::size_t g = 0; g < given; ++g)
          for (std::size_t a = 0; a < 3; ++a)
            x[a] += weights[n * given + g] * file.nodes.places[to_size(elements.nodes[to_size(c) * given + g])][a];
        mesh.set_point(block.nodes_of(c)[n], x);
      }
  }
  return mesh;
}

// A mesh of dimension 2 must lie in a plane z = constant.
void require_flat(const GmshFile& file) {
  Point low{}, high{};
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (const GmshElements& elements : file.elements)
    for (const Index n : elements.nodes)
      for (std::size_t d = 0; d < 3 && elements.type->dim == 2; ++d) {
        low[d] = std::min(low[d], file.nodes.places[to_size(n)][d]);
        high[d] = std::max(high[d], file.nodes.places[to_size(n)][d]);
      }
  const double extent = std::max(high[0] - low[0], high[1] - low[1]);
  require<IoError>(high[2] - low[2] <= 1e-10 * extent, file.name, ": the cells are a surface in space (z from ", low[2],
                   " to ", high[2], "); cells of dimension 2 are read where they lie in a plane z = constant");
}

// MSH 2 has an element once for every group that it is in. A cell has one tag, so the first one counts.
std::int64_t drop_repeated(GmshElements& cells) {
  const auto num = std::ssize(cells.tags);
  if (std::all_of(cells.tags.begin(), cells.tags.end(), [&](std::int32_t tag) { return tag == cells.tags[0]; }))
    return 0;
  std::vector<std::int64_t> order(to_size(num));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  const auto less = [&](std::int64_t a, std::int64_t b) {
    return std::ranges::lexicographical_compare(cells.nodes_of(a), cells.nodes_of(b));
  };
  std::stable_sort(order.begin(), order.end(), less);
  std::vector<bool> repeated(to_size(num));
  std::int64_t count = 0;
  for (std::size_t k = 1; k < order.size(); ++k)
    if (!less(order[k - 1], order[k])) repeated[to_size(order[k])] = true, ++count;
  if (count == 0) return 0;
  GmshElements kept{cells.type, {}, {}, {}};
  for (std::int64_t e = 0; e < num; ++e) {
    if (repeated[to_size(e)]) continue;
    kept.tags.push_back(cells.tags[to_size(e)]);
    kept.nodes.insert(kept.nodes.end(), cells.nodes_of(e).begin(), cells.nodes_of(e).end());
  }
  cells = std::move(kept);
  return count;
}

// Boundary faces stand once for each group; of cells the first group is kept. What a mesh has no place for is noted.
void settle_groups(GmshFile& file, int dim) {
  std::int64_t cells_in_several = 0, lower = 0;
  for (GmshElements& elements : file.elements) {
    if (elements.type->dim == dim) {
      std::int64_t last = -1;
      for (const auto& [element, tag] : elements.more_tags) cells_in_several += std::exchange(last, element) != element;
      cells_in_several += drop_repeated(elements);
    } else if (elements.type->dim == dim - 1) {
      for (const auto& [element, tag] : elements.more_tags) {
        const auto nodes = elements.nodes_of(element);
        const std::vector<Index> copy(nodes.begin(), nodes.end());
        elements.tags.push_back(tag);
        elements.nodes.insert(elements.nodes.end(), copy.begin(), copy.end());
      }
    } else {
      lower += std::ssize(elements.tags);
    }
  }
  if (cells_in_several > 0)
    file.notes.push_back(join(cells_in_several, " cells are in several physical groups; the first of them counts"));
  if (lower > 0)
    file.notes.push_back(join(lower, dim == 3 ? " points and lines" : " points",
                              " are left out: this mesh has cells of dimension ", dim, " and their faces"));
}

}  // namespace

Mesh make_mesh(GmshFile file) {
  int dim = 0;
  bool serendipity = false;
  for (const GmshElements& elements : file.elements) {
    if (elements.tags.empty()) continue;
    dim = std::max(dim, elements.type->dim);
    serendipity = serendipity || elements.type->serendipity;
  }
  require<IoError>(dim >= 2, file.name, ": ", dim == 1 ? "the cells are lines" : "there are no cells",
                   "; a mesh needs cells of dimension 2 or 3");
  if (dim == 2) require_flat(file);
  settle_groups(file, dim);
  Mesh mesh = serendipity ? lift(file, dim) : make_blocks(file, dim, 0);
  for (const GroupName& group : file.groups)
    if (group.dim >= dim - 1) mesh.names.push_back(group);
  mesh.notes = file.notes;
  turn_inverted_cells(mesh);
  const Measure found = measure(mesh);
  require<IoError>(std::isfinite(found.volume), file.name,
                   ": the coordinates are too large: the volume of the mesh is no finite number");
  require<IoError>(
      found.smallest_cell > 0, file.name, ": ", [&] { return name(mesh.blocks[to_size(found.worst_block)].cell); }, " ",
      found.worst_cell, " has the volume 0");
  return mesh;
}

Mesh read_gmsh(const std::filesystem::path& path, std::int64_t max_memory) {
  const std::function<void(double)> nobody;
  const TextBuffer text = load_text(path, IoProgress{nobody}, SIZE_MAX, nullptr, max_memory);
  return make_mesh(parse_gmsh(text.text(), path.string()));
}

}  // namespace millrace
