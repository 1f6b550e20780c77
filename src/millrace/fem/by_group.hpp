// Coefficients by physical group, with the names of the mesh: by_group(mesh, {{"steel", 40}, {{"wood", "cork"}, 0.1}}).
#pragma once

#include <initializer_list>

#include "millrace/fem/fields.hpp"
#include "millrace/fem/groups.hpp"

namespace millrace::fem {

/// The number of one or several groups of cells, by name or tag.
struct GroupsValue {
  Groups groups;
  double number = 0;
};

/// Numbers for the groups of a mesh. An Error names a group that no cell is in, one with two numbers, and an entry
/// without a group.
ByGroup by_group(const Mesh& mesh, std::initializer_list<GroupsValue> values);

}  // namespace millrace::fem
