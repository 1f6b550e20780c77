// Where is integrated: cells and faces of groups, by name or tag, the topology that knows them, and the rule of a
// block.
#pragma once

#include <compare>
#include <optional>
#include <string_view>
#include <vector>

#include "millrace/fem/basis/element_basis.hpp"
#include "millrace/fem/groups.hpp"
#include "millrace/mesh/topology.hpp"

namespace millrace::detail {

/// The tags of groups of cells, ascending; none: all cells. An Error of `who` names a group that no cell is in.
std::vector<std::int32_t> tags_of_cells(std::string_view who, const Mesh& mesh, const Groups& groups);

/// What was asked for all cells, for those of one block: where there are several blocks, points per direction count for
/// quads and hexes alone.
Points points_of_block(const Mesh& mesh, Cell cell, Points asked);

/// The topology that was given, or one that is made. An Error of `who` unless it is of the mesh, with periodic sides as
/// they are asked for; without a wish both are accepted, and they are boundaries in one that is made.
const Topology& choose_topology(std::string_view who, const Mesh& mesh, std::optional<PeriodicSides> sides,
                                const Topology* given, std::optional<Topology>& made);

/// A face, seen from one of its cells.
struct ChosenFace {
  Index face = -1;
  int side = 0;  // of Topology::face_sides
  friend auto operator<=>(const ChosenFace&, const ChosenFace&) = default;
};
enum class FacesBetween { accepted, refused };

/// The faces of groups, ascending, each once; of the whole boundary where none is named. A face between two cells is
/// seen from the first of them; one of periodic sides that are glued, from the cell that has it on the side of the
/// group.
std::vector<ChosenFace> choose_faces(std::string_view who, const Mesh& mesh, const Topology& topology,
                                     const Groups& groups, FacesBetween between);

}  // namespace millrace::detail
