// expect: use of deleted function
// A solver as an operator whose matrix is gone at the end of the line.
#include "millrace/solve/inverse.hpp"

millrace::Inverse<double> undo(const millrace::Identity<double>& a) {
#ifdef MUST_NOT_COMPILE
  return inverse(millrace::Identity<double>(a));
#else
  return inverse(a);
#endif
}
