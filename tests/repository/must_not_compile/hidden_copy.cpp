// expect: use of deleted function
// A copy of an array that nobody sees.
#include "millrace/base/array.hpp"

millrace::Array<double> twin(const millrace::Array<double>& values) {
#ifdef MUST_NOT_COMPILE
  millrace::Array<double> copy = values;
#else
  millrace::Array<double> copy = values.clone();
#endif
  return copy;
}
