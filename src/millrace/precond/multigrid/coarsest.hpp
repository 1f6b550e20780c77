// The last level: the inverse of a small matrix, dense; where the matrix is singular, one that solves what can be.
#pragma once

#include "millrace/sparse/csr.hpp"

namespace millrace::multigrid {

/// A pivot that is no more than this of the diagonal as it was is none.
template <class W>
inline constexpr double no_pivot = sizeof(W) == 8 ? 1e-11 : 1e-4;

/// x = G b with G A G = G. Unknowns whose pivot is nothing beside the diagonal are left out, their x is zero: that is
/// how null vectors are recognised.
template <class W>
class Coarsest {
 public:
  /// Memory that is there is used again.
  void update(Queue& queue, const Csr<W>& a);
  Index num_rows() const { return num_rows_; }
  Index num_left_out() const { return num_left_out_; }
  std::int64_t bytes() const { return inverse_.bytes(); }

  void apply(Queue& queue, const W* b, W* x) const;

 private:
  void update_on_host(int num_threads, const Csr<W>& a);

  Index num_rows_ = 0, num_left_out_ = 0;
  Array<W> inverse_;       // [num_rows, num_rows], by rows
  Array<double> factors_;  // [num_rows, num_rows], on a GPU two of them, for the next update
  Array<double> work_;     // [num_rows]: the diagonal as it was
  Array<int> used_;        // [num_rows]: 0 where an unknown is left out
};

}  // namespace millrace::multigrid
