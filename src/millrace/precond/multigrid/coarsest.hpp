// The last level: the inverse of a small matrix, dense; where the matrix is singular, one that solves what can be.
#pragma once

#include <vector>

#include "millrace/sparse/csr.hpp"

namespace millrace::multigrid {

/// x = G b with G A G = G. Unknowns whose pivot is nothing beside the diagonal are left out, their x is zero: that is
/// how null vectors are recognised.
template <class W>
class Coarsest {
 public:
  /// Memory that is there is used again.
  template <class T>
  void update(int num_threads, const Csr<T>& a);
  Index num_rows() const { return num_rows_; }
  Index num_left_out() const { return num_left_out_; }
  std::int64_t bytes() const { return inverse_.bytes(); }

  void apply(Queue& queue, const W* b, W* x) const;

 private:
  Index num_rows_ = 0, num_left_out_ = 0;
  Array<W> inverse_;             // [num_rows, num_rows], by rows
  std::vector<double> factors_;  // [num_rows, num_rows], for the next update
  std::vector<double> work_;     // the same
};

}  // namespace millrace::multigrid
