// What conversions to dense blocks share, in parallel steps: repeated entries, the size of the blocks, their pattern,
// and their values. An entry stands for its block if it is the first of it, row by row.
#pragma once

#include <algorithm>

#include "millrace/sparse/convert/steps.hpp"
#include "millrace/sparse/format/bsr.hpp"
#include "millrace/sparse/format/limits.hpp"

namespace millrace::convert {

/// The entries of a matrix with their rows, and its columns in ascending order.
struct BlockSource {
  Rows csr;
  Array<Index> rows;                 // [num_entries], of every entry
  Array<Index> sorted;               // [num_entries], columns ascending in every row; empty when they are in the matrix
  const Index* ascending = nullptr;  // those, wherever they are
};

/// Refuses a row that has a column twice: a block has one place for it.
template <Stage S>
BlockSource block_source(S& stage, std::string_view format, const Rows& a) {
  const Offset n = a.num_entries;
  BlockSource source{a, stage.template scratch<Index>(n), {}, a.cols};
  Index* rows = source.rows.data();
  expand_rows(stage, a, rows);
  const Offset fall =
      stage.first(n - 1, [=] MILLRACE_HD(Offset s) { return rows[s] == rows[s + 1] && a.cols[s] >= a.cols[s + 1]; });
  if (n < 2 || fall == n - 1) return source;

  Array<Key> keys = stage.template scratch<Key>(n);
  Key* key = keys.data();
  const auto stride = static_cast<Key>(a.num_cols);
  stage.for_each(
      n, [=] MILLRACE_HD(Offset s) { key[s] = static_cast<Key>(rows[s]) * stride + static_cast<Key>(a.cols[s]); });
  stage.sort(keys, static_cast<Key>(a.num_rows) * stride - 1);
  const Key* by_column = keys.data();
  const Offset twice = stage.first(n - 1, [=] MILLRACE_HD(Offset i) { return by_column[i] == by_column[i + 1]; });
  if (twice < n - 1) {
    const Key at = stage.read(by_column + twice);
    refuse_repeated(format, static_cast<Index>(at / stride), static_cast<Index>(at % stride));
  }
  source.sorted = stage.template scratch<Index>(n);
  Index* to = source.sorted.data();
  stage.for_each(n, [=] MILLRACE_HD(Offset i) { to[i] = static_cast<Index>(by_column[i] % stride); });
  source.ascending = to;
  return source;
}

/// Is this entry the first of its block? Looks at the entry before it, then at the rows above, the next one first:
/// where there are blocks, that one knows.
struct FirstOfBlock {
  Rows csr;
  const Index *rows, *cols;  // [num_entries], columns ascending in a row
  Index size;

