// Who touches whom: numbers for vertices, edges and faces, how each cell sees them, and the cells of every face.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "millrace/mesh/mesh.hpp"
#include "millrace/mesh/orientation.hpp"

namespace millrace {

/// Of one block of cells.
struct BlockTopology {
  std::vector<Index> vertices;                  // [num_cells, num_vertices(cell)]
  std::vector<Index> edges;                     // [num_cells, num_edges(cell)]
  std::vector<std::uint8_t> edge_reversed;      // [num_cells, num_edges(cell)]: the local edge runs against its own
  std::vector<Index> faces;                     // [num_cells, num_faces(cell)]
  std::vector<std::uint8_t> face_orientations;  // [num_cells, num_faces(cell)]: code of orientation.hpp
};

/// A face as a part of a cell.
struct FaceSide {
  std::int32_t block = -1;
  Index cell = -1;
  std::int32_t face = -1;
  bool exists() const { return cell >= 0; }
  friend bool operator==(const FaceSide&, const FaceSide&) = default;
};

/// A face and a group that it is in.
struct FaceTag {
  Index face = -1;
  std::int32_t tag = 0;
  friend bool operator==(const FaceTag&, const FaceTag&) = default;
};

/// The faces of a mesh, and which cells meet there.
struct Topology {
  int dim = 0;
  std::vector<Index> vertex_points;                 // [num_vertices]: the point of each, ascending
  std::vector<std::array<Index, 4>> edge_vertices;  // [num_edges]: two, in the edge's own order; the rest -1
  std::vector<std::array<Index, 4>> face_vertices;  // [num_faces]: in the face's own order; unused ones -1
  std::vector<std::array<FaceSide, 2>> face_sides;  // [num_faces]: the second does not exist on the boundary
  std::vector<std::int32_t> face_tags;              // [num_faces]: of the mesh's boundary blocks, or 0
  std::vector<FaceTag> more_tags;                   // of faces in several groups: those after the first
  std::vector<Index> boundary_faces;                // faces with one cell, ascending
  std::vector<BlockTopology> blocks;                // as in the mesh
  std::vector<std::vector<Index>> boundary;         // [blocks of mesh.boundary][num_cells]: their face numbers

  Index num_vertices() const { return static_cast<Index>(vertex_points.size()); }
  Index num_edges() const { return static_cast<Index>(edge_vertices.size()); }
  Index num_faces() const { return static_cast<Index>(face_vertices.size()); }
  /// The vertex at a point; -1: there is none.
  Index vertex_at(Index point) const {
    const auto at = std::lower_bound(vertex_points.begin(), vertex_points.end(), point);
    return at == vertex_points.end() || *at != point ? -1 : static_cast<Index>(at - vertex_points.begin());
  }
  /// Every face that is on the boundary or in a group, by its number, with its tag or 0; then the further groups of
  /// those in several.
  std::vector<FaceTag> tagged_faces() const;
  bool on_boundary(Index face) const { return !face_sides[static_cast<std::size_t>(face)][1].exists(); }
  Cell face_cell(Index face) const {
    if (dim == 2) return Cell::segment;
    return face_vertices[static_cast<std::size_t>(face)][3] < 0 ? Cell::triangle : Cell::quad;
  }
};

/// In the plane edges and faces are the same and have the same numbers. Edges and faces ascend by their vertices, so
/// that the numbers are the same on every run and for any number of threads. An Error names a face with more than two
/// cells, a cell that has a vertex twice, and a boundary face that no cell has.
/// Glued, a face of a periodic side is its master's face and lies between two cells; with it come its edges and
/// vertices, which keep the points and the directions of their masters, so that the vertices of edges and faces need
/// not ascend. Its groups are then groups of that one face. A cell may meet itself, and have a vertex twice.
Topology make_topology(const Mesh& mesh, PeriodicSides sides = PeriodicSides::ignored);
/// Glues the periodic sides of the mesh in its topology, which has not been glued. An Error names what does not fit.
void glue_sides(const Mesh& mesh, Topology& topology);

}  // namespace millrace
