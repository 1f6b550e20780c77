// Meshes of gmsh: MSH 2 (2.0 to 2.2) and 4.1, ASCII and binary, and 4.0 in ASCII; plain or as .gz or .xz.
#pragma once

#include <filesystem>

#include "millrace/mesh/mesh.hpp"

namespace millrace {

/// The mesh of a file. Elements of the highest dimension (2 or 3) become cells, those of one dimension less boundary
/// faces; the tag is the physical group, or 0. A face in several groups stands in the boundary once for each; a cell
/// keeps the first. Sides that $Periodic names become Mesh::periodic; spaces glue them. What a mesh has no place for
/// (points, data, ...) is left out and named in Mesh::notes.
/// Cells of order 1 to 4: triangles, quads, tets, hexes, also serendipity quads and hexes, which are lifted to all
/// nodes of their order (that changes no shape). Nodes that no cell uses are left out, mirrored cells are turned round.
/// What cannot be read is an IoError with the line of the text or the byte of the binary file.
Mesh read_gmsh(const std::filesystem::path& path, std::int64_t max_memory = 0);

}  // namespace millrace
