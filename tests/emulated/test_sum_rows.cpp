// Sums of rows, lane by lane on the host: columns and values in one pass, and values of rows that are known.
#include <algorithm>
#include <cmath>
#include <set>

#include "millrace/precond/multigrid/sum_short_rows.cuh"
#include "row_maps.hpp"

namespace millrace::testing {
namespace {

/// What a launch has written.
struct Found {
  std::vector<emulated::RowHead> heads;
  std::vector<emulated::Entry<double>> entries;
  std::vector<Index> listed;
  unsigned long long used = 0;
  unsigned num_listed = 0;

  Found(std::size_t num, std::size_t room) : heads(num, {7, -7}), entries(room, {-7, 0}), listed(num) {}
  emulated::SumOutput<double> output() {
    emulated::SumOutput<double> out{};
    out.used = &used, out.capacity = std::ssize(entries), out.heads = heads.data();
    out.entries = entries.data(), out.list = listed.data(), out.num_listed = &num_listed;
    return out;
  }
  Row row(std::size_t r, bool ascending) const {
    Row made;
    const auto [begin, length] = heads[r];
    EXPECT_EQ(begin % 2, 0);
    for (Offset s = begin; s < Offset{begin} + length; ++s) {
      const auto& entry = entries[to_size(s)];
      if (ascending && s > begin) EXPECT_LT(entries[to_size(s - 1)].column, entry.column);
      EXPECT_TRUE(made.emplace(entry.column, entry.value).second) << "a column comes twice";
    }
    return made;
  }
};

struct Sums {
  std::vector<Row> inner_rows, expected;
  OrderedArrays terms, inner;
  Index num_sums;

