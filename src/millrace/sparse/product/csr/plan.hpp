// The one place where a schedule of CSR on a GPU is chosen: facts in, schedule and reason out. Nothing here launches.
// The choice depends on the pattern, the scalar and the device, never on who owns the arrays or how they are aligned,
// so a matrix gives the same bits whether it is wrapped or owned.
#pragma once

#include <string>
#include <variant>

#include "millrace/sparse/csr.hpp"
#include "millrace/sparse/csr_schedule.hpp"
#include "millrace/sparse/product/csr/cached_columns.hpp"
#include "millrace/sparse/product/csr/tiles.hpp"

namespace millrace {

/// When columns are worth their place in shared memory; the bounds are set by hand, not swept.
struct CacheRule {
  CachePlacement placement{};
  Offset min_entries = 4'000'000;
  double min_share = 0.15;  // of all entries in the cached columns,
  double min_excess = 2;    // which is more than this many times their share of the columns

  constexpr Index min_columns() const { return 2 * placement.num_cached(); }
  constexpr bool stands_out(double cached_entries, Offset num_entries, Index num_cols) const {
    const double all = static_cast<double>(num_entries), fair = static_cast<double>(placement.num_cached()) / num_cols;
    return cached_entries >= min_share * all && cached_entries > min_excess * fair * all;
  }
};

/// Entries of a chunk of the nonzero split: four for each of 512 threads.
inline constexpr Index split_chunk = 2048;
/// Measured on an H200: real matrices whose tiles cut rows are 1.1 to 2 times as fast by the nonzero split as by tiles,
/// up to 3 million entries; where tiles cut no row, tiles are faster.
inline constexpr Offset max_split_entries = 8'000'000;

struct CsrFacts {
  Index num_rows = 0, num_cols = 0;
  Offset num_entries = 0;
  bool complex_values = false;
  Index longest_row = 0;
  bool cuts_rows = false;     // do tiles cut a row?
  bool has_clusters = false;  // of thread blocks with enough shared memory for cached columns; false: nobody asked
  Offset cached_entries = 0;  // in the columns used most; 0: nobody looked
};

/// Long rows of like length fill warps by themselves (3D elasticity: 1.9 times as fast as by tiles on an H200; small
/// social networks, whose longest row is 8 times the mean, are 1.4 times as slow as by the nonzero split).
constexpr bool prefers_lanes_per_row(const CsrFacts& f) {
  if (f.num_rows == 0) return false;
  const double mean = static_cast<double>(f.num_entries) / f.num_rows;
  return mean > 48 && f.longest_row < 4 * mean;
}

/// Is the use of the columns worth a look? That costs a pass over all columns and a sort.
constexpr bool may_cache_columns(const CsrFacts& f, const CacheRule& rule = {}) {
  return !f.complex_values && !prefers_lanes_per_row(f) && f.num_entries >= rule.min_entries &&
         f.num_cols >= rule.min_columns();
}

constexpr CsrSchedule choose_csr_schedule(const CsrFacts& f, const CacheRule& rule = {}) {
  if (prefers_lanes_per_row(f)) return CsrSchedule::rows;
  if (may_cache_columns(f, rule) && f.has_clusters &&
      rule.stands_out(static_cast<double>(f.cached_entries), f.num_entries, f.num_cols))
    return CsrSchedule::cached;
  if (!f.complex_values && f.cuts_rows && f.num_entries <= max_split_entries) return CsrSchedule::split;
  return CsrSchedule::tiles;
}
// A stencil, 3D elasticity, a small social network, and a power law: cached, and split where clusters are missing.
static_assert(choose_csr_schedule({.num_rows = 90000, .num_cols = 90000, .num_entries = 450000, .longest_row = 5}) ==
              CsrSchedule::tiles);
static_assert(choose_csr_schedule({.num_rows = 30000, .num_cols = 30000, .num_entries = 2400000, .longest_row = 81}) ==
              CsrSchedule::rows);
static_assert(choose_csr_schedule({.num_rows = 7000,
                                   .num_cols = 7000,
                                   .num_entries = 200000,
                                   .longest_row = 1065,
                                   .cuts_rows = true}) == CsrSchedule::split);
static_assert(choose_csr_schedule({.num_rows = 300000,
                                   .num_cols = 300000,
                                   .num_entries = 4800000,
                                   .longest_row = 20000,
                                   .cuts_rows = true,
                                   .has_clusters = true,
                                   .cached_entries = 3000000}) == CsrSchedule::cached);
static_assert(choose_csr_schedule({.num_rows = 300000,
                                   .num_cols = 300000,
                                   .num_entries = 4800000,
                                   .longest_row = 20000,
                                   .cuts_rows = true}) == CsrSchedule::split);

/// What was chosen, or asked for, and why; it goes into details() and the records.
struct CsrChoice {
  CsrSchedule schedule = CsrSchedule::rows;
  std::string reason;
  std::string text() const { return std::string(name(schedule)) + ": " + reason; }
};

/// The choice, or the schedule asked for by its word; throws Unsupported where that one cannot serve.
CsrChoice explain(const CsrFacts& facts, std::optional<CsrSchedule> asked, const CacheRule& rule = {});

/// What products of a CSR matrix on a GPU read besides its arrays: SparseMatrix makes it once and holds it. Split and
/// cached columns serve one vector; several take tiles, which are therefore kept beside them.
struct CsrPlan {
  CsrChoice choice;
  CsrTiles tiles;                                              // empty: lanes per row
  std::variant<std::monostate, NnzSplit, CachedColumns> data;  // of the schedule

  std::int64_t bytes() const;  // of all its arrays
  /// Of a matrix with its plan. A product of one vector reads columns and row offsets, or what was made of them; tiles
  /// are less than a hundredth of that and not counted as moved.
  Footprint with_plan(const Footprint& csr, std::int64_t row_ptr_bytes, std::int64_t cols_bytes) const;
};

namespace cuda {

/// The plan of a matrix on a GPU, made in the order of the queue; done when it returns.
template <class T>
CsrPlan make_csr_plan(Queue& queue, const Csr<T>& a, std::optional<CsrSchedule> asked);

}  // namespace cuda
}  // namespace millrace
