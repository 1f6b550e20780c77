// expect: use of deleted function
// A polynomial whose preconditioner is gone at the end of the line.
#include "millrace/solve/chebyshev.hpp"

millrace::ChebyshevPolynomial<double> smoother(const millrace::Operator<double>& a,
                                               const millrace::Operator<double>& m) {
#ifdef MUST_NOT_COMPILE
  (void)m;
  return {a, millrace::Identity<double>(a), {1, 2}, 3};
#else
  return {a, m, {1, 2}, 3};
#endif
}
