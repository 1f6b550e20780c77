// A x = b by a direct solver with iterative refinement, and what is then known of x: its backward and forward errors.
#pragma once

#include <span>

#include "millrace/precond/direct.hpp"
#include "millrace/precond/equilibrate.hpp"

namespace millrace {

/// By how much A and b would have to change for x to be exact.
struct BackwardError {
  double norm = 0;  // |r| over |A| |x| + |b| in the maximum norm (J. L. Rigal and J. Gaches 1967)
  double rows = 0;  // the largest |r_i| over |row i of A|_1 |x| + |b_i|: no equation is neglected for its small entries
};
/// Of a vector x on the host, with r = b - A x in twice the precision of double (T. Ogita, S. M. Rump and S. Oishi
/// 2005). `a` may be some rows of a matrix, where other ranks have the others: `largest` is that of all of them.
template <class T>
BackwardError backward_error(const Csr<T>& a, std::span<const std::type_identity_t<T>> b,
                             std::span<const std::type_identity_t<T>> x, const MaxOverRanks& largest = {});

/// What came of a direct solve.
struct DirectSolution {
  int num_solves = 0;   // with the factors: the first, and one for each correction
  double rhs_norm = 0;  // |b|, and |b - A x| at the end, in the 2-norm
  double residual = 0;
  double relative = 0;            // that over |b|
  std::vector<double> history{};  // relative residuals, [0] at the start
  BackwardError backward{};
  /// A bound of the largest error of an entry of x over the largest entry, by |A^-1| times all that may be wrong
  /// (M. Arioli, J. W. Demmel and I. S. Duff 1989), estimated; 1 and more: no digit is safe.
  double forward = 0;
};

/// How far solve_direct goes.
struct DirectSolveOptions {
  int max_solves = 5;
  double tolerance = 0;  // |b - A x| <= tolerance |b| ends it; 0: as far as corrections shrink
};
/// Improves x, the start vector, by corrections A^-1 (b - A x) until they no longer shrink (J. H. Wilkinson 1963, R. D.
/// Skeel 1980); x is never left worse than it was. `inverse` is that of `a`, both on the host, or that of a shifted
/// `a`: then a singular system is solved, too, if it has solutions, and corrections go on while the residual falls.
template <class T>
DirectSolution solve_direct(Queue& queue, const Direct<T>& inverse, const Csr<T>& a,
                            std::span<const std::type_identity_t<T>> b, std::span<std::type_identity_t<T>> x,
                            const DirectSolveOptions& options = {});

}  // namespace millrace
