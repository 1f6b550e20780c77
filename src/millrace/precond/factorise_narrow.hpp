// Incomplete factors of dense blocks in narrow numbers, made without a copy in wide ones: a row at a time is wide.
#pragma once

#include "millrace/precond/factorise.hpp"

namespace millrace::factor {

/// L, U and the inverse of D from the blocks of the matrix, each row in its own precision and rounded when it is done.
/// Later rows see what was stored, so that rounding of the factors they were made from is no error of theirs. The same
/// bits for any number of threads. `Stored`: float, Bfloat16, or complex numbers of them. An Error for a number beyond
/// the range of a float.
template <class T, class Stored>
Outcome factorise_narrow(int num_threads, const FactorPattern& pattern, const PivotRule& rule, const Dbf<T>& a,
                         Stored* values);

}  // namespace millrace::factor
