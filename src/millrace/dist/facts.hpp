// What can be seen of a matrix whose rows are on many ranks.
#pragma once

#include "millrace/dist/halo_columns.hpp"
#include "millrace/dist/matrix_split.hpp"
#include "millrace/precond/equilibrate.hpp"
#include "millrace/tune/choose_format.hpp"
#include "millrace/tune/plan_solve.hpp"

namespace millrace {

/// The ranks, as equilibration and backward errors ask for them. `columns` must live longer than the result.
OtherRanks other_ranks(const Comm& comm, HaloColumns& columns);

/// How far A is from A^H over all ranks; also whether it has the pattern of its transpose, and values alike.
struct SymmetryOverRanks {
  double asymmetry = 1;      // |A - A^H| over |A|, as square roots of sums of squares
  double pattern_share = 0;  // of the entries off the diagonal: those with a partner
  bool pattern = false, numerical = false, hermitian = false;
};
/// Rows must be sorted. Entries whose column another rank has travel there, once. For all ranks.
template <class T>
SymmetryOverRanks find_symmetry(const Comm& comm, const HaloRows<T>& a);

/// As system_facts of one rank has them, but for the forecast of factors. Rows must be sorted. For all ranks.
template <class T>
SystemFacts system_facts(const Comm& comm, const HaloRows<T>& a);

/// The format that the rank with most entries would choose for the columns of its own rows. For all ranks.
template <class T>
FormatChoice choose_format(const Comm& comm, const HaloRows<T>& a, Device device);

}  // namespace millrace
