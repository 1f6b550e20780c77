// expect: use of deleted function
// The same through the class itself.
#include "millrace/solve/inverse.hpp"

millrace::Inverse<double> undo(const millrace::Operator<double>& a, const millrace::Operator<double>& m) {
#ifdef MUST_NOT_COMPILE
  (void)m;
  return millrace::Inverse<double>(a, millrace::Identity<double>(a), {}, millrace::cg<double>);
#else
  return millrace::Inverse<double>(a, m, {}, millrace::cg<double>);
#endif
}
