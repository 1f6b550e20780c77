// What the set-up does on a GPU, as the functions of these names do on host threads; declared in every build, defined
// in one with CUDA. All run in the order of the queue; those that return numbers wait for it.
#pragma once

#include "millrace/precond/multigrid/fill_transfer.hpp"
#include "millrace/precond/multigrid/prolongator.hpp"

namespace millrace::cuda {

namespace mg = millrace::multigrid;

template <class T>
std::uint64_t pattern_hash(Queue& queue, const Csr<T>& a);

/// The first row with a number that is not finite, or num_rows.
template <class T>
Index update_diagonal(Queue& queue, const Csr<T>& a, mg::Diagonal<T>& diagonal);

/// Fills the graph; theta in steps.
template <class T>
void find_strong(Queue& queue, const Csr<T>& a, const mg::Diagonal<T>& diagonal, Index block, std::uint16_t theta,
                 mg::StrengthGraph& graph);

mg::Aggregates make_aggregates(Queue& queue, const mg::StrengthGraph& graph);

/// Fills the values, zeros before, and the coarse vectors.
template <class T>
void orthonormalise(Queue& queue, const mg::Aggregates& aggregates, const mg::NearNull<T>& near_null,
                    mg::Tentative<T>& made);

/// The pattern, and which entries of A are weak; its block and num are there.
template <class T>
void make_prolongator(Queue& queue, const Csr<T>& a, const mg::StrengthGraph& graph, const mg::Aggregates& aggregates,
                      mg::Smoothing smoothing, mg::Prolongator<T>& p);
template <class T>
void update_prolongator(Queue& queue, const Csr<T>& a, const mg::Diagonal<T>& diagonal,
                        const mg::Aggregates& aggregates, const mg::Tentative<T>& tentative, double omega,
                        mg::Prolongator<T>& p);

/// The patterns of a Galerkin product, as its members are called.
template <class T>
void find_patterns(Queue& queue, const Csr<T>& a, const mg::Prolongator<T>& p, mg::RowPattern& product,
                   mg::RowPattern& transposed, Array<Offset>& entries, mg::RowPattern& coarse);
/// Its values.
template <class T>
void update_coarse(Queue& queue, const Csr<T>& a, const mg::Prolongator<T>& p, const mg::RowPattern& product,
                   const mg::RowPattern& transposed, const Array<Offset>& entries, const mg::RowPattern& coarse,
                   Csr<T>& out);

template <class W>
Csr<W> expand(Queue& queue, const mg::RowPattern& pattern, Index height, Index width);
template <class W>
void fill_transfer(Queue& queue, Offset num_nodes, Offset num_aggregates, Offset num_entries,
                   const mg::FillTransfer<W>& fill);

/// The diagonals that have entries.
template <class W>
Offset count_diagonals(Queue& queue, const Csr<W>& a);
bool all_finite(Queue& queue, const float* values, Offset n);

/// The inverse of a small matrix by Gauss-Jordan, as on the host. factors: [2, num_rows, num_rows], work: [num_rows],
/// used: [num_rows], in which unknowns that were left out are 0 afterwards. Returns how many these are.
template <class W>
Index invert(Queue& queue, const Csr<W>& a, double* factors, double* work, int* used, W* inverse);
/// x = inverse b
template <class W>
void apply_inverse(Queue& queue, Index num_rows, const W* inverse, const W* b, W* x);

}  // namespace millrace::cuda
