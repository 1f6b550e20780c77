// Colours chunks of elements greedily.
#include "millrace/fem/element/schedule.hpp"

#include <bit>
#include <cstdint>

namespace millrace {

ElementSchedule make_element_schedule(std::span<const Index> offsets, Index num_elem, int nodes, Index num_nodes,
                                      int batch) {
  ElementSchedule schedule;
  schedule.num_elem = num_elem;
  // At least 256 chunks for threads to share, and at most 16 batches in one: enough to reuse nodes from the cache.
  const Index batches = (num_elem + batch - 1) / batch;
  schedule.chunk = batch * std::clamp<Index>(batches / 256, 1, 16);
  const Index num_chunks = (num_elem + schedule.chunk - 1) / schedule.chunk;

  constexpr int num_shared = 64;  // colours that many chunks share; a chunk that finds none is alone with its own
  std::vector<std::uint64_t> taken(static_cast<std::size_t>(num_nodes));  // colours of the chunks around a node
  std::vector<std::vector<Index>> by_colour(num_shared);
  for (Index c = 0; c < num_chunks; ++c) {
    const std::int64_t first = std::int64_t{c} * schedule.chunk;
    const std::int64_t last = std::min<std::int64_t>(first + schedule.chunk, num_elem);
    const auto mine =
        offsets.subspan(static_cast<std::size_t>(first * nodes), static_cast<std::size_t>((last - first) * nodes));
    const auto colours = [&](Index n) -> std::uint64_t& { return taken[static_cast<std::size_t>(n < 0 ? ~n : n)]; };
    std::uint64_t around = 0;
    for (const Index n : mine) around |= colours(n);
    const int colour = std::countr_one(around);
    if (colour == num_shared) {
      by_colour.push_back({c});
      continue;
    }
    for (const Index n : mine) colours(n) |= std::uint64_t{1} << colour;
    by_colour[static_cast<std::size_t>(colour)].push_back(c);
  }
  schedule.colour_start = {0};
  for (const auto& chunks : by_colour) {
    if (chunks.empty()) continue;
    schedule.chunks.insert(schedule.chunks.end(), chunks.begin(), chunks.end());
    schedule.colour_start.push_back(static_cast<Index>(schedule.chunks.size()));
  }
  return schedule;
}

}  // namespace millrace
