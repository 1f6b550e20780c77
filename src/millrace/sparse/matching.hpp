// An order of the rows that brings large entries onto the diagonal, for matrices whose own diagonal has zeros.
#pragma once

#include <vector>

#include "millrace/sparse/csr.hpp"

namespace millrace {

/// A row for every column, and the scaling that goes with it.
struct Matching {
  std::vector<Index> rows;  // new to old: row i of the reordered matrix is row rows[i] of A; for permute_rows(a, rows)
  Index num_matched = 0;    // diagonal entries that are then not zero; fewer than rows: structurally singular, or
  bool complete = true;     // ... (false) it would have taken too long to match the rest
};

/// The product of the diagonal's absolute values becomes as large as it can be. I. S. Duff and J. Koster (2001):
/// shortest augmenting paths for the costs log(largest entry of the row / entry). The same on every run. Host only,
/// square. It looks at no more than `max_visits` entries for each entry of the matrix, in the mean.
template <class T>
Matching match_diagonal(const Csr<T>& a, double max_visits = 200);

}  // namespace millrace
