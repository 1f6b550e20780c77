// expect: use of deleted function
// A solver as an operator whose preconditioner is gone at the end of the line.
#include "millrace/solve/inverse.hpp"

millrace::Inverse<double> undo(const millrace::Operator<double>& a, const millrace::Operator<double>& m) {
#ifdef MUST_NOT_COMPILE
  (void)m;
  return inverse(a, millrace::Identity<double>(a), {.tolerance = 1e-3});
#else
  return inverse(a, m, {.tolerance = 1e-3});
#endif
}
