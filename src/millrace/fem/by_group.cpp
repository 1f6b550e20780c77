// Names become tags before a coefficient is made.
#include "millrace/fem/by_group.hpp"

#include "millrace/fem/integral/choose.hpp"

namespace millrace::fem {

ByGroup by_group(const Mesh& mesh, std::initializer_list<GroupsValue> values) {
  std::vector<GroupValue> by_tag;
  for (const GroupsValue& value : values) {
    require(!value.groups.empty(), "coefficient by group: the number ", value.number, " has no group");
    for (const std::int32_t tag : detail::tags_of_cells("coefficient by group", mesh, value.groups))
      by_tag.push_back({tag, value.number});
  }
  return ByGroup(std::span<const GroupValue>(by_tag));
}

}  // namespace millrace::fem