  MILLRACE_HD bool operator()(Offset s) const {
    const Index r = rows[s], block = cols[s] / size;
    if (s > csr.begin(r) && cols[s - 1] / size == block) return false;
    for (Index above = r - 1; above >= r - r % size; --above) {
      const Offset end = csr.begin(above + 1), at = lower_bound(cols, csr.begin(above), end, block * size);
      if (at < end && cols[at] / size == block) return false;
    }
    return true;
  }
};

inline FirstOfBlock first_of_block(const BlockSource& source, Index size) {
  return {source.csr, source.rows.data(), source.ascending, size};
}

/// All blocks of that size, or some number above the limit: the entries are counted in growing parts.
template <Stage S>
Offset count_blocks(S& stage, const BlockSource& source, Index size, Offset limit) {
  const FirstOfBlock is_first = first_of_block(source, size);
  const Offset n = source.csr.num_entries;
  Offset total = 0, part = std::max<Offset>(n / 256, 1 << 14);
  for (Offset begin = 0; begin < n && total <= limit; begin += part, part *= 4)
    total +=
        stage.sum(std::min(part, n - begin), [=] MILLRACE_HD(Offset i) { return Offset{is_first(begin + i) ? 1 : 0}; });
  return total;
}

template <Stage S>
Index choose_block_size(S& stage, const BlockSource& source, std::size_t value_bytes, std::span<const Index> sizes) {
  return millrace::choose_block_size(source.csr.num_entries, value_bytes, sizes, [&](Index size, Offset limit) {
    return count_blocks(stage, source, size, limit);
  });
}

template <Stage S>
BlockPattern find_pattern(S& stage, const BlockSource& source, Index size) {
  const Offset n = source.csr.num_entries;
  const Offset num_block_rows = (Offset{source.csr.num_rows} + size - 1) / size;
  const Key stride = (static_cast<Key>(source.csr.num_cols) + static_cast<Key>(size) - 1) / static_cast<Key>(size);
  const FirstOfBlock is_first = first_of_block(source, size);
  Array<Offset> ranks = stage.template scratch<Offset>(n);
  Offset* rank = ranks.data();
  stage.for_each(n, [=] MILLRACE_HD(Offset s) { rank[s] = is_first(s) ? 1 : 0; });
  stage.scan(rank, n);
  const Offset num_blocks = n == 0 ? 0 : stage.read(static_cast<const Offset*>(rank) + n - 1);

  Array<Key> keys = stage.template scratch<Key>(num_blocks);
  Key* key = keys.data();
  stage.for_each(n, [=] MILLRACE_HD(Offset s) {
    if (s > 0 ? rank[s] == rank[s - 1] : rank[s] == 0) return;
    key[rank[s] - 1] = static_cast<Key>(is_first.rows[s] / size) * stride + static_cast<Key>(is_first.cols[s] / size);
  });
  if (size > 1) stage.sort(keys, static_cast<Key>(num_block_rows) * stride - 1);

  BlockPattern pattern{size, stage.template make<Offset>(num_block_rows + 1), stage.template make<Index>(num_blocks)};
  Offset* block_ptr = pattern.block_ptr.data();
  Index* block_cols = pattern.block_cols.data();
  const Key* sorted = keys.data();
  stage.for_each(num_block_rows + 1, [=] MILLRACE_HD(Offset b) {
    block_ptr[b] = b == num_block_rows ? num_blocks : lower_bound(sorted, 0, num_blocks, static_cast<Key>(b) * stride);
  });
  stage.for_each(num_blocks, [=] MILLRACE_HD(Offset i) { block_cols[i] = static_cast<Index>(sorted[i] % stride); });
  return pattern;
}

/// Zeros unless the entries fill all slots, and then the bits that say which are entries.
template <Stage S, class T>
void make_values(S& stage, Offset num_slots, Offset num_entries, Array<T>& vals, Array<std::uint64_t>& real) {
  vals = stage.template make<T>(num_slots);
  if (num_slots != num_entries) fill_zero(stage, vals);
  real = make_filled(stage, num_slots == num_entries ? 0 : (num_slots + 63) / 64, std::uint64_t{0});
}

/// Writes the entries, and sets their bits unless there are none. place(block_row) says where its blocks go.
template <Stage S, class A, class Places>
void fill_blocks(S& stage, const BlockSource& source, const A* from, const BlockPattern& pattern, const Places& place,
                 A* vals, Array<std::uint64_t>& real) {
  const Index* rows = source.rows.data();
  const Index* cols = source.csr.cols;
  const Offset* block_ptr = pattern.block_ptr.data();
  const Index* block_cols = pattern.block_cols.data();
  const Index size = pattern.size;
  std::uint64_t* bits = real.empty() ? nullptr : real.data();
  stage.for_each(source.csr.num_entries, [=] MILLRACE_HD(Offset s) {
    const Index r = rows[s], c = cols[s], block_row = r / size;
    const Offset first = block_ptr[block_row], at = lower_bound(block_cols, first, block_ptr[block_row + 1], c / size);
    const BlockPlace to = place(block_row);
    const Offset slot = to.first + ((at - first) * size + c % size) * to.stride + r % size;
    vals[slot] = from[s];
    if (bits) fetch_or(bits + slot / 64, std::uint64_t{1} << (slot % 64));
  });
}

struct BsrPlaces {
  const Offset* block_ptr;
  Index size;
  MILLRACE_HD BlockPlace operator()(Index block_row) const { return {block_ptr[block_row] * size * size, size}; }
};

template <Stage S, class T>
void make(S& stage, const Csr<T>& a, const FormatSpec& spec, Bsr<T>& b) {
  const Bsr<T> asked = Bsr<T>::from_csr(Csr<T>{}, spec);  // checks the text
  const BlockSource source = block_source(stage, b.name, rows_of(a));
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  b.entries = a.num_entries();
  b.block = spec.parameters.empty()
                ? choose_block_size(stage, source, sizeof(T), Bsr<T>::possible_sizes(a.num_rows, a.num_cols))
                : asked.block;
  BlockPattern pattern = find_pattern(stage, source, b.block);
  require_reasonable_blocks(a, pattern);
  make_values(stage, pattern.num_blocks() * b.block * b.block, b.entries, b.vals, b.real);
  fill_blocks<S, Arith<T>>(stage, source, arith(a.vals.data()), pattern, BsrPlaces{pattern.block_ptr.data(), b.block},
                           arith(b.vals.data()), b.real);
  b.block_ptr = std::move(pattern.block_ptr);
  b.block_cols = std::move(pattern.block_cols);
}

}  // namespace millrace::convert
