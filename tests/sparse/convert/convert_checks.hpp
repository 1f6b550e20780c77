// Conversions of one matrix by two ways: every array must be the same, bit for bit. Both are on the host here.
#pragma once

#include <array>
#include <optional>

#include "support.hpp"

namespace millrace::testing {

/// What host threads make of it, or the text with which they refuse.
template <class Format>
struct HostConversion {
  std::optional<Format> made;
  std::string refused;

  HostConversion(const Csr<typename Format::value_type>& a, const FormatSpec& spec, int num_threads = 0) {
    Queue queue(Device::host(), num_threads);
    try {
      made = from_csr<Format>(queue, a, spec);
    } catch (const Error& error) {
      refused = error.what();
    }
  }
};

template <class U>
void expect_same_array(const Array<U>& a, const Array<U>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  EXPECT_EQ(a.device(), b.device()) << what;
  EXPECT_TRUE(same_bits<U>(a.span(), b.span())) << what << " differs";
}

template <class T>
void expect_same_format(const Coo<T>& a, const Coo<T>& b, const std::string& what) {
  EXPECT_EQ(a.shape(), b.shape()) << what;
  expect_same_array(a.rows, b.rows, what + ": rows");
  expect_same_array(a.cols, b.cols, what + ": cols");
  expect_same_array(a.vals, b.vals, what + ": vals");
}

template <class T>
void expect_same_format(const Csr<T>& a, const Csr<T>& b, const std::string& what) {
  EXPECT_EQ(a.row_ptr.index(), b.row_ptr.index()) << what << ": offsets of another width";
  expect_same(a, b, what);
}

template <class T>
void expect_same_format(const Bsr<T>& a, const Bsr<T>& b, const std::string& what) {
  EXPECT_EQ(a.shape(), b.shape()) << what;
  EXPECT_EQ(a.block, b.block) << what;
  EXPECT_EQ(a.entries, b.entries) << what;
  expect_same_array(a.block_ptr, b.block_ptr, what + ": block_ptr");
  expect_same_array(a.block_cols, b.block_cols, what + ": block_cols");
  expect_same_array(a.vals, b.vals, what + ": vals");
  expect_same_array(a.real, b.real, what + ": real");
}

template <class T>
void expect_same_format(const Dbf<T>& a, const Dbf<T>& b, const std::string& what) {
  EXPECT_EQ(a.shape(), b.shape()) << what;
  EXPECT_EQ(a.block, b.block) << what;
  EXPECT_EQ(a.group, b.group) << what;
  EXPECT_EQ(a.width, b.width) << what;
  EXPECT_EQ(a.entries, b.entries) << what;
  EXPECT_EQ(a.num_real_blocks, b.num_real_blocks) << what;
  expect_same_array(a.sections, b.sections, what + ": sections");
  expect_same_array(a.neighbours, b.neighbours, what + ": neighbours");
  expect_same_array(a.row_blocks, b.row_blocks, what + ": row_blocks");
  expect_same_array(a.block_row_of, b.block_row_of, what + ": block_row_of");
  expect_same_array(a.place_of, b.place_of, what + ": place_of");
  expect_same_array(a.vals, b.vals, what + ": vals");
  expect_same_array(a.real, b.real, what + ": real");
}

template <class T>
void expect_same_format(const Dia<T>& a, const Dia<T>& b, const std::string& what) {
  EXPECT_EQ(a.shape(), b.shape()) << what;
  EXPECT_EQ(a.tile, b.tile) << what;
  EXPECT_EQ(a.entries, b.entries) << what;
  expect_same_array(a.offsets, b.offsets, what + ": offsets");
  expect_same_array(a.vals, b.vals, what + ": vals");
  expect_same_array(a.real, b.real, what + ": real");
}

inline void expect_same_columns(const Columns& a, const Columns& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  ASSERT_EQ(a.width(), b.width()) << what;
  ASSERT_EQ(a.bytes(), b.bytes()) << what;
  a.visit_view([&](const auto& x) {
    b.visit_view([&](const auto& y) {
      for (Offset s = 0; s < a.size(); ++s) ASSERT_EQ(x(s), y(s)) << what << ", slot " << s;
    });
  });
}

template <class T>
void expect_same_values(const StoredValues<T>& a, const StoredValues<T>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  ASSERT_EQ(a.width(), b.width()) << what;
  EXPECT_EQ(a.device(), b.device()) << what;
  EXPECT_EQ(a.is_rounded(), b.is_rounded()) << what;
  a.visit([&](const auto* x, const auto*) {
    b.visit([&](const auto* y, const auto*) {
      EXPECT_TRUE(a.size() == 0 || std::memcmp(x, y, static_cast<std::size_t>(a.size() * a.width())) == 0) << what;
    });
  });
}

template <class T, class Member>
void expect_same_format(const Padded<T, Member>& a, const Padded<T, Member>& b, const std::string& what) {
  EXPECT_EQ(a.shape(), b.shape()) << what;
  EXPECT_EQ(a.entries, b.entries) << what;
  EXPECT_EQ(a.vectors_reordered, b.vectors_reordered) << what;
  EXPECT_EQ(a.layout.slice, b.layout.slice) << what;
  EXPECT_EQ(a.layout.window, b.layout.window) << what;
  EXPECT_EQ(a.layout.block, b.layout.block) << what;
  EXPECT_EQ(a.layout.row_lengths, b.layout.row_lengths) << what;
  EXPECT_EQ(a.layout.max_length, b.layout.max_length) << what;
  EXPECT_EQ(a.layout.storage, b.layout.storage) << what;
  expect_same_array(a.starts, b.starts, what + ": starts");
  EXPECT_EQ(a.run_slots, b.run_slots) << what;
  EXPECT_EQ(a.ragged_rows, b.ragged_rows) << what;
  expect_same_array(a.shortest, b.shortest, what + ": shortest");
  expect_same_array(a.share, b.share, what + ": share");
  expect_same_array(a.row_len, b.row_len, what + ": row_len");
  expect_same_array(a.row_of, b.row_of, what + ": row_of");
  expect_same_columns(a.cols, b.cols, what + ": columns");
  expect_same_values(a.vals, b.vals, what + ": values");
}

template <class T>
void expect_same_format(const Hyb<T>& a, const Hyb<T>& b, const std::string& what) {
  EXPECT_EQ(a.shape(), b.shape()) << what;
  EXPECT_EQ(a.width, b.width) << what;
  expect_same_format(a.ell, b.ell, what + ", ell");
  expect_same_format(a.coo, b.coo, what + ", coo");
  expect_same_array(a.source, b.source, what + ": source");
}

/// Rows of dense blocks of m x m, some of them with holes; block rows of different numbers of blocks.
template <class T>
Csr<T> blocks_csr(Index block_rows, Index m, bool holes, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int64_t> row_ptr{0};
  std::vector<Index> col;
  for (Index b = 0; b < block_rows; ++b) {
    std::vector<Index> blocks;
    for (Index c = std::max(0, b - 3); c <= std::min(block_rows - 1, b + 3); ++c)
      if (c == b || random.below(2) == 0) blocks.push_back(c);
    for (Index i = 0; i < m; ++i) {
      for (const Index block : blocks)
        for (Index j = 0; j < m; ++j)
          if (!holes || random.below(8) != 0) col.push_back(block * m + j);
      row_ptr.push_back(std::ssize(col));
    }
  }
  Array<T> vals(std::span<const T>(random_vector<T>(std::ssize(col), seed + 1)));
  return {block_rows * m, block_rows * m, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
          Array<Index>(std::span<const Index>(col)), std::move(vals)};
}

/// All positions near the diagonal, ascending: away from the ends, columns run with the rows.
template <class T>
Csr<T> stencil_csr(Index rows, Index half_band, std::uint64_t seed) {
  std::vector<std::int64_t> row_ptr{0};
  std::vector<Index> col;
  for (Index r = 0; r < rows; ++r) {
    for (Index c = std::max(r - half_band, 0); c <= std::min(r + half_band, rows - 1); ++c) col.push_back(c);
    row_ptr.push_back(std::ssize(col));
  }
  Array<T> vals(std::span<const T>(random_vector<T>(std::ssize(col), seed)));
  return {rows, rows, Array<std::int64_t>(std::span<const std::int64_t>(row_ptr)),
          Array<Index>(std::span<const Index>(col)), std::move(vals)};
}

/// Entries in any order, with repeated positions.
template <class T>
Coo<T> shuffled_coo(Index rows, Index cols, Offset entries, std::uint64_t seed) {
  Random random(seed);
  Coo<T> a{rows, cols, Array<Index>(entries), Array<Index>(entries),
           Array<T>(std::span<const T>(random_vector<T>(entries, seed + 1)))};
  for (Offset i = 0; i < entries; ++i) {
    a.rows.data()[i] = random.below(rows);
    a.cols.data()[i] = random.below(cols);
  }
  return a;
}

template <class T>
std::vector<Coo<T>> coo_cases() {
  std::vector<Coo<T>> cases;
  for (const auto& [rows, cols, entries] : {std::array{0, 0, 0},
                                            {4, 0, 0},
                                            {0, 4, 0},
                                            {1, 1, 5},
                                            {10, 7, 200},
                                            {500, 300, 900},
                                            {3, 90000, 100},
                                            {2000, 3000, 30000}})
    cases.push_back(shuffled_coo<T>(rows, cols, entries, 3));
  return cases;
}

/// Texts of formats; some that the host refuses, and a GPU must refuse in the same words.
inline std::vector<std::string> convert_specs() {
  std::vector<std::string> specs = format_specs();
  for (const char* text :
       {"dbf-4-8",        "dbf-5-3-apart", "dbf-40",     "dbf-2-apart",    "bsr-4",     "bsr-5",
        "dia-1024",       "hyb-1000",      "sell-2-7",   "sell-1024-3000", "pjds-1024", "sell-3",
        "bsr-33",         "dia-5000",      "coo-1",      "csr-1",          "hyb-0",     "dbf-8-together",
        "ell-full-float", "jds-2",         "sell-float", "ell-float",      "hyb-float"})
    specs.emplace_back(text);
  return specs;
}

/// A wider matrix: the last column of every eighth row is far away.
template <class T>
Csr<T> stretched(Csr<T> a, Index num_cols) {
  a.num_cols = num_cols;
  for (Index r = 0; r < a.num_rows; r += 8)
    if (a.row_length(r) > 0) a.cols.data()[a.row_begin(r + 1) - 1] = num_cols - 1 - r;
  return a;
}

/// The matrices that every conversion is tried on, with a name each.
template <class T>
std::vector<std::pair<std::string, Csr<T>>> convert_cases() {
  std::vector<std::pair<std::string, Csr<T>>> cases;
  const auto add = [&](const std::string& name, Csr<T> a) { cases.emplace_back(name, std::move(a)); };
  add("0 x 0", Csr<T>{});
  add("0 x 5", random_csr<T>(0, 5, 1, 1));
  add("5 x 0", random_csr<T>(5, 0, 1, 1));
  add("1 x 1", banded_csr<T>(1, 1, 0, 4));
  add("no entries", {40, 30, Array<std::int64_t>(41, 0), Array<Index>(0), Array<T>(0)});
  add("few entries", random_csr<T>(100, 70, 1, 3));  // most rows have none
  add("random", random_csr<T>(300, 257, 9, 5));
  add("64 rows", random_csr<T>(64, 64, 5, 6));
  add("long row", random_csr<T>(130, 1000, 6, 7, 65));
  add("band", banded_csr<T>(333, 333, 6, 8));
  add("wide band", banded_csr<T>(96, 128, 40, 9));
  add("stencil", stencil_csr<T>(1000, 2, 20));
  add("few diagonals", blocks_csr<T>(90, 1, false, 10));
  add("blocks of 4", blocks_csr<T>(37, 4, false, 11));
  add("blocks of 5 with holes", blocks_csr<T>(31, 5, true, 12));
  add("blocks of 40", blocks_csr<T>(6, 40, false, 13));
  Csr<T> whole = banded_csr<T>(200, 200, 9, 15);  // values that floats hold
  std::fill(whole.vals.data(), whole.vals.data() + whole.num_entries(), T(3));
  add("whole numbers", std::move(whole));
  Csr<T> huge = banded_csr<T>(50, 50, 3, 16);  // and one that they do not
  if constexpr (sizeof(RealOf<T>) == 8) huge.vals.data()[7] = T(1e300);
  add("huge value", std::move(huge));
  add("far columns", random_csr<T>(60, 200'000, 20, 17));
  add("not so far columns", random_csr<T>(60, 30'000, 20, 19));
  add("near and far columns", stretched(banded_csr<T>(64, 64, 20, 18), 1'000'000));
  add("a column twice",
      {4, 4, Array<std::int64_t>({0, 2, 4, 6, 8}), Array<Index>({0, 1, 1, 2, 2, 2, 3, 3}), Array<T>(8, T{1})});
  Csr<T> wide = random_csr<T>(90, 80, 7, 14);  // with 8-byte offsets
  Array<std::int64_t> offsets(91);
  for (Index r = 0; r <= 90; ++r) offsets.data()[r] = wide.row_begin(r);
  wide.row_ptr = std::move(offsets);
  add("8-byte offsets", std::move(wide));
  return cases;
}

}  // namespace millrace::testing
