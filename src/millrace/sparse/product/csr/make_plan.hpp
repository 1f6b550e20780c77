// Makes the plan of a CSR matrix: facts, choice, data of the schedule; in the parallel steps of conversions, so that
// the host can run and test them.
#pragma once

#include "millrace/sparse/product/csr/make_cached_columns.hpp"

namespace millrace::convert {

struct RowBegin {
  Rows a;
  MILLRACE_HD Offset operator()(Index r) const { return a.begin(r); }
};

template <Steps S>
CsrTiles make_tiles(S& steps, const Rows& a, const CsrTiling& tiling) {
  const Offset num_tiles = tiling.num_tiles(a.num_rows, a.num_entries);
  CsrTiles made{tiling, steps.template make<CsrTile>(num_tiles + 1)};
  CsrTile* tiles = made.tiles.data();
  steps.for_each(num_tiles + 1,
                 [=] MILLRACE_HD(Offset t) { tiles[t] = tiling.tile(RowBegin{a}, a.num_rows, num_tiles, t); });
  made.cuts_rows = steps.first(num_tiles, [=] MILLRACE_HD(Offset t) { return tiles[t].cut != 0; }) < num_tiles;
  return made;
}

/// num_cached_warps() says how many warps run at once with cached columns, 0 where the device cannot; it is only asked
/// where that schedule comes into question, and so is the use of the columns.
template <Steps S, class NumCachedWarps>
CsrPlan make_csr_plan(S& steps, const Rows& a, bool complex_values, std::optional<CsrSchedule> asked,
                      NumCachedWarps&& num_cached_warps, const CacheRule& rule = {}) {
  CsrFacts facts{.num_rows = a.num_rows,
                 .num_cols = a.num_cols,
                 .num_entries = a.num_entries,
                 .complex_values = complex_values,
                 .longest_row = static_cast<Index>(
                     steps.max(a.num_rows, [=] MILLRACE_HD(Offset r) { return a.length(static_cast<Index>(r)); }))};
  CsrPlan plan;
  if (asked ? *asked == CsrSchedule::rows : prefers_lanes_per_row(facts)) {
    plan.choice = explain(facts, asked, rule);
    return plan;
  }
  plan.tiles = make_tiles(steps, a, CsrTiling::make(a.num_entries));
  facts.cuts_rows = plan.tiles.cuts_rows;
  const bool looks = asked ? *asked == CsrSchedule::cached && !complex_values : may_cache_columns(facts, rule);
  const Index num_warps = looks ? num_cached_warps() : 0;
  facts.has_clusters = num_warps > 0;
  UsedMost most;
  if (facts.has_clusters && a.num_entries > 0) most = find_most_used(steps, a, rule, !asked);
  facts.cached_entries = most.num_entries;
  plan.choice = explain(facts, asked, rule);
  if (plan.choice.schedule == CsrSchedule::split)
    plan.data = make_nnz_split(steps, a, split_chunk);
  else if (plan.choice.schedule == CsrSchedule::cached)
    plan.data = make_cached_columns(steps, a, std::move(most.columns), rule.placement, num_warps);
  return plan;
}

}  // namespace millrace::convert
