// Fields of a solution by the names that its equation gives them (mach, pressure, u): as functions inside the cells for
// pictures, and as plain arrays for files.
#pragma once

#include <functional>
#include <string_view>

#include "millrace/hdg/local_solver.hpp"
#include "millrace/mesh/cell_samples.hpp"

namespace millrace::hdg {

/// A field as a function of a cell and a place in its reference cell: u and q are evaluated there as the polynomials
/// that they are. It keeps what it needs, may be called from several threads, and costs a few operations for each
/// number of u and q in the cell. An Error lists the fields where there is none of that name.
std::function<double(Index cell, const Point& at)> cell_function(const LocalSolver& solver, const State& state,
                                                                 std::string_view field);

/// All fields, and places and physical groups, at the equispaced lattice of one order in all cells. Fields jump between
/// cells, so every cell has points of its own. The order is that of the solution or of the geometry, whichever is
/// higher, or another one, 1 to 8, that is asked for. Components of a vector become one field.
CellSamples sample(const LocalSolver& solver, const State& state, int order = 0);

}  // namespace millrace::hdg
