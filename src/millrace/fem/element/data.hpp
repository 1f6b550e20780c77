// What an element operator is made of, as arrays: numbering, tables and the numbers kept at the points. Kernels of
// every back end read these.
#pragma once

#include <array>
#include <vector>

#include "millrace/fem/basis/element_basis.hpp"
#include "millrace/fem/basis/geometry.hpp"
#include "millrace/fem/basis/lanes.hpp"
#include "millrace/fem/element/entity_nodes.hpp"
#include "millrace/fem/options.hpp"
#include "millrace/fem/space.hpp"

namespace millrace {

/// `num` runs of `length` nodes each.
struct Runs {
  int length = 1;
  Index num = 0;
};

/// The nodes that elements share, for sums in a fixed order on a GPU: runs of nodes that follow each other in the space
/// and in the contributions of all elements that have them.
struct SharedNodes {
  std::array<Runs, 3> runs{};  // in the order of `nodes`
  Array<Index> nodes;  // [num_runs]: the first node of each, ascending among those of a length; none constrained
  Array<Index> first;  // [num_runs + 1]
  Array<Index> contributions;  // [first[num_runs]]: where that of each element to the first node lies, ascending

  std::int64_t num_nodes() const {
    std::int64_t sum = 0;
    for (const Runs& r : runs) sum += std::int64_t{r.length} * r.num;
    return sum;
  }
  SharedNodes to(Device device) const { return {runs, nodes.to(device), first.to(device), contributions.to(device)}; }
};

/// Restriction and transpose on a GPU.
struct RestrictionOnGpu {
  Index num_elem = 0, num_nodes = 0;
  int nodes = 0, comps = 1;  // of an element
  std::int64_t comp_stride = 0;
  Array<Index> offsets;  // [num_elem, nodes], negative where constrained
  SharedNodes entries;   // of every node: its entries of an element vector [num_elem, nodes], ascending
};

/// What kernels of hexes on a GPU read besides.
struct HexOnGpu {
  Array<EntityNodes> entities;  // [num_elem, 27], the same as offsets, where those run evenly; else empty
  Index first_inner = 0;        // nodes from here on are inside elements
  Array<std::uint8_t> merges;   // [num_elem], FaceMerge; empty: no face is merged
  bool computes_dot = false;    // the kernel has <x, A x>
};

/// What an element operator is, but for its arrays: the same on every device.
struct ElementFacts {
  ElementBasis basis;
  ElementMap map;
  int comps = 1, num_stored = 0;
  Index num_elem = 0, num_nodes = 0;  // num_nodes: of the space
  std::int64_t comp_stride = 0;       // component c of node n is entry n + c * comp_stride
  GeometricFactors kind = GeometricFactors::stored;
  Accumulation accumulation = Accumulation::deterministic;
  Evaluation evaluation = Evaluation::fused;

  int nodes() const { return basis.num_nodes; }  // of an element
  std::int64_t num_dofs() const { return std::int64_t{comps} * num_nodes; }
  Offset stored_per_element() const { return Offset{num_stored} * basis.num_points(); }
};

template <class T>
struct ElementData : ElementFacts {
  Array<Index> offsets;      // [num_elem, nodes]: number n of the node, or ~n (negative) where constrained
  Array<Index> constrained;  // those nodes, ascending

  Array<T>
      factors;  // stored: [batches of num_lanes<T> elements, points, num_stored, lanes], the last batch filled
                // up with its last element; on a GPU in the order of its kernel, unfused [num_elem,
                // num_stored, points]; recomputed on a GPU: maps of hexes with straight edges (hex/trilinear_map.hpp)
  Array<Index> cell_nodes;       // recomputed: [num_elem, map.num_nodes()]
  Array<double> points;          // recomputed: [number of points of the mesh, dim]
  Array<std::int32_t> groups;    // recomputed on the host: [num_elem], physical groups
  SharedNodes shared;            // on a GPU
  HexOnGpu hex;                  // of hexes on a GPU
  Array<T> tables;               // of simplices on a GPU: their basis in the order of its kernel, or of its actions
  Array<Index> shared_number;    // of simplices on a GPU: [nodes], number among those that others share, -1 inside
  int num_shared = 0;            // such nodes of an element
  RestrictionOnGpu restriction;  // on a GPU, unfused; its offsets are those above

  /// Where the factors of an element begin on the host; they are num_lanes<T> apart.
  Offset first_factor(Index elem) const {
    constexpr Index lanes = num_lanes<T>;
    return Offset{elem / lanes} * lanes * stored_per_element() + elem % lanes;
  }
};

}  // namespace millrace
