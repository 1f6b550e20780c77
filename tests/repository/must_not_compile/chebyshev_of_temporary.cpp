// expect: use of deleted function
// A polynomial in a matrix that is gone at the end of the line.
#include "millrace/solve/chebyshev.hpp"

millrace::ChebyshevPolynomial<double> smoother(const millrace::Identity<double>& a) {
#ifdef MUST_NOT_COMPILE
  return {millrace::Identity<double>(a), {1, 2}, 3};
#else
  return {a, {1, 2}, 3};
#endif
}
