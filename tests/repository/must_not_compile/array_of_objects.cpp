// expect: static assertion failed
// Elements that a copy of bytes would break.
#include <string>

#include "millrace/base/array.hpp"

#ifdef MUST_NOT_COMPILE
using Element = std::string;
#else
using Element = double;
#endif
millrace::Array<Element> values;
