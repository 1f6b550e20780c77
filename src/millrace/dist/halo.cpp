// Which rows are wanted, and by whom.
#include "millrace/dist/halo.hpp"

#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/base/sort_unique.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace {

HaloPlan make_halo_plan(const Partition& parts, int rank, std::span<const std::int64_t> cols, const AskRanks& ask) {
  HaloPlan plan;
  const std::int64_t begin = parts.begin(rank), end = parts.end(rank);
  std::ranges::copy_if(cols, std::back_inserter(plan.ghosts), [&](std::int64_t c) { return c < begin || c >= end; });
  sort_unique(plan.ghosts);
  std::vector<RowRequest> requests;
  for (auto at = plan.ghosts.begin(); at != plan.ghosts.end();) {
    const int owner = parts.owner(*at);
    const auto last = std::lower_bound(at, plan.ghosts.end(), parts.end(owner));
    plan.from.push_back({owner, at - plan.ghosts.begin(), last - plan.ghosts.begin()});
    requests.push_back({owner, std::vector<std::int64_t>(at, last)});
    at = last;
  }
  for (const RowRequest& asked : ask(requests)) {
    const auto first = std::ssize(plan.send_rows);
    for (const std::int64_t row : asked.rows) {
      require(row >= begin && row < end, "halo: rank ", asked.rank, " asks rank ", rank, " for row ", row, "; it has ",
              begin, " to ", end);
      plan.send_rows.push_back(static_cast<Index>(row - begin));
    }
    plan.to.push_back({asked.rank, first, std::ssize(plan.send_rows)});
  }
  return plan;
}

}  // namespace millrace
