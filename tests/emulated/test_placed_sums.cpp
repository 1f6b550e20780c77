// The places of products in P^T (A P), and sums by them, lane by lane on the host.
#include <algorithm>
#include <array>

#include "millrace/precond/multigrid/find_places.cuh"
#include "millrace/precond/multigrid/placed_sums.cuh"
#include "row_maps.hpp"

namespace millrace::testing {
namespace {

using multigrid::PatternView;

std::vector<Row> transpose(const std::vector<Row>& rows, Index num_cols) {
  std::vector<Row> made(to_size(num_cols));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& [column, value] : rows[i]) made[to_size(column)][static_cast<Index>(i)] = value;
  return made;
}

/// Starts of lengths that a step writes for each of n.
template <class Step>
std::vector<Offset> starts_of(std::size_t n, Step step) {
  std::vector<Offset> starts(n + 1);
  step.lengths = starts.data() + 1;
  for (std::size_t i = 0; i < n; ++i) step(static_cast<Offset>(i));
  for (std::size_t i = 0; i < n; ++i) starts[i + 1] += starts[i];
  return starts;
}
convert::Rows rows_of(const OrderedArrays& rows, Index num_cols) {
  return {static_cast<Index>(std::ssize(rows.row_ptr) - 1),
          num_cols,
          std::ssize(rows.cols),
          nullptr,
          rows.row_ptr.data(),
          rows.cols.data()};
}
template <class Step>
void run(std::size_t n, const Step& step) {
  for (std::size_t i = 0; i < n; ++i) step(static_cast<Offset>(i));
}

template <Index Room, int Size, Index CoarseRoom>
void expect_placed_sums(Index num_rows, Index num_coarse, Index most_of_a, Index most_of_p) {
  SCOPED_TRACE(::testing::Message() << num_rows << " rows, " << Room << " and " << CoarseRoom << " sums");
  constexpr int threads = 64, bits = multigrid::place_bits<Room>;
  Random random(11);
  const auto n = to_size(num_rows), m = to_size(num_coarse);
  const auto a_rows = random_rows(random, num_rows, num_rows, most_of_a);
  const auto p_rows = random_rows(random, num_rows, num_coarse, most_of_p);
  const auto transposed_rows = transpose(p_rows, num_coarse), product_rows = multiply(a_rows, p_rows);
  const auto coarse_rows = multiply(transposed_rows, product_rows);
  const auto length = [](const Row& row) { return std::ssize(row); };
  ASSERT_LE(length(std::ranges::max(product_rows, {}, length)), Room);
  ASSERT_LE(length(std::ranges::max(coarse_rows, {}, length)), CoarseRoom);
  const OrderedArrays a(a_rows), p(p_rows), transposed(transposed_rows), expected(coarse_rows);
  const convert::Rows terms = rows_of(a, num_rows), coarse = rows_of(expected, num_coarse);

  std::vector<Index> nums(n);
  run(n, emulated::CountProducts{terms, p.rows(), nums.data()});
  const std::vector<Offset> slices =
      starts_of((n + 31) / 32, emulated::CountWords{nums.data(), Offset{num_rows}, 32 / bits, nullptr});
  std::vector<std::uint32_t> words(to_size(slices.back()), 0xdeadbeef);
  std::vector<int4> cols(n * (Room / 4));
  std::vector<std::uint8_t> lengths(n);
  unsigned too_long = 0;
  const dim3 row_blocks(static_cast<unsigned>(n + threads - 1) / threads);
  emulator::launch(row_blocks, dim3(threads), 0, [&] {
    emulated::find_product_places<Room, threads>(terms, p.rows(), slices.data(), words.data(),
                                                 {cols.data(), lengths.data(), &too_long});
  });
  EXPECT_EQ(too_long, 0u);
  std::vector<std::uint8_t> fours(p.cols.size());
  run(p.cols.size(), emulated::CountFours{transposed.rows(), lengths.data(), fours.data()});
  const std::vector<Offset> begin = starts_of(m, emulated::CountCoarseWords{transposed.rows(), fours.data(), nullptr});
  std::vector<std::uint32_t> coarse_words(to_size(begin.back()));
  emulator::launch(dim3(static_cast<unsigned>(m + 7) / 8), dim3(threads), 0, [&] {
    emulated::find_coarse_places<8, CoarseRoom, threads>(transposed.rows(), cols.data(), Room / 4, coarse, fours.data(),
                                                         begin.data(), coarse_words.data());
  });

  const multigrid::ProductPlacesView places{slices.data(), words.data(), fours.data(), begin.data(),
                                            coarse_words.data()};
  for (const bool backwards : {false, true}) {
    emulator::backwards = backwards;
    std::vector<emulated::Four<double>> sums(n * (Room / 4), {{1e300, 1e300, 1e300, 1e300}});
    emulator::launch(row_blocks, dim3(threads), 0, [&] {
      emulated::add_products<Room, threads>(a.view(), p.row_ptr.data(), p.vals.data(), places, Offset{num_rows},
                                            sums.data());
    });
    for (std::size_t i = 0; i < n; ++i) {
      Row found;
      for (std::size_t k = 0; k < lengths[i]; ++k) {
        const std::size_t four = i * (Room / 4) + k / 4;
        const std::array own{cols[four].x, cols[four].y, cols[four].z, cols[four].w};
        found[own[k % 4]] = sums[four].values[k % 4];
      }
      EXPECT_EQ(found, product_rows[i]) << "row " << i;
    }
    std::vector<double> vals(expected.vals.size(), 0.5);
    emulated::SumOutput<double> out{};
    out.wide = expected.row_ptr.data(), out.vals = vals.data();
    constexpr int teams = threads / Size;
    emulator::launch(dim3(static_cast<unsigned>(m + teams - 1) / teams), dim3(threads), 0, [&] {
      emulated::add_rows<Size, CoarseRoom, threads>(transposed.view(), sums.data(), Room / 4, places,
                                                    Offset{num_coarse}, out);
    });
    EXPECT_EQ(vals, expected.vals);
  }
  emulator::backwards = false;
}

TEST(EmulatedPlacedSums, AreThoseOfMaps) {
  expect_placed_sums<16, 4, 60>(150, 30, 4, 4);
  expect_placed_sums<16, 4, 60>(70, 9, 30, 3);    // more products than a word has room for
  expect_placed_sums<16, 4, 60>(40, 60, 5, 1);    // coarse rows of nothing
  expect_placed_sums<32, 8, 252>(200, 31, 8, 5);  // more fours than threads
  expect_placed_sums<32, 8, 252>(1, 1, 1, 1);
  expect_placed_sums<32, 4, 60>(90, 26, 40, 9);
}

TEST(EmulatedPlacedSums, SayThatARowHasTooManyColumns) {
  constexpr Index room = 16;
  constexpr int threads = 64;
  for (const Index num : {room, room + 1}) {
    const std::vector<Row> one{{{0, 1.0}}};
    std::vector<Row> wide(1);
    for (Index k = 0; k < num; ++k) wide[0][k] = 1;
    const OrderedArrays a(one), p(wide);
    const std::array<Offset, 2> slices{0, 3 * multigrid::places_slice};  // 8 places in a word
    std::vector<std::uint32_t> words(to_size(slices[1]));
    std::vector<int4> cols(room / 4);
    std::uint8_t length = 0;
    unsigned too_long = 0;
    emulator::launch(dim3(1), dim3(threads), 0, [&] {
      emulated::find_product_places<room, threads>(rows_of(a, 1), p.rows(), slices.data(), words.data(),
                                                   {cols.data(), &length, &too_long});
    });
    EXPECT_EQ(too_long != 0, num > room) << num;
    EXPECT_EQ(length, room);
  }
}

}  // namespace
}  // namespace millrace::testing
