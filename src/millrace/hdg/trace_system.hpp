// The system between traces, as dense blocks: one block row per face, one block per face that shares a cell with it.
// Cells are added straight into the values of one matrix that is made once.
#pragma once

#include <vector>

#include "millrace/base/queue.hpp"
#include "millrace/hdg/trace_space.hpp"
#include "millrace/sparse/matrix.hpp"

namespace millrace::hdg {

class TraceSystem {
 public:
  TraceSystem(const TraceSpace& space, int comps);
  TraceSystem(const TraceSystem&) = delete;
  TraceSystem& operator=(const TraceSystem&) = delete;

  Index block() const { return block_; }
  /// Matrix and right-hand side are zero.
  void clear();
  /// Adds the trace matrix [m, m] of a cell, column by column, and its right-hand side [m]. Threads may add cells that
  /// share no face. Each number is a sum of at most two, so it does not depend on which comes first.
  void add(Index cell, const double* matrix, const double* rhs);
  /// "dbf", with the values as they are now.
  const SparseMatrix<double>& matrix() const { return matrix_; }
  std::span<const double> rhs() const { return rhs_; }  // [faces, comps, face modes]

 private:
  SparseMatrix<double> make_matrix();

  const TraceSpace& space_;
  Index block_;
  Array<double> values_;  // of the matrix
  SparseMatrix<double> matrix_;
  std::vector<Offset> slots_;  // [cells, faces per cell (columns), faces per cell (rows)]: where a block begins
  std::vector<double> rhs_;
};

}  // namespace millrace::hdg
