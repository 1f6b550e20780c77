// The maps of all elements at the points of a rule, as a kernel of a GPU reads them. Plain pointers: NVRTC knows them
// too.
#pragma once

#include "millrace/base/scalar.hpp"

namespace millrace {

struct PointMap {
  Index num_elem;
  int num_nodes, num_points;   // of an element
  const Index* cell_nodes;     // [num_elem, num_nodes]
  const double* points;        // [points of the mesh, dim]
  const double* values;        // [num_nodes, num_points]
  const double* grads;         // [dim, num_nodes, num_points]
  const double* weights;       // [num_points]
  const std::int32_t* groups;  // [num_elem], physical groups
};

}  // namespace millrace
