// A x = b for a matrix whose rows are on many ranks, of which nothing is known: as tune/solve.hpp has it for one rank.
#pragma once

#include "millrace/dist/matrix.hpp"
#include "millrace/tune/solve.hpp"

namespace millrace {

/// Solves A x = b on all ranks, each with the entries of its rows, which follow those of the rank before it; b and x
/// may hold several vectors. The format is that of `options`; of `how`, mode, format of the halo's columns and whether
/// bits are to be those of one rank.
/// Direct solvers, hypre's multigrid and orders of the whole matrix work on one rank: asked for by name they are
/// Unsupported on more, and "auto" skips them. Preconditioners but for Jacobi and polynomials are made on each rank
/// alone, which the report says. The work is done on the queue's device; b and x may be
/// on the host. For all ranks; the report is the same on all of them, but for seconds.
template <class T>
AutoReport solve(Queue& queue, const Comm& comm, GlobalRows<T> rows, std::type_identity_t<Vectors<const T>> b,
                 std::type_identity_t<Vectors<T>> x, const AutoOptions& options = {},
                 const DistributedOptions& how = {});

/// Refuses what cannot be done on so many ranks, or with the bits of one.
void check_options(const AutoOptions& options, int num_ranks, bool reproducible);

}  // namespace millrace
