// What a physics keeps at every point, and the same in the order in which kernels of a GPU are given them.
#pragma once

#include "millrace/fem/element/data.hpp"
#include "millrace/fem/physics/point_kernel.hpp"

namespace millrace {

/// What the physics keeps at every point: [batches of num_lanes<T> elements, points, num_stored, lanes], the last batch
/// filled up with its last element.
/// An Error names an element whose map is degenerate or inverted at a point.
template <class T>
Array<T> store_factors(const Mesh& mesh, const CellBlock& block, const ElementMap& map, const PointKernel<T>& physics,
                       int num_threads);

/// [num_elem, num_stored, points]; empty where none are stored.
template <class T>
Array<T> factors_by_element(const ElementData<T>& data);

}  // namespace millrace
