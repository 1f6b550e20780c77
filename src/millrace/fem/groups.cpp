// Names of groups become tags.
#include "millrace/fem/groups.hpp"

#include "millrace/base/sort_unique.hpp"

namespace millrace {

std::vector<std::int32_t> Groups::tags(const Mesh& mesh, int group_dim) const {
  std::vector<std::int32_t> found;
  for (const Group& group : groups_) found.push_back(group.name ? mesh.tag_of(group_dim, *group.name) : group.tag);
  sort_unique(found);
  return found;
}

std::string list_groups(const Mesh& mesh, int group_dim, const std::vector<std::int32_t>& tags) {
  std::string text;
  for (const std::int32_t tag : tags) {
    text += join(text.empty() ? "" : ", ", tag);
    if (const std::string_view name = mesh.name_of(group_dim, tag); !name.empty()) text += join(' ', name);
  }
  return text.empty() ? "none" : text;
}

}  // namespace millrace
