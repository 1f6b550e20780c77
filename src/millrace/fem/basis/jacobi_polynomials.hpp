// Jacobi polynomials P_n^(a,b) on [-1, 1]: what Gauss rules and orthogonal bases on simplices are made of.
// In long double, so that what is rounded to double at the end is right to the last bit or nearly so.
#pragma once

#include <vector>

namespace millrace {

using LongReal = long double;  // of the tables only; nothing of it is kept

struct JacobiValue {
  LongReal value, derivative;
};

/// P_n^(a,b)(t) and its derivative; a, b >= 0 whole numbers (three-term recurrence).
JacobiValue jacobi(int n, int a, int b, LongReal t);

/// Its n zeros, ascending; Newton's method from Chebyshev points with the zeros already found divided out.
std::vector<LongReal> jacobi_zeros(int n, int a, int b);

}  // namespace millrace
