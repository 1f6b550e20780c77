// Ways to partition a matrix among ranks, by name.
#pragma once

#include <string_view>

namespace millrace {

/// What the parts have in equal measure, and which rows they have.
enum class PartitionKind {
  rows,     // as many rows each, in the order of the matrix (by_rows)
  entries,  // as many entries each, in the order of the matrix (by_entries)
  graph,    // as many entries each, and few that join two parts (by_graph)
};

/// "rows", "entries" or "metis"; an Error lists them, Unsupported names METIS where the build lacks it.
PartitionKind partition_of(std::string_view text);
std::string_view to_text(PartitionKind kind);

}  // namespace millrace
