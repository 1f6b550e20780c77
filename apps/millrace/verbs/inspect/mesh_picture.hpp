// millrace inspect MESH --picture: the cells of a mesh coloured by their groups, of a mesh in space those in a cut.
#pragma once

#include <string>

#include "millrace/mesh/mesh.hpp"

namespace millrace::command {

struct MeshPicture {
  std::string file;  // .png or .svg; none when empty
  std::string cut;   // "z=0.5", "x,y,z,nx,ny,nz"; by the size of the mesh when empty
};

/// Refuses what could not be drawn whatever the mesh, before it is read.
void check_mesh_picture(const MeshPicture& picture);
/// Draws the mesh of that file and says what was drawn: "a.png, cut at z = 0.5".
std::string draw_mesh(const std::string& mesh_file, const Mesh& mesh, const MeshPicture& picture);

}  // namespace millrace::command
