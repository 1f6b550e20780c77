// Patterns of prolongators, lane by lane on the host: those of sets of aggregates.
#include <numeric>
#include <random>
#include <set>

#include "expect.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/around_rows.cuh"

namespace millrace::testing {
namespace {

struct Case {
  Index num_nodes, most_places, num_aggregates, block = 1;
  bool strong = false, smooth = true;
};

/// Nodes with places in which their neighbours are, and their aggregates.
struct Around {
  std::vector<Index> of{}, degree{}, nodes{};
  std::vector<Offset> begin{0};
  std::vector<std::set<Index>> expected{};

  explicit Around(const Case& c) {
    std::mt19937 random(5);
    for (Index i = 0; i < c.num_nodes; ++i)
      of.push_back(random() % 9 ? static_cast<Index>(random() % to_size(c.num_aggregates)) : -1);
    for (Index i = 0; i < c.num_nodes; ++i) {
      const auto num = static_cast<Index>(random() % to_size(c.most_places + 1));
      for (Index k = 0; k < num; ++k) nodes.push_back(static_cast<Index>(random() % to_size(c.num_nodes * c.block)));
      begin.push_back(std::ssize(nodes));
      degree.push_back(c.strong ? num / 2 : num);
      std::set<Index>& row = expected.emplace_back();
      if (of[to_size(i)] < 0) continue;
      row.insert(of[to_size(i)]);
      if (!c.smooth) continue;
      for (Index k = 0; k < degree.back(); ++k)
        row.insert(of[to_size(nodes[to_size(begin[to_size(i)] + k)] / c.block)]);
      row.erase(-1);
    }
  }
};

template <int Lanes>
void expect_rows(const Case& c, bool fits) {
  SCOPED_TRACE(::testing::Message() << Lanes << " lanes");
  const Around around(c);
  const emulated::AggregatesAround view{around.of.data(), around.begin.data(),
                                        c.strong ? around.degree.data() : nullptr,
                                        c.smooth ? around.nodes.data() : nullptr, c.block};
  const auto blocks = static_cast<unsigned>(c.num_nodes - 1) / emulated::around_rows + 1;
  for (const bool backwards : {false, true}) {
    emulator::backwards = backwards;
    std::vector<std::uint8_t> lengths(to_size(c.num_nodes), 99);
    std::vector<Index> columns(std::size_t{blocks} * emulated::around_most, -7);
    std::vector<Offset> nums(blocks, -7);
    emulator::launch(dim3(blocks), dim3(256), 0, [&] {
      emulated::collect_around<Lanes>(view, c.num_nodes, lengths.data(), columns.data(), nums.data());
    });
    std::partial_sum(nums.begin(), nums.end(), nums.begin());
    ASSERT_EQ(nums.back() < emulated::around_too_many, fits);
    if (!fits) continue;
    std::vector<Offset> row_ptr(to_size(c.num_nodes) + 1, -7);
    std::vector<Index> cols(to_size(nums.back()), -7);
    emulator::launch(dim3(blocks), dim3(256), 0, [&] {
      emulated::place_around(lengths.data(), columns.data(), nums.data(), c.num_nodes, row_ptr.data(), cols.data());
    });
    EXPECT_EQ(row_ptr.front(), 0);
    EXPECT_EQ(row_ptr.back(), nums.back());
    for (std::size_t i = 0; i < around.expected.size(); ++i)
      EXPECT_EQ(std::vector<Index>(cols.begin() + row_ptr[i], cols.begin() + row_ptr[i + 1]),
                std::vector<Index>(around.expected[i].begin(), around.expected[i].end()));
  }
  emulator::backwards = false;
}
void expect_rows(const Case& c, bool fits = true) {
  SCOPED_TRACE(::testing::Message() << c.num_nodes << " nodes of up to " << c.most_places << " places");
  expect_rows<1>(c, fits);
  expect_rows<8>(c, fits);
}

TEST(EmulatedAroundRows, AreThoseOfSets) {
  expect_rows({1, 3, 1});
  expect_rows({256, 7, 100});
  expect_rows({700, 9, 10, 1, true});
  expect_rows({513, 100, 7, 3});  // places that are not in registers
  expect_rows({300, 20, 40, 1, true, false});
}

TEST(EmulatedAroundRows, SayWhereTheyDoNotFit) {
  expect_rows({300, 60, 100}, false);       // some row
  expect_rows({300, 26, 10000, 1}, false);  // all rows of a thread block together
  expect_rows<1>({90, 300, 3}, false);      // places
}

}  // namespace
}  // namespace millrace::testing
