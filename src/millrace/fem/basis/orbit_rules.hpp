// Fully symmetric rules on triangles and tets, stored as orbits: one point stands for all permutations of its
// barycentric coordinates. The figures are our own, found by scripts/find_simplex_rules.py.
#pragma once

#include <array>
#include <span>

namespace millrace {

/// Kinds of orbits by the barycentric coordinates of their points, and how many numbers each has (its weight first).
/// Triangle: (1/3,1/3,1/3), (a,a,1-2a), (a,b,1-a-b), with 1, 2, 3 numbers, and 1, 3, 6 points.
/// Tet: (1/4,..), (a,a,a,1-3a), (a,a,1/2-a,1/2-a), (a,a,b,1-2a-b), (a,b,c,1-a-b-c), with 1, 2, 2, 3, 4 numbers, and 1,
/// 4, 6, 12, 24 points.
struct OrbitRule {
  int degree;                       // exact to this total degree
  std::array<int, 5> num_orbits;    // of each kind
  std::span<const double> numbers;  // orbit after orbit, in the order of the kinds
};

std::span<const OrbitRule> triangle_rules();  // one a degree, ascending
std::span<const OrbitRule> tet_rules();

}  // namespace millrace
