// How the fused kernels of tets lay out tables and factors, and which numbers a lane of a warp holds. The host can run
// all of it.
#pragma once

#include <vector>

#include "millrace/base/scalar.hpp"
#include "millrace/fem/basis.hpp"
#include "millrace/fem/gemm/layout.hpp"

namespace millrace::cuda {

/// Numbers at the points, [groups, tiles, num_stored, elements, tile] or [groups, tiles, num_stored, tile, elements]:
/// what the threads of a warp read at once lies together.
struct FactorLayout {
  int num_points, num_stored;
  int elements;         // of a group
  int tile;             // points of a tile
  bool points_fastest;  // the first of the two orders

  struct Place {
    std::int64_t elem;
    int stored, point;
  };
  MILLRACE_HD constexpr int num_tiles() const { return (num_points + tile - 1) / tile; }
  MILLRACE_HD constexpr std::int64_t group_size() const {
    return std::int64_t{num_tiles()} * num_stored * elements * tile;
  }
  MILLRACE_HD constexpr std::int64_t size(Index num_elem) const {
    return (std::int64_t{num_elem} + elements - 1) / elements * group_size();
  }
  /// What lies at entry i; an element or a point that does not exist fills up.
  MILLRACE_HD constexpr Place at(std::int64_t i) const {
    const int inside = static_cast<int>(i % (elements * tile));
    const std::int64_t block = i / (elements * tile);
    const int local = points_fastest ? inside / tile : inside % elements;
    const int in_tile = points_fastest ? inside % tile : inside / elements;
    return {block / num_stored / num_tiles() * elements + local, static_cast<int>(block % num_stored),
            static_cast<int>(block / num_stored % num_tiles()) * tile + in_tile};
  }
};

// With fp64 tensor cores (base/tensor_fragments.hpp) a warp takes 8 or 16 elements. Elements are the rows of both
// products, so that what the first leaves in the registers of a lane, points 2 (lane % 4) and the next of element
// lane / 4, is what the second wants as its left factor: the points 0 2 4 6, then 1 3 5 7, are four columns of it.

/// Where a table keeps point n of a tile of 8: then neither product meets a bank of shared memory twice.
MILLRACE_HD constexpr int tet_table_row(int n) { return n ^ (n >> 2); }
/// Entry of a table [tile][comps, 8, stride] that is the right factor of the first product: nodes 4 step .. + 3.
MILLRACE_HD constexpr int tet_forward_entry(int lane, int step, int comp, int stride) {
  return (comp * 8 + tet_table_row(lane / 4)) * stride + 4 * step + lane % 4;
}
/// And of the second, for the points 2 (lane % 4) + c: nodes 8 node_tile .. + 7.
MILLRACE_HD constexpr int tet_back_entry(int lane, int node_tile, int comp, int c, int stride) {
  return (comp * 8 + tet_table_row(2 * (lane % 4) + c)) * stride + 8 * node_tile + lane / 4;
}

/// Halves of 8 elements that a warp takes, as many as leave the registers for it: two share every load of a table.
MILLRACE_HD constexpr int tet_halves(int num_nodes, int comps) { return num_nodes <= (comps > 3 ? 56 : 84) ? 2 : 1; }

template <class T>
MILLRACE_HD constexpr FactorLayout tet_factor_layout(int num_points, int num_stored, int num_nodes, int comps) {
  if (sizeof(T) == sizeof(double)) return {num_points, num_stored, 8 * tet_halves(num_nodes, comps), 8, true};
  return {num_points, num_stored, 32, 4, false};
}

/// The tables of a basis, value (if used) before the directions: [tiles, comps, 8, stride], zeros where they fill up.
std::vector<double> tensor_core_tables(const SimplexBasis& basis, bool uses_value, bool uses_grad);

/// For products without tensor cores: forward [tiles, nodes, comps, 4 points], then back [node tiles, 4 tiles points,
/// comps, 4 nodes].
std::vector<double> plain_tables(const SimplexBasis& basis, bool uses_value, bool uses_grad);

}  // namespace millrace::cuda
