// Incomplete factors of dense blocks in float, made without a copy in double: a row at a time is in double.
#pragma once

#include "millrace/precond/factorise.hpp"

namespace millrace::factor {

/// L, U and the inverse of D from the blocks of the matrix: each row in its own precision, then rounded. Later rows see
/// what was stored, with errors of 1e-7; those of bfloat16 would add up (NACA0012 at order 3: 300 iterations in place
/// of 10). The same bits for any number of threads. `Stored`: float, or complex numbers of it. An Error for a number
/// beyond its range.
template <class T, class Stored>
Outcome factorise_narrow(int num_threads, const FactorPattern& pattern, const PivotRule& rule, const Dbf<T>& a,
                         Stored* values);

}  // namespace millrace::factor
