// expect: use of deleted function
// A matrix in arrays that are gone at the end of the line.
#include "millrace/sparse/assemble.hpp"

millrace::Csr<double> use(const std::vector<std::int32_t>& row_ptr, const std::vector<millrace::Index>& cols,
                          const std::vector<double>& vals) {
#ifdef MUST_NOT_COMPILE
  return millrace::wrap_csr(1, 1, row_ptr, cols, std::vector<double>(vals));
#else
  return millrace::wrap_csr(1, 1, row_ptr, cols, vals);
#endif
}
