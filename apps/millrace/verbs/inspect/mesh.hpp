// millrace inspect of a mesh: cells, points, volume, worst Jacobian, faces and groups.
#pragma once

#include <cstdint>
#include <string>

#include "verbs/inspect/mesh_picture.hpp"

namespace millrace::command {

/// By the end of the name: .msh, .msh.gz, .msh.xz.
bool is_mesh_file(const std::string& path);

/// Prints what the mesh of a file is, as text or as JSON, and draws it if asked to; returns an ExitCode.
int inspect_mesh(const std::string& path, bool json, std::int64_t max_memory = 0, const MeshPicture& picture = {});

}  // namespace millrace::command
