// Which elements the host's threads may work on at the same time. Chunks of consecutive elements get colours; chunks of
// one colour share no node, so that sums have one order whatever the number of threads.
#pragma once

#include <span>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace {

struct ElementSchedule {
  int chunk = 1;  // elements of a chunk, a multiple of the batch
  Index num_elem = 0;
  std::vector<Index> chunks;        // [num_chunks], colour after colour
  std::vector<Index> colour_start;  // [num_colours + 1]

  int num_colours() const { return static_cast<int>(colour_start.size()) - 1; }

  /// Calls f(thread, first element, last element + 1) for all chunks; shared nodes meet in a fixed order. `each`: what
  /// an element costs.
  template <class F>
  void run(int num_threads, Work each, F&& f) const {
    for (std::size_t c = 0; c + 1 < colour_start.size(); ++c) {
      const Index begin = colour_start[c], count = colour_start[c + 1] - begin;
      const Team team = count > 1 ? threads_for(num_threads, std::int64_t{count} * chunk, each) : Team(1);
      parallel(team, [&](int thread, int threads) {
        const auto [first, last] = even_part(count, thread, threads);
        for (std::int64_t k = first; k < last; ++k) {
          const std::int64_t e = std::int64_t{chunks[static_cast<std::size_t>(begin + k)]} * chunk;
          f(thread, static_cast<Index>(e), static_cast<Index>(std::min<std::int64_t>(e + chunk, num_elem)));
        }
      });
    }
  }
};

/// offsets [num_elem, nodes]: node numbers below num_nodes, or their complements. batch: elements done at once.
ElementSchedule make_element_schedule(std::span<const Index> offsets, Index num_elem, int nodes, Index num_nodes,
                                      int batch);

}  // namespace millrace
