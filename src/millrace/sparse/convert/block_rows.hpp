// The pattern and the values of dense blocks on host threads, block row by block row: 3 to 6 times as fast there as the
// steps of a GPU, which look up every entry by itself (benchmark_conversions with bsr, poisson3d7:n=128 and
// powerlaw:n=1000000, one thread of an Intel Xeon). Linear in the entries, but for a sort of the blocks of a block row
// whose rows differ; for rows in any order.
#pragma once

#include <algorithm>
#include <ranges>
#include <vector>

#include "millrace/sparse/convert/host_steps.hpp"
#include "millrace/sparse/format/bsr.hpp"

namespace millrace::convert {

/// Runs f(begin, end) over parts of the block rows that hold about equally many entries.
template <class F>
void for_block_row_parts(const HostSteps& steps, const Rows& a, Index size, F&& f) {
  const auto num_block_rows = static_cast<Index>((Offset{a.num_rows} + size - 1) / size);
  parallel(threads_for(steps.num_threads(), a.num_entries, {.bytes = 8}), [&](int thread, int count) {
    const auto first_of = [&](int t) {
      if (t == count) return num_block_rows;
      const Offset wanted = a.num_entries / count * t;
      const auto rows = std::views::iota(Offset{0}, Offset{a.num_rows});
      const auto row = std::ranges::partition_point(rows, [&](Offset r) { return a.begin(r) < wanted; });
      return static_cast<Index>((row - rows.begin()) / size);
    };
    f(first_of(thread), first_of(thread + 1));
  });
}

/// The block columns of a block row into `found`, ascending.
inline void collect_blocks(const Rows& a, Index size, Index block_row, std::vector<Index>& found) {
  found.clear();
  const Index first = block_row * size, last = first + std::min(size, a.num_rows - first);
  std::size_t num_sorted = 0;  // found before; most rows add nothing to them
  for (Index r = first; r < last; ++r) {
    std::size_t at = 0;
    std::int64_t low = 0, high = 0;  // the columns of the block at hand
    const Offset begin = a.begin(r), end = a.begin(Offset{r} + 1);
    const bool as_above = r > first && end - begin == begin - a.begin(Offset{r} - 1) &&
                          std::equal(a.cols + begin, a.cols + end, a.cols + a.begin(Offset{r} - 1));
    for (Offset s = as_above ? end : begin; s < end; ++s) {
      const Index c = a.cols[s];
      if (c >= low && c < high) continue;
      const Index block = c / size;
      low = static_cast<std::int64_t>(block) * size;
      high = low + size;
      while (at < num_sorted && found[at] < block) ++at;
      if (at == num_sorted || found[at] != block) found.push_back(block);
    }
    if (found.size() > 2 * num_sorted || r + 1 == last) {
      if (found.size() == num_sorted) break;
      if (!std::is_sorted(found.begin(), found.end())) std::sort(found.begin(), found.end());
      found.erase(std::unique(found.begin(), found.end()), found.end());
      num_sorted = found.size();
    }
  }
}

/// All blocks of that size, or some number above the limit.
inline Offset count_blocks_by_rows(const HostSteps& steps, const Rows& a, Index size, Offset limit) {
  std::atomic<Offset> total = 0;
  const Offset often_enough = std::clamp<Offset>(limit / 16, 1, 1024);  // blocks between two looks at the total
  for_block_row_parts(steps, a, size, [&](Index begin, Index end) {
    std::vector<Index> found;
    Offset mine = 0;
    for (Index b = begin; b < end; ++b) {
      collect_blocks(a, size, b, found);
      mine += std::ssize(found);
      if (mine < often_enough && b + 1 < end) continue;
      if ((total += mine) > limit) return;
      mine = 0;
    }
  });
  return total;
}

inline BlockPattern find_pattern_by_rows(const HostSteps& steps, const Rows& a, Index size) {
  const Offset num_block_rows = (Offset{a.num_rows} + size - 1) / size;
  BlockPattern pattern{size, Array<Offset>(num_block_rows + 1), {}};
  Offset* block_ptr = pattern.block_ptr.data();
  block_ptr[0] = 0;
  const auto for_each_block_row = [&](auto&& f) {
    for_block_row_parts(steps, a, size, [&](Index begin, Index end) {
      std::vector<Index> found;
      for (Index b = begin; b < end; ++b) {
        collect_blocks(a, size, b, found);
        f(b, found);
      }
    });
  };
  for_each_block_row([&](Index b, const std::vector<Index>& found) { block_ptr[b + 1] = std::ssize(found); });
  steps.scan(block_ptr, pattern.block_ptr.size());
  pattern.block_cols = Array<Index>(block_ptr[num_block_rows]);
  for_each_block_row([&](Index b, const std::vector<Index>& found) {
    std::copy(found.begin(), found.end(), pattern.block_cols.data() + block_ptr[b]);
  });
  return pattern;
}

/// Writes the entries, and sets their bits unless there are none. place(block_row) says where its blocks go.
template <class A, class Places>
void fill_blocks_by_rows(const HostSteps& steps, const Rows& a, const A* from, const BlockPattern& pattern,
                         const Places& place, A* vals, std::uint64_t* bits) {
  const Index size = pattern.size;
  const auto fill_row = [&](Index r, const BlockPlace& to) {
    const Index block_row = r / size;
    const Index *first = pattern.block_cols.data() + pattern.block_ptr.data()[block_row],
                *last = pattern.block_cols.data() + pattern.block_ptr.data()[block_row + 1], *at = first;
    std::int64_t low = 0, high = 0;  // the columns of the block at hand
    Offset in_row = 0;               // first slot of the row in that block
    for (Offset s = a.begin(r), end = a.begin(Offset{r} + 1); s < end; ++s) {
      const Index c = a.cols[s];
      if (c < low || c >= high) {
        const Index block = c / size;
        if (*at != block) at = at + 1 != last && at[1] == block ? at + 1 : std::lower_bound(first, last, block);
        low = static_cast<std::int64_t>(block) * size;
        high = low + size;
        in_row = to.first + (at - first) * size * to.stride + r % size;
      }
      const Offset slot = in_row + (c - low) * to.stride;
      vals[slot] = from[s];
      if (bits) fetch_or(bits + slot / 64, std::uint64_t{1} << (slot % 64));  // block rows can share a word
    }
  };
  for_block_row_parts(steps, a, size, [&](Index begin, Index end) {
    for (Index b = begin; b < end; ++b) {
      const BlockPlace to = place(b);
      const auto last = static_cast<Index>(std::min<Offset>((Offset{b} + 1) * size, a.num_rows));
      for (Index r = b * size; r < last; ++r) fill_row(r, to);
    }
  });
}

}  // namespace millrace::convert
