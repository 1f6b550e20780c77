// What the set-up does on a GPU, as the functions of these names do on host threads; declared in every build, defined
// in one with CUDA. All run in the order of the queue; those that return numbers wait for it.
#pragma once

#include <vector>

#include "millrace/precond/multigrid/fill_transfer.hpp"
#include "millrace/precond/multigrid/galerkin.hpp"
#include "millrace/precond/multigrid/matrix_view.hpp"
#include "millrace/precond/multigrid/narrow_slices.hpp"
#include "millrace/precond/multigrid/narrow_view.hpp"
#include "millrace/precond/multigrid/product_places.hpp"
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
void make_prolongator(Queue& queue, const Csr<T>& a, mg::StrengthGraph& graph, const mg::Aggregates& aggregates,
                      mg::Smoothing smoothing, mg::Prolongator<T>& p);
template <class T>
void update_prolongator(Queue& queue, const Csr<T>& a, const mg::Diagonal<T>& diagonal,
                        const mg::Aggregates& aggregates, const mg::Tentative<T>& tentative, double omega,
                        mg::Prolongator<T>& p);

/// The transpose of a prolongator's pattern, and where the prolongator stores its entries.
void transpose(Queue& queue, const mg::RowPattern& pattern, mg::RowPattern& transposed, Array<Offset>& entries);
/// The coarse matrix of nodes of one unknown, columns and values at once; or, where it is there, its values. `room`:
/// entries of A P, which the first call finds. False: rows are too long.
template <class T>
bool sum_coarse(Queue& queue, const Csr<T>& a, const mg::Prolongator<T>& p, const mg::PatternView<T>& restriction,
                Offset& room, Csr<T>& coarse);
/// Where the products go for a coarse matrix that is there; none, if rows are long.
template <class T>
mg::ProductPlaces find_places(Queue& queue, const Csr<T>& a, const mg::RowPattern& p, const mg::RowPattern& transposed,
                              const Csr<T>& coarse);
/// Values by these places.
template <class T>
void add_coarse(Queue& queue, const Csr<T>& a, const mg::Prolongator<T>& p, const mg::PatternView<T>& restriction,
                const mg::ProductPlaces& places, Csr<T>& coarse);
/// The patterns of the other ones, as the members of a Galerkin product are called.
template <class T>
void find_patterns(Queue& queue, const Csr<T>& a, const mg::Prolongator<T>& p, const mg::RowPattern& transposed,
                   mg::RowPattern& product, mg::RowPattern& coarse);
/// Their values.
template <class T>
void update_coarse(Queue& queue, const Csr<T>& a, const mg::Prolongator<T>& p, const mg::RowPattern& product,
                   const mg::RowPattern& transposed, const Array<Offset>& entries, const mg::RowPattern& coarse,
                   Csr<T>& out);

template <class W>
Csr<W> expand(Queue& queue, const mg::RowPattern& pattern, Index height, Index width);
template <class W>
void fill_transfer(Queue& queue, Offset num_nodes, Offset num_aggregates, Offset num_entries,
                   const mg::FillTransfer<W>& fill);

/// The diagonals that have entries, column - row, ascending; of more than `most` of them: more than `most` numbers of
/// any value.
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
/// A x; `to` uses its rows.
template <class W, class To>
void multiply_narrow(Queue& queue, const mg::NarrowRowsView<const W>& a, Offset num_rows, Offset num_entries,
                     const W* x, const To& to);
/// x: a pointer, or a vector that is computed where it is read.
template <class W, class X, class To>
void multiply_narrow(Queue& queue, const mg::NarrowDiagonalsView<const W>& a, std::span<const Index> offsets,
                     const X& x, const To& to);

/// Entries of the longest row.
template <class T>
Index longest_row(Queue& queue, const Csr<T>& a);
/// Slices of a level's matrix, or of a pattern's rows, with values in order or at `entries`; their numbers of rows and
/// columns are there. set: values of slices that were made. False: a number is not finite.
template <class W>
bool make_slices(Queue& queue, const Csr<W>& a, mg::NarrowSlices<W>& to);
template <class W>
bool set_slices(Queue& queue, const Csr<W>& a, mg::NarrowSlices<W>& to);
template <class W>
bool make_slices(Queue& queue, const mg::RowPattern& pattern, const Offset* entries, const W* values,
                 mg::NarrowSlices<W>& to);
template <class W>
bool set_slices(Queue& queue, const mg::RowPattern& pattern, const Offset* entries, const W* values,
                mg::NarrowSlices<W>& to);
/// Rows of A x, used as `to` says.
template <class To, class W>
void multiply_slices(Queue& queue, const mg::NarrowSlices<W>& a, const W* x, const To& to);

/// Values at `entries`, in bfloat16; false: a number is not finite.
template <class W>
bool gather_narrow(Queue& queue, const Array<Offset>& entries, const W* values, Bfloat16* to);

/// The inverse of a small matrix by Gauss-Jordan, as on the host. factors: [2, num_rows, num_rows], work: [num_rows],
/// used: [num_rows], in which unknowns that were left out are 0 afterwards. Returns how many these are.
template <class W>
Index invert(Queue& queue, const Csr<W>& a, double* factors, double* work, int* used, W* inverse);
/// x = inverse b
template <class W>
void apply_inverse(Queue& queue, Index num_rows, const W* inverse, const W* b, W* x);

}  // namespace millrace::cuda
