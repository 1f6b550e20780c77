// Values and gradients of a field at places, and interpolation: of functions, between spaces, between meshes.
#pragma once

#include <vector>

#include "millrace/fem/field_view.hpp"
#include "millrace/mesh/locate.hpp"

namespace millrace {

/// A field at some places.
struct PlaceValues {
  int comps = 1, dim = 3;
  std::vector<double> values;     // [places, comps]; NaN at places outside that were skipped
  std::vector<double> gradients;  // [places, comps, dim]: in space; empty unless asked for
};

/// What evaluate gives.
struct EvaluateOptions {
  bool gradients = false;
  Outside outside = Outside::refuse;  // of places, by a CellFinder
};

/// The field at points of cells: the polynomial of the cell that is named, which matters for gradients on faces.
PlaceValues evaluate(Queue& queue, const FieldView& field, std::span<const Location> at,
                     const EvaluateOptions& options = {});
/// The field at places, in the cells where the finder, which is of the field's mesh, finds them.
PlaceValues evaluate(Queue& queue, const FieldView& field, const CellFinder& finder, std::span<const Point> places,
                     const EvaluateOptions& options = {});

/// The unknowns of the polynomials that equal a function at the nodes of a space. T is float or double.
template <class T = double>
std::vector<T> interpolate(Queue& queue, const Space& space, const ScalarFunction& f);
/// All components at once.
template <class T = double>
std::vector<T> interpolate(Queue& queue, const Space& space, const VectorFunction& f);

/// A field in another space on the same mesh; to a higher order nothing of it is lost.
template <class T = double>
std::vector<T> interpolate(Queue& queue, const FieldView& from, const Space& to);
/// A field in a space on another mesh: its values at the nodes there. The finder is of the field's mesh.
template <class T = double>
std::vector<T> interpolate(Queue& queue, const FieldView& from, const CellFinder& finder, const Space& to,
                           Outside outside = Outside::refuse);

}  // namespace millrace
