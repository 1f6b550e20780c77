// What conversions to dense blocks share, in parallel steps: repeated entries, the size of the blocks, their pattern,
// and their values. An entry stands for its block if it is the first of it, row by row.
#pragma once

#include <algorithm>

#include "millrace/sparse/convert/block_rows.hpp"
#include "millrace/sparse/convert/sorted_columns.hpp"
#include "millrace/sparse/format/bsr.hpp"

namespace millrace::convert {

/// A matrix with one place per entry.
struct BlockSource {
  Rows csr;
  Array<Index> sorted;               // [num_entries], columns ascending in every row; empty when they are in the matrix
  const Index* ascending = nullptr;  // those, wherever they are
};

template <Steps S>
BlockSource block_source(S& steps, std::string_view format, const Rows& a) {
  BlockSource source{a, sorted_columns(steps, format, a), a.cols};
  if (!source.sorted.empty()) source.ascending = source.sorted.data();
  return source;
}

/// Is this entry the first of its block? Looks at the entry before it, then at the rows above, the next one first:
/// where there are blocks, that one knows.
struct FirstOfBlock {
  Rows csr;
  const Index* cols;  // [num_entries], ascending in a row
  Index size;

  MILLRACE_HD bool operator()(Offset r, Offset s) const {
    const Index block = cols[s] / size;
    if (s > csr.begin(r) && cols[s - 1] / size == block) return false;
    for (Offset above = r - 1; above >= r - r % size; --above) {
      const Offset end = csr.begin(above + 1), at = first_at_least(cols, csr.begin(above), end, block * size);
      if (at < end && cols[at] / size == block) return false;
    }
    return true;
  }
};

/// All blocks of that size, or some number above the limit: the entries are counted in growing parts.
template <Steps S>
Offset count_blocks(S& steps, const BlockSource& source, Index size, Offset limit) {
  if constexpr (S::few_threads) {
    return count_blocks_by_rows(steps, source.csr, size, limit);
  } else {
    const FirstOfBlock is_first{source.csr, source.ascending, size};
    const Rows a = source.csr;
    const Offset n = a.num_entries;
    Offset total = 0, part = std::max<Offset>(n / 256, 1 << 14);
    for (Offset begin = 0; begin < n && total <= limit; begin += part, part *= 4)
      total += steps.sum(std::min(part, n - begin), [=] MILLRACE_HD(Offset i) {
        return Offset{is_first(group_of(a, begin + i), begin + i) ? 1 : 0};
      });
    return total;
  }
}

template <Steps S>
Index choose_block_size(S& steps, const BlockSource& source, std::size_t value_bytes, std::span<const Index> sizes) {
  return millrace::choose_block_size(source.csr.num_entries, value_bytes, sizes, [&](Index size, Offset limit) {
    return count_blocks(steps, source, size, limit);
  });
}

template <Steps S>
BlockPattern find_pattern(S& steps, const BlockSource& source, Index size) {
  if constexpr (S::few_threads) return find_pattern_by_rows(steps, source.csr, size);
  const Offset n = source.csr.num_entries;
  const Offset num_block_rows = (Offset{source.csr.num_rows} + size - 1) / size;
  const Key stride = (static_cast<Key>(source.csr.num_cols) + static_cast<Key>(size) - 1) / static_cast<Key>(size);
  const FirstOfBlock is_first{source.csr, source.ascending, size};
  const Index* cols = source.ascending;
  Array<Offset> ranks = steps.template scratch<Offset>(n);
  Offset* rank = ranks.data();
  steps.for_each_in(source.csr, [=] MILLRACE_HD(Offset r, Offset s) { rank[s] = is_first(r, s) ? 1 : 0; });
  steps.scan(rank, n);
  const Offset num_blocks = n == 0 ? 0 : steps.read(static_cast<const Offset*>(rank) + n - 1);

  Array<Key> keys = steps.template scratch<Key>(num_blocks);
  Key* key = keys.data();
  steps.for_each_in(source.csr, [=] MILLRACE_HD(Offset r, Offset s) {
    if (s > 0 ? rank[s] == rank[s - 1] : rank[s] == 0) return;
    key[rank[s] - 1] = static_cast<Key>(r / size) * stride + static_cast<Key>(cols[s] / size);
  });
  if (size > 1) steps.sort(keys, static_cast<Key>(num_block_rows) * stride - 1);

  BlockPattern pattern{size, steps.template make<Offset>(num_block_rows + 1), steps.template make<Index>(num_blocks)};
  Offset* block_ptr = pattern.block_ptr.data();
  Index* block_cols = pattern.block_cols.data();
  const Key* sorted = keys.data();
  steps.for_each(num_block_rows + 1, [=] MILLRACE_HD(Offset b) {
    block_ptr[b] =
        b == num_block_rows ? num_blocks : first_at_least(sorted, Offset{0}, num_blocks, static_cast<Key>(b) * stride);
  });
  steps.for_each(num_blocks, [=] MILLRACE_HD(Offset i) { block_cols[i] = static_cast<Index>(sorted[i] % stride); });
  return pattern;
}

/// Zeros unless the entries fill all slots, and then the bits that say which are entries.
template <Steps S, class T>
void make_values(S& steps, Offset num_slots, Offset num_entries, Array<T>& vals, Array<std::uint64_t>& real) {
  vals = steps.template make<T>(num_slots);
  if (num_slots != num_entries) fill_zero(steps, vals);
  real = make_filled(steps, num_slots == num_entries ? 0 : (num_slots + 63) / 64, std::uint64_t{0});
}

/// Writes the entries, and sets their bits unless there are none. place(block_row) says where its blocks go.
template <Steps S, class A, class Places>
void fill_blocks(S& steps, const BlockSource& source, const A* from, const BlockPattern& pattern, const Places& place,
                 A* vals, Array<std::uint64_t>& real) {
  std::uint64_t* bits = real.empty() ? nullptr : real.data();
  if constexpr (S::few_threads) {
    fill_blocks_by_rows(steps, source.csr, from, pattern, place, vals, bits);
  } else {
    const Index* cols = source.csr.cols;
    const Offset* block_ptr = pattern.block_ptr.data();
    const Index* block_cols = pattern.block_cols.data();
    const Index size = pattern.size;
    steps.for_each_in(source.csr, [=] MILLRACE_HD(Offset r, Offset s) {
      const auto block_row = static_cast<Index>(r / size);
      const Index c = cols[s];
      const Offset first = block_ptr[block_row],
                   at = first_at_least(block_cols, first, block_ptr[block_row + 1], c / size);
      const BlockPlace to = place(block_row);
      const Offset slot = to.first + ((at - first) * size + c % size) * to.stride + r % size;
      vals[slot] = from[s];
      if (bits) fetch_or(bits + slot / 64, std::uint64_t{1} << (slot % 64));
    });
  }
}

struct BsrPlaces {
  const Offset* block_ptr;
  Index size;
  MILLRACE_HD BlockPlace operator()(Index block_row) const { return {block_ptr[block_row] * size * size, size}; }
};

template <class T>
struct Conversion<Bsr<T>> {
  template <Steps S>
  static Bsr<T> run(S& steps, const Csr<T>& a, const FormatSpec& spec) {
    const Index asked = Bsr<T>::asked_block(spec);
    const BlockSource source = block_source(steps, Bsr<T>::name, rows_of(a));
    Bsr<T> b;
    b.num_rows = a.num_rows;
    b.num_cols = a.num_cols;
    b.entries = a.num_entries();
    b.block =
        asked > 0 ? asked : choose_block_size(steps, source, sizeof(T), Bsr<T>::possible_sizes(a.num_rows, a.num_cols));
    BlockPattern pattern = find_pattern(steps, source, b.block);
    require_reasonable_blocks(a, pattern);
    make_values(steps, pattern.num_blocks() * b.block * b.block, b.entries, b.vals, b.real);
    fill_blocks<S, Arith<T>>(steps, source, arith(a.vals.data()), pattern, BsrPlaces{pattern.block_ptr.data(), b.block},
                             arith(b.vals.data()), b.real);
    b.block_ptr = std::move(pattern.block_ptr);
    b.block_cols = std::move(pattern.block_cols);
    return b;
  }
};

}  // namespace millrace::convert
