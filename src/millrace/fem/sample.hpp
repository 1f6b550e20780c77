// Fields of finite elements as plain arrays for files, and as functions on cells for pictures.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "millrace/fem/space.hpp"
#include "millrace/mesh/cell_samples.hpp"

namespace millrace {

/// A field that is to be sampled: a space on the mesh and its vector of unknowns.
struct FieldToSample {
  std::string name;
  const Space* space = nullptr;
  std::span<const double> values;  // [comps, num_nodes]: component c of node n is entry n + c * num_nodes
  bool vector = false;             // a direction in the plane or in space: VTK's filters then take it as one
};

/// Places, values and physical groups at the equispaced lattice of one order in all cells; each shared point is there
/// once. The order is the largest of the fields and of the geometry, so that curved cells and all fields keep their
/// polynomials; another one (1 to 8 for simplices, to 16 for tensor cells) can be asked for, and a lower one
/// interpolates.
CellSamples sample(const Mesh& mesh, const std::vector<FieldToSample>& fields, int order = 0);

/// One component of a field as a function of a cell and a place in its reference cell, for pictures. It keeps what it
/// needs, may be called from several threads, and costs a few operations for each node of the cell.
std::function<double(Index cell, const Point& at)> cell_function(const Space& space, std::span<const double> values,
                                                                 int component = 0);

/// The same for the magnitude of all components together.
std::function<double(Index cell, const Point& at)> cell_magnitude(const Space& space, std::span<const double> values);

}  // namespace millrace
