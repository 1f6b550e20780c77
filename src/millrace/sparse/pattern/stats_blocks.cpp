// Dense blocks: for each size, largest first, count the blocks that a block format would store, and give
// the size up as soon as there are too many. Wrong sizes are refused early, so few of them cost a full pass.
#include <algorithm>
#include <array>
#include <atomic>
#include <complex>

#include "millrace/base/search.hpp"
#include "millrace/sparse/pattern/entry_parts.hpp"
#include "millrace/sparse/stats.hpp"

namespace millrace {
namespace {

constexpr Index max_block = 32;
constexpr double enough = 0.9;  // 8 / 0.9 bytes per entry in full blocks, against 8 + 4 in rows

// Blocks among the rows [first, last) of one block row: the rows are walked together, block by block.
template <class View>
Offset blocks_of_block_row(const View& a, Index first, Index last, Index size) {
  std::array<Offset, max_block> at{};
  for (Index r = first; r < last; ++r) at[static_cast<std::size_t>(r - first)] = a.row_ptr[r];
  for (Offset count = 0;; ++count) {
    Index nearest = a.num_cols;
    for (Index r = first; r < last; ++r) {
      const Offset s = at[static_cast<std::size_t>(r - first)];
      if (s < a.row_ptr[r + 1]) nearest = std::min(nearest, a.cols[s]);
    }
    if (nearest == a.num_cols) return count;
    const std::int64_t block_end = (std::int64_t{nearest} / size + 1) * size;
    for (Index r = first; r < last; ++r) {
      Offset& s = at[static_cast<std::size_t>(r - first)];
      while (s < a.row_ptr[r + 1] && a.cols[s] < block_end) ++s;
    }
  }
}

// The first block row that begins at entry s or later.
template <class View>
Index block_row_from(const View& a, Index size, Offset s) {
  const auto num_block_rows = static_cast<Index>((std::int64_t{a.num_rows} + size - 1) / size);
  return first_where(Index{0}, num_block_rows, [&](Index b) { return a.row_ptr[b * size] >= s; });
}

// All blocks of that size, or some number above the limit.
template <class View>
Offset count_blocks(const View& a, Index size, Offset limit, int num_threads) {
  std::atomic<Offset> total = 0;
  for_entry_parts(a, num_threads, [&](int, Offset begin, Offset end, Index) {
    constexpr Offset often_enough = 4096;  // blocks between two looks at what the other threads have
    const Index last_block_row = block_row_from(a, size, end);
    Offset mine = 0;
    for (Index b = block_row_from(a, size, begin); b < last_block_row; ++b) {
      const Index first = b * size, last = first + std::min<Index>(a.num_rows - first, size);
      mine += blocks_of_block_row(a, first, last, size);
      if (mine < often_enough) continue;
      if ((total += mine) > limit) return;
      mine = 0;
    }
    total += mine;
  });
  return total;
}

template <class View>
Blocks search_sizes(const View& a, int num_threads) {
  Blocks found;
  if (a.num_entries == 0) return found;
  const Index largest = std::min({max_block, a.num_rows, a.num_cols});
  for (Index size = largest; size > 1 && found.exact_size == 1; --size) {
    const Offset area = Offset{size} * size;
    const bool may_be_exact = a.num_rows % size == 0 && a.num_cols % size == 0 && a.num_entries % area == 0;
    if (found.size > 1 && !may_be_exact) continue;
    const Offset exact_count = a.num_entries / area;
    const Offset limit =
        found.size > 1 ? exact_count : static_cast<Offset>(static_cast<double>(exact_count + 1) / enough);
    const Offset count = count_blocks(a, size, limit, num_threads);
    const double fill = static_cast<double>(a.num_entries) / (static_cast<double>(count) * static_cast<double>(area));
    if (found.size == 1 && fill >= enough) {
      found.size = size;
      found.fill = fill;
    }
    if (may_be_exact && count == exact_count) found.exact_size = size;
  }
  return found;
}

}  // namespace

template <class T>
Blocks find_blocks(const Csr<T>& sorted, int num_threads) {
  if (num_threads <= 0) num_threads = default_num_threads();
  return sorted.visit_view([&](const auto& view) { return search_sizes(view, num_threads); });
}

template Blocks find_blocks(const Csr<float>&, int);
template Blocks find_blocks(const Csr<double>&, int);
template Blocks find_blocks(const Csr<std::complex<float>>&, int);
template Blocks find_blocks(const Csr<std::complex<double>>&, int);

}  // namespace millrace
