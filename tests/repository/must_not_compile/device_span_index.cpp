// expect: no match for .operator\[\]
// An element of memory that may be a GPU's.
#include "millrace/base/array.hpp"

double first(const millrace::Array<double>& values) {
#ifdef MUST_NOT_COMPILE
  return values.device_span()[0];
#else
  return values.span()[0];
#endif
}
