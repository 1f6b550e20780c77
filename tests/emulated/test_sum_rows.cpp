// Sums of rows, lane by lane on the host: columns and values in one pass, and values of rows that are known.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "expect.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/sum_short_rows.cuh"

namespace millrace::testing {
namespace {

using multigrid::RowsView;

struct Pattern {
  std::vector<Offset> row_ptr{0};
  std::vector<Index> cols{};
  RowsView view() const { return {row_ptr.data(), cols.data()}; }
  Index num_rows() const { return static_cast<Index>(row_ptr.size()) - 1; }
};

/// Rows of up to `most` different columns, ascending; some are empty.
Pattern random_pattern(std::mt19937& random, Index num_rows, Index num_cols, Index most) {
  Pattern made;
  for (Index r = 0; r < num_rows; ++r) {
    std::set<Index> row;
    for (Index k = static_cast<Index>(random() % to_size(most + 1)); k > 0; --k)
      row.insert(static_cast<Index>(random() % to_size(num_cols)));
    made.cols.insert(made.cols.end(), row.begin(), row.end());
    made.row_ptr.push_back(std::ssize(made.cols));
  }
  return made;
}

struct Outer {
  RowsView terms;
  const double* weights;
  Offset begin(Offset r) const { return terms.row_ptr[r]; }
  Index column(Offset t) const { return terms.cols[t]; }
  double value(Offset t) const { return weights[t]; }
};

/// Whole numbers, so that sums are exact in any order.
std::vector<double> numbers(std::mt19937& random, std::size_t n) {
  std::vector<double> made(n);
  for (double& value : made) value = static_cast<double>(random() % 1000) - 500;
  return made;
}

using Row = std::map<Index, double>;

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
  Index num_sums;
  Pattern terms, inner;
  std::vector<double> weights, values;
  std::vector<Row> expected;

  Sums(Index num_sums, Index most_terms, Index most_entries, Index num_cols) : num_sums(num_sums) {
    std::mt19937 random(7);
    const Index num_inner = 70;
    terms = random_pattern(random, num_sums, num_inner, most_terms);
    inner = random_pattern(random, num_inner, num_cols, most_entries);
    weights = numbers(random, terms.cols.size()), values = numbers(random, inner.cols.size());
    for (std::size_t g = 0; g < to_size(num_sums); ++g) {
      Row& row = expected.emplace_back();
      for (Offset t = terms.row_ptr[g]; t < terms.row_ptr[g + 1]; ++t) {
        const std::size_t i = to_size(terms.cols[to_size(t)]);
        for (Offset s = inner.row_ptr[i]; s < inner.row_ptr[i + 1]; ++s)
          row[inner.cols[to_size(s)]] += weights[to_size(t)] * values[to_size(s)];
      }
    }
  }
  Outer outer() const { return {terms.view(), weights.data()}; }
  emulated::OrderedRows<double> rows() const { return {inner.row_ptr.data(), inner.cols.data(), values.data()}; }
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
  const Sums sums(13, most_terms, most_entries, num_cols);
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
  const Sums sums(num_sums, most_terms, most_entries, num_cols);
  const auto run_with = [&](const auto& inner, const emulated::SumOutput<double>& out) {
    emulator::launch(dim3((num_sums + threads - 1) / threads), dim3(threads), 0, [&] {
      emulated::sum_short_rows<Room, Terms, threads, Staged>(sums.outer(), inner, Offset{num_sums}, out);
    });
  };
  expect_new_rows(sums, Room, false, [&](const emulated::SumOutput<double>& out) { run_with(sums.rows(), out); });
  // The same rows wherever there is room.
  std::vector<emulated::RowHead> heads;
  std::vector<emulated::Entry<double>> entries;
  for (Index i = sums.inner.num_rows(); i-- > 0;) {
    const Offset first = sums.inner.row_ptr[to_size(i)], last = sums.inner.row_ptr[to_size(i) + 1];
    heads.push_back({static_cast<std::uint32_t>(entries.size()), static_cast<Index>(last - first)});
    for (Offset s = first; s < last; ++s) entries.push_back({sums.inner.cols[to_size(s)], sums.values[to_size(s)]});
    if (entries.size() % 2 == 1) entries.push_back({3, 1e300});  // nobody's
  }
  std::reverse(heads.begin(), heads.end());
  const emulated::ScatteredRows<double> scattered{heads.data(), entries.data()};
  expect_new_rows(sums, Room, false, [&](const emulated::SumOutput<double>& out) { run_with(scattered, out); });
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
  std::mt19937 random(3);
  Sums sums(13, 40, 30, 60);
  for (double& number : sums.values) number = std::ldexp(number + 0.3, static_cast<int>(random() % 40) - 20);
  for (double& weight : sums.weights) weight = std::ldexp(1.0, static_cast<int>(random() % 9));  // exact products
  for (std::size_t g = 0; g < 13; ++g) {
    Row& row = sums.expected[g];
    row.clear();
    for (Offset t = sums.terms.row_ptr[g]; t < sums.terms.row_ptr[g + 1]; ++t) {
      const std::size_t i = to_size(sums.terms.cols[to_size(t)]);
      for (Offset s = sums.inner.row_ptr[i]; s < sums.inner.row_ptr[i + 1]; ++s) {
        const double part = sums.weights[to_size(t)] * sums.values[to_size(s)];
        row[sums.inner.cols[to_size(s)]] += part;
      }
    }
  }
  expect_new_rows(sums, 72, true, [&](const emulated::SumOutput<double>& out) {
    emulator::launch(dim3(2), dim3(128), 0, [&] {
      emulated::sum_rows<8, 72, 128>(sums.outer(), sums.rows(), static_cast<const Index*>(nullptr), Offset{13}, out);
    });
  });
}

}  // namespace
}  // namespace millrace::testing
