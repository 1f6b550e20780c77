// The columns of a CSR matrix that are used most, and its entries prepared for a GPU that keeps their x in shared
// memory.
#pragma once

#include "millrace/sparse/product/csr/row_ends.hpp"

namespace millrace {

/// Where thread blocks keep x of the hot columns, by falling use: the first ones in every block, of the others each in
/// one block of a cluster, whose blocks read each other's memory. What is set here was measured on an H200 with a power
/// law of a million rows: with more slots the loads under way have too little of the same memory.
struct HotPlaces {
  Index cluster = 8, everywhere = 4096, apart = 8192;

  MILLRACE_HD constexpr Index num_hot() const { return everywhere + cluster * apart; }
  MILLRACE_HD constexpr Index num_slots() const { return everywhere + apart; }  // of a block
  /// The hot column in a slot of a block.
  MILLRACE_HD constexpr Index hot_at(Index block, Index slot) const {
    return slot < everywhere ? slot : everywhere + (slot - everywhere) * cluster + block;
  }
  /// A slot in the lower 16 bits, above them its block, or `cluster` for every one.
  MILLRACE_HD constexpr Index place_of(Index hot) const {
    if (hot < everywhere) return cluster << 16 | hot;
    return (hot - everywhere) % cluster << 16 | (everywhere + (hot - everywhere) / cluster);
  }
};

/// Warps take a chunk of the entries each, whole tiles but for the last.
struct HotColumns {
  static constexpr Index tile = 128;
  HotPlaces places{};
  Array<Index> columns;  // [num_hot], by falling use, or empty: none stand out
  Array<Index> coded;    // [num_entries, up to a whole tile], the columns again: c, or ~place of a hot one
  RowMarks marks;

  bool empty() const { return columns.empty(); }
  std::int64_t bytes() const { return columns.bytes() + coded.bytes() + marks.bytes(); }
};

}  // namespace millrace
