// expect: (no matching function|could not convert|conversion from|cannot convert)
// A DeviceSpan where a function reads host memory.
#include "millrace/base/array.hpp"

double sum(std::span<const double> values);

double use(const millrace::Array<double>& values) {
#ifdef MUST_NOT_COMPILE
  return sum(values.device_span());
#else
  return sum(values.span());
#endif
}
