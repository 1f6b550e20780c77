// The entry-by-entry figures, and all figures together.
#include "millrace/sparse/stats.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <complex>
#include <cstdlib>

#include "millrace/sparse/pattern/entry_parts.hpp"

namespace millrace {
namespace {

struct EntrySums {
  Offset explicit_zeros = 0, falls = 0, repeats = 0;  // falls, repeats: against the entry before it in the row
  std::int64_t below = 0, above = 0;                  // largest i - j and j - i
  std::uint64_t distance = 0;

  void add(const EntrySums& other) {
    explicit_zeros += other.explicit_zeros;
    falls += other.falls;
    repeats += other.repeats;
    below = std::max(below, other.below);
    above = std::max(above, other.above);
    distance += other.distance;
  }
};

// A set of diagonals that several threads fill; a bit is set at most once in most calls.
void mark(Array<std::uint64_t>& bits, std::int64_t diagonal) {
  std::atomic_ref<std::uint64_t> word(bits.data()[diagonal >> 6]);
  const std::uint64_t bit = std::uint64_t{1} << (diagonal & 63);
  if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
}

template <class View>
EntrySums walk_entries(const View& a, int num_threads, Array<std::uint64_t>& diagonals) {
  std::vector<EntrySums> sums(static_cast<std::size_t>(num_threads));
  for_entry_parts(a, num_threads, [&](int part, Offset begin, Offset end, Index row) {
    EntrySums mine;
    for (Offset s = begin; s < end; ++s) {
      while (a.row_ptr[row + 1] <= s) ++row;
      const std::int64_t ahead = std::int64_t{a.cols[s]} - row;
      mine.above = std::max(mine.above, ahead);
      mine.below = std::max(mine.below, -ahead);
      mine.distance += static_cast<std::uint64_t>(std::abs(ahead));
      mine.explicit_zeros += is_zero(a.vals[s]);
      if (s > a.row_ptr[row]) {
        mine.falls += a.cols[s] < a.cols[s - 1];
        mine.repeats += a.cols[s] == a.cols[s - 1];
      }
      mark(diagonals, ahead + a.num_rows - 1);
    }
    sums[static_cast<std::size_t>(part)] = mine;
  });
  EntrySums total;
  for (const EntrySums& part : sums) total.add(part);
  return total;
}

Offset count_bits(const Array<std::uint64_t>& bits, int num_threads) {
  std::atomic<Offset> total = 0;
  parallel_for(num_threads, bits.size(), [&](std::int64_t begin, std::int64_t end) {
    Offset mine = 0;
    for (std::int64_t word = begin; word < end; ++word) mine += std::popcount(bits.data()[word]);
    total += mine;
  });
  return total;
}

struct ColumnFigures {
  Index num_empty = 0, longest = 0;
};

// Every thread counts in an array of its own, and there are only as many as the entries pay for.
ColumnFigures count_columns(Index num_cols, const Array<Index>& cols, int num_threads) {
  if (num_cols == 0) return {};
  const int counters = static_cast<int>(std::clamp<Offset>(cols.size() / num_cols, 1, num_threads));
  Array<Index> counts(std::int64_t{counters} * num_cols, 0);  // [counters, num_cols]
  parallel(threads_for(counters, cols.size(), {.bytes = 8}), [&](int part, int num_parts) {
    const auto [begin, end] = even_part(cols.size(), part, num_parts);
    Index* mine = counts.data() + std::int64_t{part} * num_cols;
    for (Offset s = begin; s < end; ++s) ++mine[cols.data()[s]];
  });
  std::atomic<Index> num_empty = 0;
  std::vector<Index> longest(static_cast<std::size_t>(num_threads), 0);
  parallel(threads_for(num_threads, num_cols, {.bytes = 8 * counters}), [&](int part, int num_parts) {
    const auto [begin, end] = even_part(num_cols, part, num_parts);
    Index empty = 0, most = 0;
    for (std::int64_t j = begin; j < end; ++j) {
      Index count = 0;
      for (int c = 0; c < counters; ++c) count += counts.data()[std::int64_t{c} * num_cols + j];
      empty += count == 0;
      most = std::max(most, count);
    }
    num_empty += empty;
    longest[static_cast<std::size_t>(part)] = most;
  });
  return {num_empty, *std::max_element(longest.begin(), longest.end())};
}

template <class T>
void add_structure(MatrixStats& stats, const Csr<T>& sorted, int num_threads) {
  const Symmetry symmetry = find_symmetry(sorted, num_threads);
  stats.pattern_symmetric = symmetry.pattern;
  stats.numerically_symmetric = symmetry.numerical;
  stats.hermitian = symmetry.hermitian;
  stats.skew = symmetry.skew;
  stats.pattern_symmetry = symmetry.pattern_share;
  stats.value_symmetry = symmetry.value_share;
  stats.diagonal_entries = symmetry.diagonal_entries;
  stats.full_diagonal = symmetry.diagonal_entries == std::min(stats.num_rows, stats.num_cols);
  const Blocks blocks = find_blocks(sorted, num_threads);
  stats.block_size = blocks.size;
  stats.block_fill = blocks.fill;
  stats.exact_block_size = blocks.exact_size;
}

}  // namespace

template <class T>
MatrixStats compute_stats(const Csr<T>& a, int num_threads) {
  require(a.device().on_host(), "statistics: the matrix lives on ", to_string(a.device()),
          "; copy it to the host first");
  check_csr(a);
  if (num_threads <= 0) num_threads = default_num_threads();
  MatrixStats stats;
  stats.num_rows = a.num_rows;
  stats.num_cols = a.num_cols;
  stats.num_entries = a.num_entries();

  RowLengths rows = row_lengths(a.row_ptr, num_threads);
  stats.row_min = rows.min;
  stats.row_max = rows.max;
  stats.row_mean = rows.mean;
  stats.row_std = rows.std;
  stats.empty_rows = rows.num_empty;
  stats.row_histogram = std::move(rows.histogram);
  const ColumnFigures columns = count_columns(a.num_cols, a.cols, num_threads);
  stats.empty_cols = columns.num_empty;
  stats.col_max = columns.longest;

  Array<std::uint64_t> diagonals((std::int64_t{a.num_rows} + a.num_cols + 63) / 64, 0);
  const EntrySums sums = a.visit_view([&](const auto& view) { return walk_entries(view, num_threads, diagonals); });
  stats.num_diagonals = count_bits(diagonals, num_threads);
  stats.lower_bandwidth = static_cast<Index>(sums.below);
  stats.upper_bandwidth = static_cast<Index>(sums.above);
  if (stats.num_entries > 0)
    stats.mean_distance = static_cast<double>(sums.distance) / static_cast<double>(stats.num_entries);
  stats.explicit_zeros = sums.explicit_zeros;
  stats.sorted_rows = sums.falls == 0;

  if (sums.falls == 0 && sums.repeats == 0) {
    add_structure(stats, a, num_threads);
  } else {
    const Csr<T> sorted = sort_rows(a);
    stats.num_duplicates = stats.num_entries - sorted.num_entries();
    add_structure(stats, sorted, num_threads);
  }
  return stats;
}

template MatrixStats compute_stats(const Csr<float>&, int);
template MatrixStats compute_stats(const Csr<double>&, int);
template MatrixStats compute_stats(const Csr<std::complex<float>>&, int);
template MatrixStats compute_stats(const Csr<std::complex<double>>&, int);

}  // namespace millrace
