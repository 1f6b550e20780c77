// Equilibration: rows and columns are multiplied by powers of two, so that the largest entry of each is about 1.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "millrace/sparse/csr.hpp"

namespace millrace {

/// Each number becomes the largest of several ranks.
using MaxOverRanks = std::function<void(std::span<double>)>;

/// For a matrix of which other ranks have rows, too. Its columns here are those of the rows here, then copies of
/// columns of others. Empty: all of it is here.
struct OtherRanks {
  MaxOverRanks largest{};       // of all ranks
  MaxOverRanks join_columns{};  // [columns here]: of all ranks that have this column
};

/// Factors for rows and columns as exponents of two, so that scaling rounds nothing.
struct Scaling {
  std::vector<int> rows, cols;  // [num_rows], [num_cols]
  double row_spread = 1;        // smallest over largest norm of the rows before, by their largest entries,
  double col_spread = 1;        // ... and of the columns, once rows are scaled
  bool scales = false;          // false: all factors are 1, and none are here; the same on all ranks
  bool needed() const { return scales; }
  /// "rows scaled by 2^-5 to 2^12, columns by 2^0 to 2^3"
  std::string text() const;
};

/// How badly a matrix on the host is scaled: the spreads alone, in two passes over its entries.
template <class T>
Scaling measure_scaling(const Csr<T>& a, bool symmetric, const OtherRanks& others = {});

/// The factors for a matrix on the host; none when it is scaled well already: when the norms of rows, and those of
/// columns, differ by less than a factor of 10, as LAPACK has it. D. Ruiz (2001): square roots of norms, alternately,
/// until all are about 1. `symmetric`: rows and columns get the same factors.
template <class T>
Scaling equilibrate(const Csr<T>& a, bool symmetric, const OtherRanks& others = {});

/// The matrix R A C.
template <class T>
Csr<T> scaled(const Csr<T>& a, const Scaling& scaling);

/// v[i] times 2^exponents[i]; empty exponents: v as it is.
template <class T>
void scale_by(std::vector<T>& v, const std::vector<int>& exponents);

}  // namespace millrace
