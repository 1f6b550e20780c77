// expect: deleted
// A sum of three operators, the last of which would be gone after the line.
#include "millrace/solve/identity.hpp"
#include "millrace/solve/sum_operator.hpp"

using namespace millrace;

void make(const Operator<double>& a, const Operator<double>& b) {
#ifdef MUST_NOT_COMPILE
  const SumOperator<double> sum(a, b, Identity<double>(3));
#else
  const Identity<double> c(3);
  const SumOperator<double> sum(a, b, c);
#endif
}
