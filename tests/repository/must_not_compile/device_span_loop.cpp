// expect: (begin|end).*(not declared|no member|was not declared)
// A host loop over memory that may be a GPU's.
#include "millrace/base/array.hpp"

double sum(const millrace::Array<double>& values) {
  double total = 0;
#ifdef MUST_NOT_COMPILE
  for (double value : values.device_span()) total += value;
#else
  for (double value : values.span()) total += value;
#endif
  return total;
}
