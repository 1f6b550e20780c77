// A continuous space of polynomials on a mesh: which unknown each node of each element is, where the nodes lie, and
// which of them are on the boundary.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "millrace/mesh/mesh.hpp"

namespace millrace {

/// How an element vector [num_elem, comps, nodes] is taken from a vector of unknowns: the G of G^T B^T D B G.
struct Restriction {
  Index num_elem = 0;
  int nodes = 0;  // of an element
  int comps = 1;
  std::int64_t num_dofs = 0;     // comps * nodes of the space
  std::int64_t comp_stride = 0;  // component c of node n is entry n + c * comp_stride
  Array<Index> offsets;          // [num_elem, nodes]: number of the node

  std::int64_t entry(Index elem, int comp, int node) const {
    return offsets.data()[Offset{elem} * nodes + node] + comp * comp_stride;
  }
};

/// Nodes on the boundary faces with one tag, ascending.
struct TaggedNodes {
  std::int32_t tag = 0;
  std::vector<Index> nodes;
};

/// The elements of one block of cells.
struct SpaceBlock {
  Cell cell = Cell::hex;
  Restriction restriction;
};

/// Continuous elements of one order on a mesh: the numbering of their nodes, which all blocks of cells share.
struct Space {
  int order = 1;
  int dim = 3;
  int comps = 1;
  PeriodicSides sides = PeriodicSides::glued;  // of the mesh, where it has any
  Index num_nodes = 0;
  std::vector<SpaceBlock> blocks;         // as those of the mesh
  std::vector<Index> all_boundary_nodes;  // all nodes on the boundary, ascending; sides that are glued are none
  std::vector<TaggedNodes> boundary;      // by ascending tag; 0: faces of the boundary without one
  std::vector<double> node_points;        // [num_nodes, dim]: where they lie

  const double* place(Index node) const { return node_points.data() + Offset{node} * dim; }
  std::int64_t num_dofs() const { return std::int64_t{comps} * num_nodes; }
  /// Where component c of a node stands in a vector of unknowns.
  std::int64_t entry(Index node, int comp) const { return node + std::int64_t{comp} * num_nodes; }
  /// The block of a space with one kind of element; an Error names the kinds where there are several.
  const SpaceBlock& only_block() const;
  /// That block; -1: the only one.
  const SpaceBlock& block(int number) const;
};

/// Nodes are numbered as the elements in their order meet them: first all at vertices, then those inside edges, inside
/// faces and inside elements. Nodes on shared edges and faces are matched through the topology of the mesh, whatever
/// way their elements look at them. Triangles and quads may be neighbours: both have Gauss-Lobatto nodes on their
/// edges. Periodic sides of the mesh have the same nodes, each placed on one of the two, unless they are to be ignored.
Space make_space(const Mesh& mesh, int order, int comps = 1, PeriodicSides sides = PeriodicSides::glued);

/// An Error of `who` unless the space has the blocks of the mesh, with as many cells.
void check_same_cells(std::string_view who, const Mesh& mesh, const Space& space);

/// The nodes on faces with one of these tags, ascending. An unknown tag is an Error.
std::vector<Index> boundary_nodes(const Space& space, std::span<const std::int32_t> tags);

}  // namespace millrace
