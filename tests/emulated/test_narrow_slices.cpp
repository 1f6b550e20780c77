// Rows in bfloat16 in slices against a plain loop: their order, what fills them, products, and numbers that have no
// place.

#include "millrace/precond/multigrid/narrow_slices.cuh"
#include "narrow_tools.hpp"

namespace millrace::testing {
namespace {

using multigrid::slice_rows;
using multigrid::SlicesView;
using multigrid::window_rows;

/// Rows of a matrix in any order of columns, or of a prolongator, which has no diagonal.
template <bool HasDiagonal, class W>
struct SliceSource {
  static constexpr bool has_diagonal = HasDiagonal;
  const Offset* row_ptr;
  const Index* cols;
  const W* vals;
  Offset begin(Offset r) const { return row_ptr[r]; }
  Index column(Offset s) const { return cols[s]; }
  W value(Offset s) const { return vals[s]; }
};

template <bool HasDiagonal, class W>
struct SliceRows {
  NarrowProblem<W> problem;
  std::vector<Offset> row_ptr{0};
  std::vector<Index> cols{};
  std::vector<W> vals{};

  SliceRows(Random& random, Offset n, Index most) : problem(random, n) {
    if (!HasDiagonal) std::ranges::fill(problem.diagonal, W{0});
    for (Index r = 0; r < n; ++r) {
      Index length = random.below(50) == 0 ? 4 * most : random.below(most + 1);
      const Index before = HasDiagonal ? random.below(length + 1) : -1;
      for (Index k = 0; k <= length; ++k) {
        if (k == before) cols.push_back(r), vals.push_back(problem.diagonal[to_size(r)]);
        if (k == length) break;
        const Index column = random.below(static_cast<Index>(n));
        if (HasDiagonal && column == r) continue;
        const float value = static_cast<float>(random.below(511) - 255) / 128;
        cols.push_back(column), vals.push_back(static_cast<W>(value));
        problem.entries.push_back({r, column, value});
      }
      row_ptr.push_back(std::ssize(cols));
    }
  }
  SliceSource<HasDiagonal, W> source() const { return {row_ptr.data(), cols.data(), vals.data()}; }
};

/// Slices as a launch fills them: of near columns, or of far ones whose pairs have 2 or 4 bytes in `high`.
template <class W>
struct FoundSlices {
  std::vector<Offset> slice_begin{0};
  std::vector<std::uint8_t> place{};
  std::vector<Bfloat16> vals{};
  std::vector<std::uint16_t> low{};
  std::vector<std::uint32_t> high{};
  std::vector<Index> bases{};
  int high_bytes = 0;
  std::vector<W> diagonal{};
  unsigned bad = 0;

