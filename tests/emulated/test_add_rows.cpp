// Sums of rows, lane by lane on the host: with a search, which saves places, and with these.
#include <map>
#include <random>
#include <set>

#include "expect.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/add_rows.cuh"

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
  Index row(Offset t) const { return terms.cols[t]; }
  double weight(Offset t) const { return weights[t]; }
};

template <int Width>
void expect_sums(Index most_terms, Index most_entries) {
  constexpr int room = 96;
  std::mt19937 random(7);
  const Index num_sums = 13, num_inner = 70, num_cols = 60;
  const Pattern terms = random_pattern(random, num_sums, num_inner, most_terms),
                inner = random_pattern(random, num_inner, num_cols, most_entries);
  const auto numbers = [&](std::size_t n) {
    std::vector<double> made(n);
    for (double& value : made) value = static_cast<double>(random() % 1000) - 500;
    return made;
  };
  const std::vector<double> weights = numbers(terms.cols.size()), values = numbers(inner.cols.size());
  Pattern sum;
  std::vector<double> expected;
  std::vector<Offset> begin{0};
  std::vector<int> expected_places;
  for (Index g = 0; g < num_sums; ++g) {
    std::map<Index, double> row;
    for (Offset t = terms.row_ptr[to_size(g)]; t < terms.row_ptr[to_size(g) + 1]; ++t) {
      const Index i = terms.cols[to_size(t)];
      for (Offset s = inner.row_ptr[to_size(i)]; s < inner.row_ptr[to_size(i) + 1]; ++s)
        row[inner.cols[to_size(s)]] += weights[to_size(t)] * values[to_size(s)];
    }
    for (Offset t = terms.row_ptr[to_size(g)]; t < terms.row_ptr[to_size(g) + 1]; ++t) {
      const Index i = terms.cols[to_size(t)];
      for (Offset s = inner.row_ptr[to_size(i)]; s < inner.row_ptr[to_size(i) + 1]; ++s)
        expected_places.push_back(static_cast<int>(std::distance(row.begin(), row.find(inner.cols[to_size(s)]))));
    }
    for (const auto& [column, value] : row) sum.cols.push_back(column), expected.push_back(value);
    sum.row_ptr.push_back(std::ssize(sum.cols));
    begin.push_back(std::ssize(expected_places));
  }
  for (const bool backwards : {false, true}) {
    emulator::backwards = backwards;
    const Outer outer{terms.view(), weights.data()};
    std::vector<double> found(expected.size(), -1), again(expected.size(), -1), searched(expected.size(), -1);
    std::vector<std::uint8_t> places(expected_places.size(), 255);
    const dim3 blocks((num_sums + 3) / 4), threads(128);
    emulator::launch(blocks, threads, 0, [&] {
      emulated::add_rows<Width, room>(outer, inner.view(), values.data(), sum.view(), Offset{num_sums}, Index{0},
                                      begin.data(), places.data(), found.data());
    });
    EXPECT_EQ(found, expected);
    EXPECT_EQ(std::vector<int>(places.begin(), places.end()), expected_places);
    emulator::launch(blocks, threads, 0, [&] {
      emulated::add_rows<Width, room>(outer, inner.view(), values.data(), sum.view(), Offset{num_sums}, Index{0},
                                      static_cast<const Offset*>(nullptr), static_cast<std::uint8_t*>(nullptr),
                                      searched.data());
    });
    EXPECT_EQ(searched, expected);
    emulator::launch(blocks, threads, 0, [&] {
      emulated::add_rows_at<Width, room>(outer, inner.row_ptr.data(), values.data(), sum.row_ptr.data(),
                                         Offset{num_sums}, begin.data(), places.data(), again.data());
    });
    EXPECT_EQ(again, expected);
  }
  emulator::backwards = false;
}

TEST(EmulatedAddRows, SumsAndPlacesAreThoseOfAMap) {
  expect_sums<8>(40, 8);
  expect_sums<8>(70, 30);  // several passes, and more than 32 terms
  expect_sums<16>(50, 14);
  expect_sums<32>(3, 50);
  expect_sums<4>(33, 9);
}

}  // namespace
}  // namespace millrace::testing
