// Physical groups of a mesh, by name or by tag: where a load, a boundary term or a condition holds.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "millrace/mesh/mesh.hpp"

namespace millrace {

/// One group: the name that the mesh file gives it, or its tag; 0: whatever is in no group.
struct Group {
  std::optional<std::string> name;  // none: by tag
  std::int32_t tag = 0;

  Group(const char* name) : name(name) {}
  Group(std::string name) : name(std::move(name)) {}
  Group(std::int32_t tag) : tag(tag) {}
};

/// Several groups at once: {"inlet", "outlet"}, {1, 2}, or one alone. What is in two of them counts once.
class Groups {
 public:
  Groups() = default;
  Groups(std::initializer_list<Group> groups) : groups_(groups) {}
  Groups(const Group& group) : groups_{group} {}
  Groups(const char* name) : groups_{name} {}
  Groups(const std::string& name) : groups_{name} {}
  Groups(std::int32_t tag) : groups_{tag} {}
  Groups(const std::vector<std::string>& names) : groups_(names.begin(), names.end()) {}
  Groups(const std::vector<std::int32_t>& tags) : groups_(tags.begin(), tags.end()) {}

  bool empty() const { return groups_.empty(); }
  /// Their tags, ascending. group_dim: the dimension of the mesh for cells, one less for faces. An unknown name is an
  /// Error that lists those there are.
  std::vector<std::int32_t> tags(const Mesh& mesh, int group_dim) const;

 private:
  std::vector<Group> groups_;
};

/// "1 wall, 2 lid, 5": tags with the names that the mesh has for them, for errors.
std::string list_groups(const Mesh& mesh, int group_dim, const std::vector<std::int32_t>& tags);

}  // namespace millrace