  int group() const { return high_bytes == 0 ? emulated::near_group : emulated::far_group; }
  SlicesView<W> view(Offset n) {
    return {n,
            slice_begin.data(),
            place.data(),
            vals.data(),
            low.data(),
            reinterpret_cast<std::uint8_t*>(high.data()),
            bases.data(),
            high_bytes,
            diagonal.empty() ? nullptr : diagonal.data()};
  }
};

unsigned num_windows(Offset n) { return static_cast<unsigned>((n + window_rows - 1) / window_rows); }

template <int Group, bool HasDiagonal, class W>
void fill_emulated(const SliceRows<HasDiagonal, W>& rows, FoundSlices<W>& made, bool staged) {
  const Offset n = rows.problem.n;
  const SlicesView<W> view = made.view(n);
  if (!staged)
    return emulator::launch(dim3(num_windows(n)), dim3(window_rows), 0,
                            [&] { emulated::fill_slices<Group>(rows.source(), view, &made.bad); });
  Offset widest = 0;
  for (Offset first = 0; first < n; first += window_rows)
    widest = std::max(widest, rows.row_ptr[to_size(std::min(n, first + window_rows))] - rows.row_ptr[to_size(first)]);
  emulator::launch(dim3(num_windows(n)), dim3(window_rows), to_size(widest) * (sizeof(W) + sizeof(Index)), [&] {
    emulated::fill_slices_staged<Group>(rows.source(), view, static_cast<unsigned>(widest), &made.bad);
  });
}

template <bool HasDiagonal, class W>
FoundSlices<W> make_emulated_slices(const SliceRows<HasDiagonal, W>& rows, int high_bytes, bool staged) {
  FoundSlices<W> made;
  made.high_bytes = high_bytes;
  const Offset n = rows.problem.n;
  const std::size_t num_slices = num_windows(n) * to_size(window_rows / slice_rows);
  std::vector<Offset> entries(num_slices, -1);
  made.place.resize(num_slices * slice_rows);
  emulator::launch(dim3(num_windows(n)), dim3(window_rows), 0,
                   [&] { emulated::order_slices(rows.source(), n, made.group(), made.place.data(), entries.data()); });
  for (const Offset num : entries) made.slice_begin.push_back(made.slice_begin.back() + num);
  const std::size_t num = to_size(made.slice_begin.back()),
                    room = num + (high_bytes == 0 ? to_size(multigrid::slices_margin) : 0);
  made.vals.assign(room, Bfloat16(std::numeric_limits<float>::quiet_NaN()));
  made.low.assign(room, 0xffff);
  made.bases.assign(high_bytes == 0 ? room / slice_rows : 0, 1 << 30);
  made.high.assign(num / 4 * to_size(high_bytes), 0x7fffffff);
  if (HasDiagonal) made.diagonal.assign(to_size(n), std::numeric_limits<W>::quiet_NaN());
  high_bytes == 0 ? fill_emulated<emulated::near_group>(rows, made, staged)
                  : fill_emulated<emulated::far_group>(rows, made, staged);
  return made;
}

/// Every row has one place in its window, and lengths fall.
template <bool HasDiagonal, class W>
void expect_order(const SliceRows<HasDiagonal, W>& rows, const FoundSlices<W>& found) {
  const Offset n = rows.problem.n;
  for (std::size_t first = 0; first < found.place.size(); first += window_rows) {
    std::vector<bool> seen(window_rows, false);
    Offset last = std::numeric_limits<Offset>::max(), longest = 0;
    for (std::size_t at = first; at < first + window_rows; ++at) {
      ASSERT_FALSE(seen[found.place[at]]) << "row " << first + found.place[at] << " comes twice";
      seen[found.place[at]] = true;
      const std::size_t row = first + found.place[at];
      const Offset length = row < to_size(n) ? rows.row_ptr[row + 1] - rows.row_ptr[row] - HasDiagonal : 0;
      const Offset kind = std::min(length, Offset{63});
      ASSERT_LE(kind, last);
      last = kind;
      if (at % slice_rows == 0) longest = 0;
      longest = std::max(longest, length);
      if (at % slice_rows != slice_rows - 1) continue;
      const std::size_t slice = at / slice_rows;
      const Offset whole = (longest + found.group() - 1) / found.group() * found.group();
      ASSERT_EQ(found.slice_begin[slice + 1] - found.slice_begin[slice], whole * slice_rows);
    }
  }
}

/// By the kernel for such columns.
template <bool HasDiagonal, class W, class To>
void launch_slices(Offset n, FoundSlices<W>& found, const W* x, const To& to) {
  const SlicesView<W> view = found.view(n);
  const auto launch = [&](unsigned blocks, const auto& kernel) {
    emulator::launch(dim3(blocks), dim3(window_rows), 0, kernel);
  };
  if (found.high_bytes == 0)
    launch((num_windows(n) + emulated::short_windows - 1) / emulated::short_windows,
           [&] { emulated::multiply_short_rows(view, x, to); });
  else if (found.high_bytes == 1)
    launch(num_windows(n), [&] { emulated::multiply_slices<HasDiagonal, std::uint16_t>(view, x, to); });
  else
    launch(num_windows(n), [&] { emulated::multiply_slices<HasDiagonal, std::uint32_t>(view, x, to); });
}

template <bool HasDiagonal, class W>
void expect_slices(Offset n, Index most) {
  Random random(to_size(n) + to_size(most));
  const SliceRows<HasDiagonal, W> rows(random, n, most);
  for (const int high_bytes : {0, 1, 2}) {
    if (HasDiagonal && high_bytes == 0) continue;
    for (const bool staged : {false, true}) {
      FoundSlices<W> found = make_emulated_slices(rows, high_bytes, staged);
      EXPECT_EQ(found.bad, 0u);
      expect_order(rows, found);
      const auto multiply = [&](const W* x, const auto& to) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(to)>, FusedUpdate<W>>)
          launch_slices<HasDiagonal>(n, found, x, emulated::EarlyUpdate<W>{to});
        else
          launch_slices<HasDiagonal>(n, found, x, to);
      };
      if constexpr (HasDiagonal)
        expect_narrow_uses(rows.problem, multiply);
      else
        expect_narrow_products(rows.problem, multiply);
    }
  }
}

