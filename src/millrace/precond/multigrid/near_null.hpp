// Vectors that a matrix makes small, which coarse levels must represent: constants, or those that were given.
#pragma once

#include "millrace/precond/multigrid/aggregate.hpp"

namespace millrace::multigrid {

/// `num` vectors on the nodes of a level, `block` rows each. Without entries they are the constants, one for each row
/// of a node, and num = block.
template <class T>
struct NearNull {
  Index block = 1, num = 1;
  Array<T> vectors{};  // [num_rows, num]; empty: constants
};

/// The tentative prolongator, which maps the coarse vectors to the fine ones exactly, and those coarse vectors.
template <class T>
struct Tentative {
  Array<T> values;     // [num_rows, num]: row i of the columns of its node's aggregate; empty: 1 for its own component
  NearNull<T> coarse;  // num rows a node
};

/// On each aggregate the vectors become orthonormal ones, times the root of its number of nodes, so that constants stay
/// constants: Q s and R / s of a QR decomposition (P. Vanek, J. Mandel, M. Brezina 1996), by modified Gram-Schmidt,
/// twice. A vector that the others span on an aggregate gets a column of zeros there.
template <class T>
Tentative<T> make_tentative(Queue& queue, const Aggregates& aggregates, const NearNull<T>& near_null);

}  // namespace millrace::multigrid
