// Chooses the plane and the texts of a picture of a mesh.
#include "verbs/inspect/mesh_picture.hpp"

#include <filesystem>

#include "millrace/io/picture.hpp"
#include "verbs/cut_plane.hpp"
#include "verbs/files.hpp"

namespace millrace::command {

void check_mesh_picture(const MeshPicture& picture) {
  require(picture.cut.empty() || !picture.file.empty(),
          "inspect: --cut says where --picture FILE cuts the mesh; it needs that");
  if (picture.file.empty()) return;
  check_picture_name(picture.file);
  check_output_place(picture.file);
  if (!picture.cut.empty()) parse_cut("inspect", picture.cut);
}

std::string draw_mesh(const std::string& mesh_file, const Mesh& mesh, const MeshPicture& picture) {
  PictureOptions options{.mesh_lines = true};
  options.title = std::filesystem::path(mesh_file).filename().string() + ": " + mesh.description();
  if (mesh.dim == 2) {
    require(picture.cut.empty(), "inspect: --cut is for meshes in space; ", mesh_file, " is a mesh of the plane");
    write_picture(picture.file, patches_of(mesh), groups_of(mesh), options);
    return picture.file;
  }
  const NamedPlane chosen = picture.cut.empty() ? middle_plane(mesh) : parse_cut("inspect", picture.cut);
  const PlaneFigure figure = cut(mesh, chosen.plane);
  require(!figure.patches.empty(), "inspect: the plane ", chosen.name, " does not cut the mesh ", mesh_file);
  options.title += ", cut at " + chosen.name;
  options.right_name = chosen.right;
  options.up_name = chosen.up;
  write_picture(picture.file, figure, groups_of(mesh), options);
  return picture.file + ", cut at " + chosen.name;
}

}  // namespace millrace::command
