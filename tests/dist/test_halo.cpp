// Plans of all ranks fit together, without MPI: what one wants, the other sends.
#include "millrace/dist/halo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "expect.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace::testing {

using Columns = std::function<std::vector<std::int64_t>(int rank)>;

// First all ranks ask, then each gets what it was asked for.
std::vector<HaloPlan> plans_of(const Partition& parts, const Columns& columns) {
  std::vector<std::vector<RowRequest>> came(to_size(parts.num_parts()));
  for (int r = 0; r < parts.num_parts(); ++r)
    make_halo_plan(parts, r, columns(r), [&](const std::vector<RowRequest>& asked) {
      for (const RowRequest& request : asked) came[to_size(request.rank)].push_back({r, request.rows});
      return std::vector<RowRequest>{};
    });
  std::vector<HaloPlan> plans;
  for (int r = 0; r < parts.num_parts(); ++r)
    plans.push_back(
        make_halo_plan(parts, r, columns(r), [&](const std::vector<RowRequest>&) { return came[to_size(r)]; }));
  return plans;
}

void expect_fit(const Partition& parts, const std::vector<HaloPlan>& plans) {
  std::map<std::pair<int, int>, std::vector<std::int64_t>> wanted, sent;  // by (owner, who asks)
  for (int r = 0; r < parts.num_parts(); ++r) {
    const HaloPlan& plan = plans[to_size(r)];
    EXPECT_TRUE(std::is_sorted(plan.ghosts.begin(), plan.ghosts.end()));
    for (const Neighbour& from : plan.from) {
      EXPECT_NE(from.rank, r);
      for (std::int64_t k = from.begin; k < from.end; ++k) {
        EXPECT_EQ(parts.owner(plan.ghosts[to_size(k)]), from.rank);
        wanted[{from.rank, r}].push_back(plan.ghosts[to_size(k)]);
      }
    }
    for (const Neighbour& to : plan.to)
      for (std::int64_t k = to.begin; k < to.end; ++k)
        sent[{r, to.rank}].push_back(parts.begin(r) + plan.send_rows[to_size(k)]);
  }
  EXPECT_EQ(wanted, sent);
}

TEST(Halo, OfAThousandRanksWithABillionRowsEach) {
  const std::int64_t each = std::int64_t{1} << 30, all = each * 1024;
  const Partition parts = by_rows(all, 1024);
  const auto columns = [&](int r) {  // a band, and one row that everybody wants
    std::vector<std::int64_t> cols{0, parts.begin(r), parts.end(r) - 1};
    if (r > 0) cols.insert(cols.end(), {parts.begin(r) - 1, parts.begin(r) - 1, parts.begin(r) - each});
    if (r < 1023) cols.push_back(parts.end(r));
    return cols;
  };
  const std::vector<HaloPlan> plans = plans_of(parts, columns);
  expect_fit(parts, plans);
  EXPECT_EQ(plans[0].to.size(), 1023U);
  EXPECT_EQ(plans[5].ghosts.size(), 4U);
  EXPECT_EQ(plans[1023].send_rows.back(), each - 1 - (each - 1));
}

TEST(Halo, EmptyPartsAndNoHalo) {
  const Partition parts{{0, 0, 3, 3, 5}};
  const std::vector<HaloPlan> none =
      plans_of(parts, [&](int r) { return parts.size(r) ? std::vector{parts.begin(r)} : std::vector<std::int64_t>{}; });
  expect_fit(parts, none);
  for (const HaloPlan& plan : none) EXPECT_TRUE(plan.ghosts.empty() && plan.to.empty());
  const std::vector<HaloPlan> full = plans_of(parts, [&](int r) {
    return parts.size(r) ? std::vector<std::int64_t>{4, 3, 2, 1, 0} : std::vector<std::int64_t>{};
  });
  expect_fit(parts, full);
  EXPECT_EQ(full[1].ghosts, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(full[3].ghosts, (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(Halo, ARowThatIsNotHereIsRefused) {
  const Partition parts = by_rows(10, 2);
  const auto wrong = [](const std::vector<RowRequest>&) { return std::vector<RowRequest>{{1, {7}}}; };
  const std::string text = error_of([&] { make_halo_plan(parts, 0, {}, wrong); });
  EXPECT_NE(text.find("rank 1 asks rank 0 for row 7; it has 0 to 5"), std::string::npos) << text;
}

}  // namespace millrace::testing
