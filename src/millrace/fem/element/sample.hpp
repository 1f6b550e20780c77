// Nodal fields of any order at the points of an operator's rule, a batch of elements at a time.
#pragma once

#include <functional>

#include "millrace/fem/element/batch.hpp"
#include "millrace/fem/space.hpp"

namespace millrace {

/// Fields as they lie in a vector of unknowns.
struct NodalLayout {
  int order = 1, comps = 1;
  std::int64_t comp_stride = 0;      // component c of node n is entry n + c * comp_stride
  std::span<const Index> offsets{};  // [num_elem, nodes]: number n of the node, or ~n

  static NodalLayout of(const Space& space, const SpaceBlock& block) {
    const Restriction& r = block.restriction;
    return {space.order, r.comps, r.comp_stride, r.offsets.span()};
  }
};

/// A basis of another order at the same points: by lines where a line has points enough, else with full tables (as a
/// `simplex`, whatever the cell).
ElementBasis basis_of_order(const ElementBasis& points, int order);

/// Receives elements first .. first + count - 1: value [comps, points, lanes], grad [comps, dim, points, lanes] with
/// respect to reference coordinates. The lanes after `count` repeat the last element.
template <class T>
using UseSample = std::function<void(Index first, int count, const T* value, const T* grad)>;

/// Calls `use` for every batch of elements, from several threads; `first` is a multiple of num_lanes<T>. `points` is a
/// basis of any order with the rule wanted.
template <class T>
void sample_fields(int num_threads, const ElementBasis& points, const NodalLayout& layout, const T* values,
                   const UseSample<T>& use);

/// The block of a space that has these cells of an operator: the one of their shape and number. An Error unless there
/// is one; `what` begins its text.
const SpaceBlock& find_block(const char* what, const Space& space, Cell cell, Index num_elem);

}  // namespace millrace
