// A field to look at: a vector of unknowns with its space and mesh. Values at places, norms and integrals take one.
#pragma once

#include <functional>
#include <span>

#include "millrace/base/operator.hpp"
#include "millrace/fem/space.hpp"

namespace millrace {

/// A function of the place, for fields of one component. It may be called on several threads at once.
using ScalarFunction = std::function<double(const Point& x)>;
/// One with several values: components of a field, or its gradient [comps, dim].
using VectorFunction = std::function<void(const Point& x, std::span<double> values)>;

/// Unknowns of a space on a mesh with one or several blocks of cells, in double or float, on the host. Nothing is
/// copied: all three must outlive the view. A vector on a GPU is refused; bring it to the host first.
class FieldView {
 public:
  FieldView(const Mesh& mesh, const Space& space, Vectors<const double> unknowns);
  FieldView(const Mesh& mesh, const Space& space, Vectors<const float> unknowns);

  const Mesh& mesh() const { return *mesh_; }
  const Space& space() const { return *space_; }
  int comps() const { return space_->comps; }
  int dim() const { return space_->dim; }
  int num_blocks() const { return static_cast<int>(space_->blocks.size()); }
  /// The cells of a block, and the nodes that each of them has in the space.
  const CellBlock& cells(int block) const { return mesh_->blocks[static_cast<std::size_t>(block)]; }
  int nodes(int block) const { return space_->blocks[static_cast<std::size_t>(block)].restriction.nodes; }

  /// The unknowns of one cell of a block: [comps, nodes].
  void gather(int block, Index cell, double* unknowns) const;

 private:
  FieldView(const Mesh& mesh, const Space& space, Device device, std::int64_t size, int num);

  const Mesh* mesh_;
  const Space* space_;
  const double* doubles_ = nullptr;  // one of both
  const float* floats_ = nullptr;
};

}  // namespace millrace
