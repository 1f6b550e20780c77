// Files of VTK (.vtu, XML with the arrays appended as they lie in memory): cells of any order, straight or curved, with
// fields, for ParaView and other programs that read VTK's files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "millrace/base/scalar.hpp"
#include "millrace/mesh/cell_samples.hpp"
#include "millrace/mesh/shape.hpp"

namespace millrace {

/// Cells of one kind and order.
struct VtuBlock {
  Cell cell = Cell::segment;
  int order = 1;                 // of geometry and fields alike: VTK's cells have one
  std::span<const Index> nodes;  // [num_cells, num_nodes(cell, order)]: numbers of points, as shape.hpp numbers them
};

/// Values of one name, at points or of cells.
struct VtuField {
  /// [num_points or num_cells, comps]
  using Values = std::variant<std::span<const double>, std::span<const float>, std::span<const std::int32_t>>;

  std::string name;
  int comps = 1;  // 1 to 9
  Values values;
  bool vector = false;  // with 2 components: written with a third, 0, as VTK's filters want vectors
};

/// What a file shows. The arrays are the caller's.
struct VtuData {
  int dim = 3;                       // coordinates of a point, 1 to 3; VTK's points have 3, the others are 0
  std::span<const double> points{};  // [num_points, dim]
  std::vector<VtuBlock> blocks{};
  std::vector<VtuField> point_fields{};
  std::vector<VtuField> cell_fields{};  // cells are counted over the blocks in their order
};

/// How a file is written.
struct VtuOptions {
  /// Every cell of order k as k^dim linear cells over the same points, for programs that know no Lagrange cells. Their
  /// values are those of the cell.
  bool linear_pieces = false;
};

/// Writes the file at once or not at all. Lagrange cells have orders 1 to 10, linear pieces any. Fields may hold NaN.
void write_vtu(const std::filesystem::path& path, const VtuData& data, const VtuOptions& options = {});

/// The same of samples, with their physical groups as the cell field "group".
void write_vtu(const std::filesystem::path& path, const CellSamples& samples, const VtuOptions& options = {});

}  // namespace millrace
