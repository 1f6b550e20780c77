// The columns of a CSR matrix that are used most, and its entries prepared for a GPU that keeps their x in shared
// memory.
#pragma once

#include "millrace/sparse/product/csr/nnz_split.hpp"

namespace millrace {

/// Where thread blocks keep x of the cached columns, which are numbered by falling use: the first ones are replicated
/// in every block, the others distributed over the blocks of a cluster, which read each other's memory. The numbers
/// were measured on an H200 with a power law of a million rows: with more slots the loads in flight have too little of
/// the same memory.
struct CachePlacement {
  Index cluster_size = 8, replicated = 4096, distributed = 8192;  // of each block

  MILLRACE_HD constexpr Index num_cached() const { return replicated + cluster_size * distributed; }
  MILLRACE_HD constexpr Index num_slots() const { return replicated + distributed; }  // of a block
  /// The cached column in a slot of a block.
  MILLRACE_HD constexpr Index cached_at(Index block, Index slot) const {
    return slot < replicated ? slot : replicated + (slot - replicated) * cluster_size + block;
  }
  /// A slot in the lower 16 bits, above them its block, or `cluster_size` for every one.
  MILLRACE_HD constexpr Index place_of(Index cached) const {
    if (cached < replicated) return cluster_size << 16 | cached;
    return (cached - replicated) % cluster_size << 16 | (replicated + (cached - replicated) / cluster_size);
  }
};

/// Each warp takes a chunk of the entries, whole tiles but for the last.
struct CachedColumns {
  static constexpr Index tile = 128;
  CachePlacement placement{};
  Array<Index> columns;          // [num_cached], by falling use; where a matrix has fewer columns, some twice
  Array<Index> encoded_columns;  // [num_entries, up to a whole tile]: column c, or ~place of a cached one
  NnzSplit split;

  std::int64_t bytes() const { return columns.bytes() + encoded_columns.bytes() + split.bytes(); }
};

}  // namespace millrace
