// What the set-up does on a GPU, as the functions of these names do on host threads; declared in every build, defined
// in one with CUDA. All run in the order of the queue; those that return numbers wait for it.
#pragma once

#include <vector>

#include "millrace/precond/multigrid/fill_transfer.hpp"
#include "millrace/precond/multigrid/galerkin.hpp"
#include "millrace/precond/multigrid/narrow_view.hpp"
#include "millrace/precond/multigrid/prolongator.hpp"

namespace millrace::cuda {

namespace mg = millrace::multigrid;

/// Do several threads read a row together faster than one does alone?
template <class T>
bool has_long_rows(const Csr<T>& a) {
  return a.num_entries() > Offset{12} * a.num_rows;
}

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
                   const mg::RowPattern& transposed, const Array<Offset>& entries, const T* in_order,
                   const mg::RowPattern& coarse, mg::SavedPlaces& product_places, mg::SavedPlaces& coarse_places,
                   Csr<T>& out);

template <class W>
Csr<W> expand(Queue& queue, const mg::RowPattern& pattern, Index height, Index width);
template <class W>
void fill_transfer(Queue& queue, Offset num_nodes, Offset num_aggregates, Offset num_entries,
                   const mg::FillTransfer<W>& fill);

/// The diagonals that have entries, column - row, ascending; more than `most` of them: as many as there are, of any
/// value.
template <class W>
std::vector<Index> find_diagonals(Queue& queue, const Csr<W>& a, Offset most);

/// The pattern beside the diagonal.
template <class W>
void find_narrow_rows(Queue& queue, const Csr<W>& a, Array<Offset>& row_ptr, Array<Index>& cols);
/// The values of all rows; false: a number is not finite.
template <class W>
bool set_narrow(Queue& queue, const mg::NarrowRowsView<W>& to, const Csr<W>& a);
template <class W>
bool set_narrow(Queue& queue, const mg::NarrowDiagonalsView<W>& to, const Csr<W>& a);
/// y = alpha A x + beta y
template <class W>
void multiply_narrow(Queue& queue, const mg::NarrowRowsView<const W>& a, Offset num_rows, Offset num_entries, W alpha,
                     const W* x, W beta, W* y);
template <class W>
void multiply_narrow(Queue& queue, const mg::NarrowDiagonalsView<const W>& a, W alpha, const W* x, W beta, W* y);

bool all_finite(Queue& queue, const float* values, Offset n);

/// The inverse of a small matrix by Gauss-Jordan, as on the host. factors: [2, num_rows, num_rows], work: [num_rows],
/// used: [num_rows], in which unknowns that were left out are 0 afterwards. Returns how many these are.
template <class W>
Index invert(Queue& queue, const Csr<W>& a, double* factors, double* work, int* used, W* inverse);
/// x = inverse b
template <class W>
void apply_inverse(Queue& queue, Index num_rows, const W* inverse, const W* b, W* x);

}  // namespace millrace::cuda
