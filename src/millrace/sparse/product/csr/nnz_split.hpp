// The nonzero split of a CSR matrix: entries are shared out in equal chunks whatever their rows are, and a bit per
// entry says where rows end, for kernels that give lanes entries instead of rows.
#pragma once

#include <cstdint>

#include "millrace/base/array.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace {

/// Of 32 entries: a bit for each with which a row ends, and how many rows with entries end before them.
struct RowEnds {
  std::uint32_t bits;
  Index before;
};

/// A row that continues across the start of a chunk, as its first and last chunk. first == last == k: none.
struct SpanningRow {
  Index first, last;
};

struct NnzSplitView {
  Index chunk, num_chunks, num_empty;
  const RowEnds* ends;          // [num_chunks * chunk / 32]
  const SpanningRow* spanning;  // [num_chunks + 1]
  const Index* filled;          // the rows with entries, or null: all
  const Index* empty;           // [num_empty], the rows without

  MILLRACE_HD Index row(Index i) const { return filled ? filled[i] : i; }  // row i of those with entries
};

/// Rows are numbered without those that have no entries, which are listed apart.
struct NnzSplit {
  Index chunk = 0;              // entries, a multiple of 32
  Array<RowEnds> ends;          // [num_chunks * chunk / 32]
  Array<SpanningRow> spanning;  // [num_chunks + 1]
  Array<Index> filled;          // the rows with entries, or empty: all
  Array<Index> empty;           // the rows without

  Index num_chunks() const { return static_cast<Index>(spanning.size()) - 1; }
  std::int64_t bytes() const { return ends.bytes() + spanning.bytes() + filled.bytes() + empty.bytes(); }
  NnzSplitView view() const {
    return {chunk,       num_chunks(),    static_cast<Index>(empty.size()),
            ends.data(), spanning.data(), filled.empty() ? nullptr : filled.data(),
            empty.data()};
  }
};

}  // namespace millrace
