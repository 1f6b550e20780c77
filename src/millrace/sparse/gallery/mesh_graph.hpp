// A random graph that looks like an unstructured mesh: points of a box-shaped grid, each linked to
// near ones, with a wanted number of links for each point.
#pragma once

#include "millrace/sparse/gallery/pattern.hpp"

namespace millrace::gallery {

/// Row lengths and how often each comes, in any unit.
struct Share {
  Index length;
  Index weight;
};

/// A length for each row drawn from the shares; row n/3 takes the longest and row 2n/3 the shortest of them.
std::vector<Index> draw_lengths(Index num_rows, std::span<const Share> shares, std::uint64_t seed);

struct MeshShape {
  int dimension;  // of the box: 2 or 3
  int radius;     // links reach that many grid points in each direction
};

/// Links so that point i gets lengths[i] - 1 of them, or a few less where its neighbourhood is exhausted,
/// but never less than the shortest length asked for while neighbours may grow up to the longest.
std::vector<Edge> mesh_edges(std::span<const Index> lengths, MeshShape shape, std::uint64_t seed);

}  // namespace millrace::gallery
