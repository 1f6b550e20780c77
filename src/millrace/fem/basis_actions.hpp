// The actions of a basis, one function each: from element vectors [num_elem, comps, nodes] to point vectors
// [num_elem, comps, points], gradients [num_elem, comps, dim, points], and back by the transposes. On the host plain
// code for any order and rule: what faster kernels are tested against, and the way for sizes that they do not have. On
// a GPU a kernel each for tensor bases on hexes, of order 1 to 8 with order + 1 or order + 2 points per direction, and
// products of tables with many columns (gemm.hpp) for simplices of any order and rule.
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/base/queue.hpp"
#include "millrace/fem/basis.hpp"

namespace millrace {

/// A tensor basis on a line, a quad or a hex. Nodes and points of the cell: x fastest.
struct TensorProduct {
  const TensorBasis& basis;
  int dim;  // 1 to 3

  int num_nodes() const { return power(basis.num_nodes()); }
  int num_points() const { return power(basis.num_points); }

 private:
  int power(int n) const { return n * (dim > 1 ? n : 1) * (dim > 2 ? n : 1); }
};

/// Several fields on elements, and how they lie.
struct ElementFields {
  std::int64_t num_elem = 0;
  int comps = 1;
};

/// What happens to the result of an action.
enum class Write { set, add };  // y = .. , where y is never read, or y += ..

// Basis is a TensorProduct (by sum factorisation) or a SimplexBasis (by products with the full tables); T is float or
// double: interp<double>(queue, TensorProduct{basis, 3}, {num_elem}, u, v).

/// v = B u: values at the points.
template <class T, class Basis>
void interp(Queue& queue, const Basis& basis, ElementFields fields, Vectors<const T> u, Vectors<T> v,
            Write write = Write::set);
/// u = B^T v.
template <class T, class Basis>
void interp_transpose(Queue& queue, const Basis& basis, ElementFields fields, Vectors<const T> v, Vectors<T> u,
                      Write write = Write::set);
/// v = G u: reference gradients at the points, direction after direction.
template <class T, class Basis>
void grad(Queue& queue, const Basis& basis, ElementFields fields, Vectors<const T> u, Vectors<T> v,
          Write write = Write::set);
/// u = G^T v, summed over the directions.
template <class T, class Basis>
void grad_transpose(Queue& queue, const Basis& basis, ElementFields fields, Vectors<const T> v, Vectors<T> u,
                    Write write = Write::set);
/// w = the weights of the rule, the same for every element: [num_elem, points].
template <class T, class Basis>
void weight(Queue& queue, const Basis& basis, std::int64_t num_elem, Vectors<T> w);

}  // namespace millrace
