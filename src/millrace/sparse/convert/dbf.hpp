// CSR into the dense block format, in parallel steps: the pattern of the blocks, sections, neighbours, values.
#pragma once

#include "millrace/sparse/convert/blocks.hpp"
#include "millrace/sparse/format/dbf.hpp"

namespace millrace::convert {

/// The numbers of blocks of the block rows in stored order.
template <Steps S>
Array<Index> block_counts(S& steps, const BlockPattern& pattern, const Index* order) {
  Array<Index> counts = steps.template make<Index>(pattern.num_block_rows());
  Index* count = counts.data();
  const Offset* block_ptr = pattern.block_ptr.data();
  steps.for_each(counts.size(), [=] MILLRACE_HD(Offset f) {
    const Offset b = order ? order[f] : f;
    count[f] = static_cast<Index>(block_ptr[b + 1] - block_ptr[b]);
  });
  return counts;
}

/// A section for every number of blocks that occurs; the counts fall.
template <Steps S>
Array<DbfSection> sections_apart(S& steps, const Array<Index>& counts, Offset area) {
  const Offset n = counts.size();
  if (n == 0) return make_filled(steps, 2, DbfSection{});
  Array<Offset> ranks = steps.template scratch<Offset>(n), sums = steps.template scratch<Offset>(n);
  Offset *rank = ranks.data(), *sum = sums.data();
  const Index* count = counts.data();
  steps.for_each(n, [=] MILLRACE_HD(Offset f) {
    rank[f] = f == 0 || count[f] != count[f - 1] ? 1 : 0;
    sum[f] = count[f];
  });
  steps.scan(rank, n);
  steps.scan(sum, n);
  const Offset num_sections = steps.read(static_cast<const Offset*>(rank) + n - 1);
  Array<DbfSection> sections = steps.template make<DbfSection>(num_sections + 1);
  DbfSection* section = sections.data();
  steps.for_each(n + 1, [=] MILLRACE_HD(Offset f) {
    const Offset before = f == 0 ? 0 : sum[f - 1];
    if (f == n)
      section[num_sections] = {static_cast<Index>(n), 0, before * area, before};
    else if (f == 0 || rank[f] != rank[f - 1])
      section[rank[f] - 1] = {static_cast<Index>(f), count[f], before * area, before};
  });
  return sections;
}

/// One section in which every block row has as many.
template <Steps S>
Array<DbfSection> one_section(S& steps, Index num_block_rows, Index width, Offset area) {
  Array<DbfSection> sections = steps.template make<DbfSection>(2);
  DbfSection* section = sections.data();
  const Offset all = Offset{num_block_rows} * width;
  steps.for_each(2, [=] MILLRACE_HD(Offset i) {
    section[i] = i == 0 ? DbfSection{0, width, 0, 0} : DbfSection{num_block_rows, 0, all * area, all};
  });
  return sections;
}

template <Steps S, class View>
void fill_neighbours(S& steps, const BlockPattern& pattern, const View& view, Index* neighbours) {
  const Offset* block_ptr = pattern.block_ptr.data();
  const Index* block_cols = pattern.block_cols.data();
  const Ranges blocks{block_ptr, pattern.num_block_rows(), pattern.num_blocks()};
  steps.for_each_in(blocks, [=] MILLRACE_HD(Offset row, Offset i) {
    const auto block_row = static_cast<Index>(row);
    const Index f = view.place_of ? view.place_of[block_row] : block_row;
    neighbours[view.blocks_before(f) + i - block_ptr[block_row]] = block_cols[i];
  });
}

template <class View>
struct DbfPlaces {
  View view;
  MILLRACE_HD BlockPlace operator()(Index block_row) const {
    const auto at = view.place(view.place_of ? view.place_of[block_row] : block_row);
    return {at.first, at.stride};
  }
};

template <Steps S>
Array<Index> inverse(S& steps, const Array<Index>& order) {
  Array<Index> places = steps.template make<Index>(order.size());
  Index* place = places.data();
  const Index* at = order.data();
  steps.for_each(order.size(), [=] MILLRACE_HD(Offset f) { place[at[f]] = static_cast<Index>(f); });
  return places;
}

/// Everything but values and bits. `counts`: blocks of the block rows as the matrix has them.
template <Steps S, class T>
void lay_out(S& steps, const BlockPattern& pattern, Array<Index> counts, Index group, bool apart, Dbf<T>& b) {
  const Index n = pattern.num_block_rows(), m = pattern.size;
  b.block = m;
  b.group = std::clamp(group, 1, std::max(1, n));
  b.num_real_blocks = pattern.num_blocks();
  b.block_row_of = order_by_length(steps, counts, b.width, apart ? std::numeric_limits<Index>::max() : 1);
  b.place_of = inverse(steps, b.block_row_of);
  if (!b.block_row_of.empty()) counts = block_counts(steps, pattern, b.block_row_of.data());
  b.sections = apart ? sections_apart(steps, counts, Offset{m} * m) : one_section(steps, n, b.width, Offset{m} * m);
  const Offset num_stored = apart ? pattern.num_blocks() : Offset{n} * b.width;
  const bool padded = num_stored > pattern.num_blocks();
  b.neighbours = steps.template make<Index>(num_stored);
  if (padded) fill(steps, b.neighbours, Index{-1});
  b.row_blocks = padded ? std::move(counts) : steps.template make<Index>(0);
  b.visit_view([&](const auto& view) { fill_neighbours(steps, pattern, view, b.neighbours.data()); });
}

template <class T>
struct Conversion<Dbf<T>> {
  template <Steps S>
  static Dbf<T> run(S& steps, const Csr<T>& a, const FormatSpec& spec) {
    const DbfShape asked = Dbf<T>::asked(spec);
    const BlockSource source = block_source(steps, Dbf<T>::name, rows_of(a));
    const Index m = asked.block > 0
                        ? asked.block
                        : choose_block_size(steps, source, sizeof(T), Dbf<T>::possible_sizes(a.num_rows, a.num_cols));
    require_multiple(a, m);
    const BlockPattern pattern = find_pattern(steps, source, m);
    Array<Index> counts = block_counts(steps, pattern, nullptr);
    const Index* count = counts.data();
    Dbf<T> b;
    b.num_rows = a.num_rows;
    b.num_cols = a.num_cols;
    b.entries = a.num_entries();
    b.width = static_cast<Index>(steps.max(counts.size(), [=] MILLRACE_HD(Offset f) { return Offset{count[f]}; }));
    require_reasonable_table(a, pattern, b.width, asked.apart);
    lay_out(steps, pattern, std::move(counts), asked.group, asked.apart, b);
    make_values(steps, b.neighbours.size() * m * m, b.entries, b.vals, b.real);
    b.visit_view([&]<class View>(const View& view) {
      fill_blocks<S, Arith<T>>(steps, source, arith(a.vals.data()), pattern, DbfPlaces<View>{view},
                               arith(b.vals.data()), b.real);
    });
    return b;
  }
};

}  // namespace millrace::convert
