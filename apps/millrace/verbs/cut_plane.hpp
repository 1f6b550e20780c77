// Where pictures cut a mesh in space: the option --cut of several verbs.
#pragma once

#include <string>
#include <string_view>

#include "millrace/mesh/patches.hpp"

namespace millrace::command {

/// A plane and what to call it and its axes.
struct NamedPlane {
  Plane plane;
  std::string name, right, up;
};

/// "z=0.5", or "x,y,z,nx,ny,nz", a point and a normal; an Error of that verb for another text.
NamedPlane parse_cut(std::string_view verb, const std::string& text);
/// Through the middle of the mesh, across its shortest side; z where sides are as short.
NamedPlane middle_plane(const Mesh& mesh);

}  // namespace millrace::command
