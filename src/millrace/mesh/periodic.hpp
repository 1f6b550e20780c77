// Periodic sides from groups of boundary faces, one of which is the other one moved.
#pragma once

#include "millrace/mesh/mesh.hpp"

namespace millrace {

/// From the middle of the box around a group of boundary faces to that of another one.
Point translation_between(const Mesh& mesh, std::int32_t tag, std::int32_t master);

/// The faces of the group `tag`, moved by the translation, are those of `master`: pairs of their vertices, for
/// Mesh::periodic. Vertices may be off by 1e-6 of the size of their face. An Error names the first face that has no
/// partner and its distance from the nearest face, in either direction.
PeriodicSide match_sides(const Mesh& mesh, std::int32_t tag, std::int32_t master, const Point& translation);

/// Does a side of the mesh have boundary faces of a group, as itself or as its master?
bool touches(const Mesh& mesh, const PeriodicSide& side, std::int32_t tag);

}  // namespace millrace
