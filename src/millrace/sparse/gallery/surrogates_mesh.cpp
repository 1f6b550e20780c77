// The surrogates that come from meshes: sAMG, DLR1, DLR2 and UHBR of the pJDS paper.
#include <cmath>
#include <limits>

#include "millrace/sparse/gallery/mesh_graph.hpp"
#include "millrace/sparse/gallery/surrogates.hpp"

namespace millrace::gallery {
namespace {

/// Lengths are those of block rows; the mean of the shares over the longest is 1 - the paper's data reduction.
constexpr Share samg_shares[] = {{5, 190}, {6, 310}, {7, 240}, {8, 120}, {9, 60}, {10, 30},
                                 {11, 18}, {12, 11}, {13, 7},  {14, 5},  {15, 3}, {16, 2},
                                 {17, 1},  {18, 1},  {19, 1},  {20, 1},  {21, 1}, {22, 1}};
constexpr Share dlr1_shares[] = {{15, 1},   {17, 2},   {18, 2},  {19, 3},  {20, 3},  {21, 4},  {22, 5},
                                 {23, 352}, {24, 448}, {25, 65}, {26, 50}, {27, 35}, {28, 20}, {29, 10}};
constexpr Share uhbr_shares[] = {{15, 5},   {18, 30},  {20, 40},  {21, 40}, {22, 60}, {23, 100}, {24, 150},
                                 {25, 180}, {26, 170}, {27, 130}, {28, 70}, {29, 20}, {30, 5}};

std::vector<Share> dlr2_shares() {  // broad and leaning to the short side
  std::vector<Share> shares;
  for (Index length = 25; length <= 121; ++length)
    shares.push_back({length, (length - 24) * (122 - length) * (122 - length)});
  return shares;
}

Pattern make_mesh_pattern(const Values& values, Index num_points, std::span<const Share> shares, int radius) {
  const std::vector<Index> lengths = draw_lengths(num_points, shares, values.seed());
  return symmetric_pattern(num_points, mesh_edges(lengths, {3, radius}, values.seed()), values.num_threads());
}

}  // namespace

Index scaled_points(const Values& values, std::int64_t at_full_scale, Index block, Index at_least) {
  const double scale = values.real("scale"), points = std::round(static_cast<double>(at_full_scale) * scale);
  const std::int64_t most = std::numeric_limits<Index>::max() / block;
  require(points >= at_least && points <= static_cast<double>(most), values.name(), ": scale = ", scale, " makes ",
          points, " points of ", block, " rows; between ", at_least, " and ", most, " points are possible, a scale of ",
          static_cast<double>(at_least) / static_cast<double>(at_full_scale), " to ",
          static_cast<double>(most) / static_cast<double>(at_full_scale));
  values.require_memory(points * block, 4 * points * block * block);  // at the least
  return static_cast<Index>(points);
}

Csr<double> make_samg(const Values& values, const Progress& progress) {
  const Index num_points = scaled_points(values, 3'400'000, 1, 200);
  return fill_laplacian(make_mesh_pattern(values, num_points, samg_shares, 2), values, progress);
}

Csr<double> make_dlr1(const Values& values, const Progress& progress) {
  const Index num_points = scaled_points(values, 46'417, 6, 200);
  return fill_blocks(make_mesh_pattern(values, num_points, dlr1_shares, 2), 6, values, progress);
}

Csr<double> make_dlr2(const Values& values, const Progress& progress) {
  const Index num_points = scaled_points(values, 108'396, 5, 1000);
  return fill_blocks(make_mesh_pattern(values, num_points, dlr2_shares(), 3), 5, values, progress);
}

Csr<double> make_uhbr(const Values& values, const Progress& progress) {
  const Index num_points = scaled_points(values, 900'000, 5, 200);
  return fill_blocks(make_mesh_pattern(values, num_points, uhbr_shares, 2), 5, values, progress);
}

}  // namespace millrace::gallery
