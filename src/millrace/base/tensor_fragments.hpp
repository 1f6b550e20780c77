// Where the 32 lanes of a warp hold the numbers of one step of an fp64 tensor core, C (8 x 8) += A (8 x 4) B (4 x 8),
// and how the rows of a block are cut into tiles for it. The host can run all of it.
#pragma once

#include "millrace/base/build.hpp"

namespace millrace::tensor_core {

constexpr int rows = 8, cols = 8, depth = 4;  // of C and A, of C and B, of A and B

struct Place {
  int row, col;
  friend constexpr bool operator==(const Place&, const Place&) = default;
};

/// What a lane holds: one number of A and of B, two of C (c = 0, 1). "mma.m8n8k4, .f64" in the PTX manual.
MILLRACE_HD constexpr Place place_in_a(int lane) { return {lane / 4, lane % 4}; }
MILLRACE_HD constexpr Place place_in_b(int lane) { return {lane % 4, lane / 4}; }
MILLRACE_HD constexpr Place place_in_c(int lane, int c) { return {lane / 4, 2 * (lane % 4) + c}; }

/// Tiles of 8 rows that a warp takes of a block, so that an entry of x in a register meets all of them: four at most,
/// and as equal as may be from warp to warp.
MILLRACE_HD constexpr int warps_of_block(int block) { return (block + 4 * rows - 1) / (4 * rows); }
MILLRACE_HD constexpr int tiles_of_warp(int block) {
  const int tiles = (block + rows - 1) / rows, warps = warps_of_block(block);
  return (tiles + warps - 1) / warps;
}

/// Column `block * m + inside` of a block row, which a lane walks in steps of `depth`; m is larger than that.
struct Column {
  int block, inside;
  MILLRACE_HD constexpr Column next(int m) const {
    const int after = inside + depth;
    return after < m ? Column{block, after} : Column{block + 1, after - m};
  }
  friend constexpr bool operator==(const Column&, const Column&) = default;
};

}  // namespace millrace::tensor_core
