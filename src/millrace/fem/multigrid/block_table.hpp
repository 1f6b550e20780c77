// The eigenvectors of one direction that blocks of elements use, as a value that kernels take.
#pragma once

#include <vector>

#include "millrace/base/scalar.hpp"

namespace millrace::multigrid {

inline constexpr int max_block_nodes = 17;  // of a direction

/// Of a line of three equal elements, cut to the P nodes of the middle one: A S = B S L with S^T B S = 1.
template <class W>
struct BlockTable {
  int nodes = 0;                                 // P
  W vectors[max_block_nodes * max_block_nodes];  // [P, P]: S, a column for each eigenvalue
  W values[max_block_nodes];                     // [P]: L
};

/// The same in double, with the diagonals of A and B: of an element of length 1.
struct LineBlock {
  int nodes = 0;
  std::vector<double> vectors, values;  // [P, P], [P]
  std::vector<double> stiffness, mass;  // [P]: diagonals
};
LineBlock make_line_block(int order);

}  // namespace millrace::multigrid
