// expect: deleted
// Constraints on an operator that would be gone after the line.
#include "millrace/solve/constrained_operator.hpp"
#include "millrace/solve/identity.hpp"

using namespace millrace;

void make(std::span<const Index> entries) {
#ifdef MUST_NOT_COMPILE
  const ConstrainedOperator<double> constrained(Identity<double>(3), entries);
#else
  const Identity<double> a(3);
  const ConstrainedOperator<double> constrained(a, entries);
#endif
}
