// expect: use of deleted function
// A preconditioner that may refer to a matrix which is gone at the end of the line.
#include "millrace/precond/by_name.hpp"

millrace::Preconditioner<double> use(millrace::Queue& queue, const millrace::Csr<double>& csr,
                                     const millrace::SparseMatrix<double>& a) {
#ifdef MUST_NOT_COMPILE
  (void)a;
  return make_preconditioner(queue, "chebyshev", csr, millrace::SparseMatrix<double>(csr, "csr"));
#else
  return make_preconditioner(queue, "chebyshev", csr, a);
#endif
}
