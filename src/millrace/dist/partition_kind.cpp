// Kinds of partitions by name.
#include "millrace/dist/partition_kind.hpp"

#include <utility>

#include "millrace/base/error.hpp"

namespace millrace {
namespace {
constexpr std::pair<PartitionKind, std::string_view> partition_kinds[] = {
    {PartitionKind::rows, "rows"}, {PartitionKind::entries, "entries"}, {PartitionKind::graph, "metis"}};
}

PartitionKind partition_of(std::string_view text) {
  for (const auto& [kind, name] : partition_kinds)
    if (name == text) {
      require<Unsupported>(kind != PartitionKind::graph || MILLRACE_WITH_METIS, "partition '", text,
                           "' was asked for, but this build has no METIS; rows and entries are accepted");
      return kind;
    }
  throw Error(join("partition '", text, "' is unknown; accepted are: rows, entries, metis"));
}

std::string_view to_text(PartitionKind kind) {
  for (const auto& [each, name] : partition_kinds)
    if (each == kind) return name;
  return "";
}

}  // namespace millrace
