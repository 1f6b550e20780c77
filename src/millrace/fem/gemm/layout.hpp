// How our own product of a table with many columns is cut: rows into slabs and tiles, columns into groups of 16 for a
// warp, and what of it lies in shared memory. The host can run all of it.
#pragma once

#include <cstddef>

#include "millrace/base/scalar.hpp"

namespace millrace::cuda {

/// Columns that a warp takes at once: the rows of the products of its tensor cores.
inline constexpr int gemm_columns = 16;

/// Numbers from one row of a table in shared memory to the next, for rows of this many: no bank is met twice.
MILLRACE_HD constexpr int table_stride(int num_columns) { return (num_columns + 7) / 8 * 8 + 4; }

struct GemmTiling {
  int rows = 0;         // of a slab: what a thread block makes; the last slab may be smaller
  int num_slabs = 0;    // 0: no room for even eight rows
  int tiles = 1;        // of 8 rows that a warp has in registers at once: 1, 2, 3, 4 or 6
  int stride = 0;       // from a row of the table to the next in shared memory
  bool staged = false;  // columns go through shared memory, in which they come while others are multiplied
  int stages = 2;       // groups of columns there: one that is multiplied, others on their way; 2 or 4
  int warps = 4;        // of a thread block
  std::size_t shared_bytes = 0;

  MILLRACE_HD constexpr int num_tiles() const { return (rows + 7) / 8; }
  /// Rows of the table in shared memory, with zeros for those that fill up the tiles.
  MILLRACE_HD constexpr int table_rows() const { return (num_tiles() + tiles - 1) / tiles * tiles * 8; }
  MILLRACE_HD constexpr int table_size() const { return table_rows() * stride; }
  /// Numbers that a warp keeps in shared memory: groups of columns, and the products of one.
  MILLRACE_HD constexpr int in_size(int k) const { return staged ? gemm_columns * k : 0; }
  MILLRACE_HD constexpr int warp_size(int k) const { return stages * in_size(k) + gemm_columns * rows; }
};

/// Tiles at once: few passes over the columns, little that fills up.
constexpr int gemm_tiles(int num_tiles) {
  int best = 1, least = 2 * num_tiles;
  for (const int tiles : {2, 3, 4, 6}) {
    const int cost = (num_tiles + tiles - 1) / tiles * (tiles + 1);
    if (cost <= least) best = tiles, least = cost;
  }
  return best;
}

/// For a table of m x k numbers of scalar_bytes. Two thread blocks per multiprocessor where that is possible.
constexpr GemmTiling gemm_tiling(int m, int k, int scalar_bytes) {
  constexpr std::size_t rooms[] = {112 * 1024, 226 * 1024};
  constexpr int max_staged = 8 * 1024, few = 2 * 1024;  // bytes of a group of columns; few: more must be on their way
  GemmTiling t;
  t.stride = table_stride(k);
  t.staged = gemm_columns * k * scalar_bytes <= max_staged;
  t.stages = gemm_columns * k * scalar_bytes <= few ? 4 : 2;
  t.warps = t.staged ? 4 : 8;
  const int all = (m + 7) / 8;
  for (const std::size_t room : rooms)
    for (int slabs = 1; slabs <= all; ++slabs) {
      const int in_slab = (all + slabs - 1) / slabs;
      t.rows = slabs == 1 ? m : 8 * in_slab;
      t.tiles = gemm_tiles(in_slab);
      t.num_slabs = (all + in_slab - 1) / in_slab;
      t.shared_bytes = (static_cast<std::size_t>(t.table_size()) +
                        static_cast<std::size_t>(t.warps) * static_cast<std::size_t>(t.warp_size(k))) *
                       static_cast<std::size_t>(scalar_bytes);
      if (t.shared_bytes <= room) return t;
    }
  t.num_slabs = 0;
  return t;
}

}  // namespace millrace::cuda
