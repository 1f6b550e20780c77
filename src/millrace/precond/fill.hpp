// Fill for incomplete factorisations: ILU(k) is ILU(0) of the same matrix with zeros stored where level k has entries.
#pragma once

#include "millrace/sparse/csr.hpp"

namespace millrace {

/// A with explicit zeros at the positions of its ILU(level) factors, and all of the diagonal. J. W. Watts (1981): an
/// entry has level 0, fill from entries of levels p and q has p + q + 1. Rows of A must be sorted, without repeats.
/// Throws an Error when that takes more than `max_entries`. Host only.
template <class T>
Csr<T> add_fill(const Csr<T>& a, int level, Offset max_entries = Offset{1} << 30);

}  // namespace millrace
