// expect: (no matching function|could not convert|conversion from|cannot convert|invalid conversion)
// A result that would be written into constant memory.
#include "millrace/base/operator.hpp"

void apply(millrace::Queue& queue, const millrace::Operator<double>& a, const millrace::Array<double>& x,
           const millrace::Array<double>& constant, millrace::Array<double>& y) {
#ifdef MUST_NOT_COMPILE
  a.apply(queue, {.x = x, .y = constant});
#else
  a.apply(queue, {.x = constant, .y = y});
  a.apply(queue, {.x = x, .y = y});
#endif
}
