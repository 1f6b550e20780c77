// What a matrix looks like: row lengths, distances from the diagonal, symmetry and dense blocks.
// All figures are exact and the same for any number of threads.
#pragma once

#include <vector>

#include "millrace/sparse/csr.hpp"

namespace millrace {

/// How many rows have from..to entries, both ends included.
struct HistogramBin {
  Index from = 0, to = 0;
  Offset count = 0;
  friend bool operator==(const HistogramBin&, const HistogramBin&) = default;
};

/// How many entries rows have.
struct RowLengths {
  Index min = 0, max = 0;
  double mean = 0, std = 0;  // std: over all rows, not a sample of them
  Index num_empty = 0;
  /// One bin a length while there are few different ones (lengths that do not occur are left out),
  /// otherwise the bins 0, 1, 2-3, 4-7, ... from the shortest to the longest row.
  std::vector<HistogramBin> histogram;
};
RowLengths row_lengths(const RowOffsets& row_ptr, int num_threads = 0);

/// Of a square matrix whose rows are sorted and hold no position twice. A rectangular one has none.
struct Symmetry {
  bool pattern = false;      // (i, j) is stored exactly when (j, i) is; all of the following need it
  bool numerical = false;    // a_ij == a_ji
  bool hermitian = false;    // a_ij == conj(a_ji); for real numbers the same as numerical
  bool skew = false;         // a_ij == -a_ji, so the diagonal is zero
  double pattern_share = 0;  // of the entries off the diagonal: those with a partner; 1 if there are none
  double value_share = 0;    // ... and those whose partner has the same value
  Offset diagonal_entries = 0;
};
template <class T>
Symmetry find_symmetry(const Csr<T>& sorted, int num_threads = 0);

/// |A - A^H| over |A|, as square roots of sums of squares, of a square matrix whose rows are sorted. Host only.
template <class T>
double asymmetry(const Csr<T>& sorted);
/// An asymmetry up to this is due to rounding: the matrix counts as symmetric, or Hermitian, everywhere.
inline constexpr double max_asymmetry = 1e-10;

/// Square blocks on a grid that starts at the first row and column; for sorted rows without repeats.
struct Blocks {
  Index size = 1;        // the largest of 2..32 whose stored blocks are at least 90 % full, or 1
  double fill = 1;       // real entries over entries of the stored blocks, zeros beyond the edge included
  Index exact_size = 1;  // the largest of 2..32 whose stored blocks are all full, or 1
};
template <class T>
Blocks find_blocks(const Csr<T>& sorted, int num_threads = 0);

/// What is known of a matrix.
struct MatrixStats {
  Index num_rows = 0, num_cols = 0;
  Offset num_entries = 0;  // as stored, repeated positions and zeros included
  Index row_min = 0, row_max = 0;
  double row_mean = 0, row_std = 0;
  Index empty_rows = 0, empty_cols = 0;
  Index col_max = 0;  // entries of the longest column
  std::vector<HistogramBin> row_histogram;

  Index lower_bandwidth = 0, upper_bandwidth = 0;  // largest i - j and j - i, 0 at least
  double mean_distance = 0;                        // of |i - j| over all entries
  Offset num_diagonals = 0;                        // with an entry on them

  Offset explicit_zeros = 0;
  bool sorted_rows = true;    // columns never fall along a row
  Offset num_duplicates = 0;  // entries at a position that the row already holds

  // Of the matrix with repeated positions added up; see Symmetry and Blocks.
  bool pattern_symmetric = false, numerically_symmetric = false, hermitian = false, skew = false;
  double pattern_symmetry = 0, value_symmetry = 0;
  Offset diagonal_entries = 0;
  bool full_diagonal = false;  // every position (i, i) is stored
  Index block_size = 1, exact_block_size = 1;
  double block_fill = 1;
};

/// Host only. One pass over the entries, a search for the partner of every entry above the diagonal, and
/// as many passes over the matrix as it takes to refuse the block sizes: O(nnz log(longest row)) in all.
template <class T>
MatrixStats compute_stats(const Csr<T>& a, int num_threads = 0);

}  // namespace millrace