  Sums(const std::vector<Row>& terms, const std::vector<Row>& inner)
      : inner_rows(inner),
        expected(multiply(terms, inner)),
        terms(terms),
        inner(inner),
        num_sums(static_cast<Index>(terms.size())) {}
  static Sums random(Index num_sums, Index most_terms, Index most_entries, Index num_cols) {
    constexpr Index num_inner = 70;
    Random random(7);
    const auto terms = random_rows(random, num_sums, num_inner, most_terms);
    return {terms, random_rows(random, num_inner, num_cols, most_entries)};
  }
  multigrid::PatternView<double> outer() const { return terms.view(); }
  emulated::OrderedRows<double> rows() const { return inner.inner(); }
  std::size_t num_entries(Index most) const {
    std::size_t sum = 0;
    for (const Row& row : expected) sum += std::ssize(row) <= most ? row.size() + row.size() % 2 : 0;
    return sum;
  }
  /// Rows with up to `most` columns are there, others listed.
  void expect(const Found& found, Index most, bool ascending) const {
    unsigned long_rows = 0;
    for (std::size_t g = 0; g < expected.size(); ++g) {
      if (std::ssize(expected[g]) > most) {
        EXPECT_EQ(found.heads[g].length, -7);
        ++long_rows;
        continue;
      }
      EXPECT_EQ(found.row(g, ascending), expected[g]);
    }
    EXPECT_EQ(found.num_listed, long_rows);
    std::set<Index> listed(found.listed.begin(), found.listed.begin() + found.num_listed);
    EXPECT_EQ(listed.size(), long_rows);
    for (const Index g : listed) EXPECT_GT(std::ssize(expected[to_size(g)]), most);
    EXPECT_EQ(found.used, num_entries(most));
  }
};

/// run(out) makes all rows, also where there is too little room: it says how much is needed.
template <class Run>
void expect_new_rows(const Sums& sums, Index most, bool ascending, const Run& run) {
  const std::size_t n = to_size(sums.num_sums);
  for (const bool backwards : {false, true}) {
    emulator::backwards = backwards;
    Found found(n, sums.num_entries(most));
    run(found.output());
    sums.expect(found, most, ascending);
    Found narrow(n, sums.num_entries(most) / 2);
    run(narrow.output());
    EXPECT_EQ(narrow.used, found.used);
  }
  emulator::backwards = false;
}

/// Values of rows that are known; run(out, list, num) makes all of them, or those of a list.
template <class Run>
void expect_known_rows(const Sums& sums, Index most, const Run& run) {
  const std::size_t n = to_size(sums.num_sums);
  std::vector<std::int64_t> wide{0};
  for (const Row& row : sums.expected) wide.push_back(wide.back() + std::ssize(row));
  const std::vector<std::int32_t> narrow(wide.begin(), wide.end());
  for (const bool use_wide : {false, true}) {
    std::vector<double> vals(to_size(wide.back()), -1.5);
    Found again(n, 0);
    emulated::SumOutput<double> out = again.output();
    if (use_wide)
      out.wide = wide.data();
    else
      out.narrow = narrow.data();
    out.vals = vals.data();
    const std::vector<Index> list{3, 11, 0};
    run(out, use_wide ? list.data() : nullptr, use_wide ? std::ssize(list) : Offset{sums.num_sums});
    for (std::size_t g = 0; g < n; ++g) {
      const bool asked = !use_wide || g == 3 || g == 11 || g == 0;
      Offset s = wide[g];
      for (const auto& [column, value] : sums.expected[g])
        EXPECT_EQ(vals[to_size(s++)], asked && std::ssize(sums.expected[g]) <= most ? value : -1.5) << column;
    }
  }
}

template <int Size, int Most>
void expect_sums(Index most_terms, Index most_entries, Index num_cols = 60) {
  SCOPED_TRACE(::testing::Message() << Most << " columns, " << most_terms << " terms of " << most_entries);
  constexpr int threads = Most > 1000 ? 32 : 128, teams = threads / Size;
  const Sums sums = Sums::random(13, most_terms, most_entries, num_cols);
  const auto run = [&](const emulated::SumOutput<double>& out, const Index* list, Offset num) {
    emulator::launch(dim3((sums.num_sums + teams - 1) / teams), dim3(threads), 0,
                     [&] { emulated::sum_rows<Size, Most, threads>(sums.outer(), sums.rows(), list, num, out); });
  };
  expect_new_rows(sums, Most, true, [&](const emulated::SumOutput<double>& out) { run(out, nullptr, sums.num_sums); });
  expect_known_rows(sums, Most, run);
}

template <int Room, int Terms, int Staged>
void expect_short_sums(Index num_sums, Index most_terms, Index most_entries, Index num_cols) {
  SCOPED_TRACE(::testing::Message() << Room << " places, " << most_terms << " terms of " << most_entries);
  constexpr int threads = 64;
  const Sums sums = Sums::random(num_sums, most_terms, most_entries, num_cols);
  const auto run_with = [&](const auto& inner, const emulated::SumOutput<double>& out) {
    emulator::launch(dim3((num_sums + threads - 1) / threads), dim3(threads), 0, [&] {
      emulated::sum_short_rows<Room, Terms, threads, Staged>(sums.outer(), inner, Offset{num_sums}, out);
    });
  };
  expect_new_rows(sums, Room, false, [&](const emulated::SumOutput<double>& out) { run_with(sums.rows(), out); });
  // The same rows wherever there is room.
  Random random(8);
  const ScatteredArrays scattered(random, sums.inner_rows);
  expect_new_rows(sums, Room, false, [&](const emulated::SumOutput<double>& out) { run_with(scattered.view(), out); });
}

TEST(EmulatedSumRows, AreThoseOfAMap) {
  expect_sums<16, 96>(40, 8);
  expect_sums<16, 96>(70, 50);       // added rows that are longer than a team
  expect_sums<16, 96>(60, 9, 4000);  // some rows are too long
  expect_sums<32, 256>(33, 40, 900);
  expect_sums<32, 1536>(60, 50, 900);
}

TEST(EmulatedSumRows, WithFewColumnsAreThoseOfAMap) {
  expect_short_sums<20, 2, 384>(70, 7, 4, 40);
  expect_short_sums<20, 2, 128>(150, 9, 6, 40);  // some rows are too long; entries are staged in turns
  expect_short_sums<48, 4, 0>(33, 40, 3, 50);
  expect_short_sums<48, 4, 0>(70, 20, 14, 90);  // and here
  expect_short_sums<20, 2, 384>(1, 0, 3, 50);   // a row of nothing
}

TEST(EmulatedSumRows, AddsTermsInTheirOrder) {
  Random random(3);
  auto terms = random_rows(random, 13, 70, 40), inner = random_rows(random, 70, 60, 30);
  for (Row& row : inner)
    for (auto& [column, number] : row) number = std::ldexp(number + 0.3, random.below(40) - 20);
  for (Row& row : terms)
    for (auto& [column, weight] : row) weight = std::ldexp(1.0, random.below(9));  // exact products
  const Sums sums(terms, inner);
  expect_new_rows(sums, 72, true, [&](const emulated::SumOutput<double>& out) {
    emulator::launch(dim3(2), dim3(128), 0, [&] {
      emulated::sum_rows<8, 72, 128>(sums.outer(), sums.rows(), static_cast<const Index*>(nullptr), Offset{13}, out);
    });
  });
}

}  // namespace
}  // namespace millrace::testing
