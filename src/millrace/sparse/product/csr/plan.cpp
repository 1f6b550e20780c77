// The reasons of a choice in words, and the memory of a plan.
#include "millrace/sparse/product/csr/plan.hpp"

#include <fmt/format.h>

namespace millrace {
namespace {

std::string count(Offset num) {
  if (num < 10'000) return fmt::format("{}", num);
  if (num < 1'000'000) return fmt::format("{} thousand", num / 1000);
  return fmt::format("{:.1f} million", static_cast<double>(num) * 1e-6);
}

std::string reason_of(CsrSchedule schedule, const CsrFacts& f, const CacheRule& rule) {
  const double rows = f.num_rows > 0 ? f.num_rows : 1, entries = static_cast<double>(f.num_entries);
  switch (schedule) {
    case CsrSchedule::rows:
      return fmt::format("{:.0f} entries per row, the longest {}", entries / rows, f.longest_row);
    case CsrSchedule::cached:
      return fmt::format("{} of {} columns hold {:.0f} % of {} entries", rule.placement.num_cached(), f.num_cols,
                         100 * static_cast<double>(f.cached_entries) / entries, count(f.num_entries));
    case CsrSchedule::split:
      return fmt::format("tiles cut rows, {} entries", count(f.num_entries));
    case CsrSchedule::tiles:
      break;
  }
  if (!f.cuts_rows) return "they cut no row";
  if (f.complex_values) return "complex values";
  return fmt::format("{} entries, more than {} are not split", count(f.num_entries), count(max_split_entries));
}

void require_possible(CsrSchedule asked, const CsrFacts& f) {
  if (asked == CsrSchedule::rows || asked == CsrSchedule::tiles) return;
  require<Unsupported>(!f.complex_values, "csr-", name(asked),
                       ": this schedule is for float and double, the values are complex; csr-rows and csr-tiles take "
                       "them");
  require<Unsupported>(asked == CsrSchedule::split || f.has_clusters,
                       "csr-cached: this schedule needs clusters of thread blocks (compute capability 9.0) and ",
                       "shared memory for ", CachePlacement{}.num_slots(),
                       " entries of x in each; this device has not. csr-rows, csr-tiles and csr-split serve here");
}

}  // namespace

CsrChoice explain(const CsrFacts& facts, std::optional<CsrSchedule> asked, const CacheRule& rule) {
  if (!asked) {
    const CsrSchedule schedule = choose_csr_schedule(facts, rule);
    return {schedule, reason_of(schedule, facts, rule)};
  }
  require_possible(*asked, facts);
  if (facts.num_entries == 0 && (*asked == CsrSchedule::split || *asked == CsrSchedule::cached))
    return {CsrSchedule::tiles, fmt::format("there are no entries for {}", name(*asked))};
  return {*asked, "asked for"};
}

std::int64_t CsrPlan::bytes() const {
  const auto of_data = []<class Data>(const Data& d) -> std::int64_t {
    if constexpr (std::is_same_v<Data, std::monostate>)
      return 0;
    else
      return d.bytes();
  };
  return tiles.tiles.bytes() + std::visit(of_data, data);
}

Footprint CsrPlan::with_plan(const Footprint& csr, std::int64_t row_ptr_bytes, std::int64_t cols_bytes) const {
  Footprint all = csr;
  all.bytes += bytes();
  if (const auto* split = std::get_if<NnzSplit>(&data)) all.moved_bytes += split->bytes() - row_ptr_bytes;
  if (const auto* cached = std::get_if<CachedColumns>(&data))
    all.moved_bytes += cached->bytes() - row_ptr_bytes - cols_bytes;
  return all;
}

}  // namespace millrace