TEST(EmulatedNarrow, SlicesAreThoseOfAPlainLoop) {
  for (const auto& [n, most] : {std::pair<Offset, Index>{1, 3}, {33, 20}, {256, 3}, {257, 0}, {513, 6}, {1281, 2}}) {
    SCOPED_TRACE(::testing::Message() << n << " rows, up to " << most << " entries");
    expect_slices<true, float>(n, most), expect_slices<true, double>(n, most);
    expect_slices<false, float>(n, most), expect_slices<false, double>(n, most);
  }
}

TEST(EmulatedNarrow, SlicesKeepColumnsOfAnySize) {
  Random random(11);
  SliceRows<false, float> rows(random, 40, 3);
  const std::vector<Index> large{(1 << 24) - 1, 0x123456, 0x7fffffff, 0x12345678};
  for (const int high_bytes : {1, 2}) {
    for (std::size_t s = 0; s < rows.cols.size(); ++s)
      rows.cols[s] = large[s % 2 + (high_bytes == 1 ? 0 : 2)] - static_cast<Index>(s);
    const FoundSlices<float> found = make_emulated_slices(rows, high_bytes, false);
    const auto* const low = reinterpret_cast<const std::uint32_t*>(found.low.data());
    const auto* const half = reinterpret_cast<const std::uint16_t*>(found.high.data());
    for (std::size_t at = 0; at < 40; ++at) {
      const std::size_t row = found.place[at], begin = to_size(rows.row_ptr[row]);
      for (std::size_t k = 0; k < to_size(rows.row_ptr[row + 1]) - begin; ++k) {
        const std::size_t pair = to_size(found.slice_begin[at / slice_rows]) / 2 + k / 2 * slice_rows + at % slice_rows;
        const std::uint64_t both = high_bytes == 1 ? low[pair] | std::uint64_t{half[pair]} << 32
                                                   : low[pair] | std::uint64_t{found.high[pair]} << 32;
        const int bits = high_bytes == 1 ? 24 : 32;
        EXPECT_EQ(both >> (k % 2 * to_size(bits)) & ((std::uint64_t{1} << bits) - 1), to_size(rows.cols[begin + k]));
      }
    }
  }
}

TEST(EmulatedNarrow, SlicesGiveTheDiagonalWhatRoundingTakesAway) {
  Random random(3);
  SliceRows<true, double> rows(random, 300, 5);
  double off_diagonal = 0;
  for (std::size_t s = 0; s < rows.cols.size(); ++s)
    if (rows.cols[s] != 7) rows.vals[s] = 1.0 / 3;
  const FoundSlices<double> found = make_emulated_slices(rows, 1, false);
  for (std::size_t r = 0; r < 300; ++r) {
    double whole = 0, others = 0;
    for (Offset s = rows.row_ptr[r]; s < rows.row_ptr[r + 1]; ++s) {
      const double value = rows.vals[to_size(s)];
      whole += value;
      if (to_size(rows.cols[to_size(s)]) != r)
        others += double{static_cast<float>(Bfloat16(static_cast<float>(value)))};
    }
    off_diagonal += others;
    EXPECT_NEAR(found.diagonal[r] + others, whole, 1e-14) << "row " << r;
  }
  EXPECT_NE(off_diagonal, 0);
}

TEST(EmulatedNarrow, SlicesSayWhichNumbersHaveNoPlace) {
  Random random(5);
  for (const bool staged : {false, true}) {
    SliceRows<false, float> rows(random, 300, 5);
    rows.cols[40] = 70000;  // beside columns below 300
    EXPECT_EQ(make_emulated_slices(rows, 0, staged).bad, 1u);
    EXPECT_EQ(make_emulated_slices(rows, 1, staged).bad, 0u);
    rows.vals[41] = std::numeric_limits<float>::infinity();
    EXPECT_EQ(make_emulated_slices(rows, 1, staged).bad, 2u);
  }
}

}  // namespace
}  // namespace millrace::testing
