// Rows of the stencils.
#include "millrace/sparse/gallery/stencil.hpp"

#include <cstdlib>

#include "millrace/sparse/gallery/random.hpp"
#include "millrace/sparse/gallery/rows.hpp"

namespace millrace::gallery {

StencilGrid::StencilGrid(const Values& values, Stencil stencil) {
  const auto side = [&](std::string_view key) {
    const std::int64_t own = values.integer(key);
    return own > 0 ? own : values.integer("n");
  };
  sides_ = {side("nx"), side("ny"), stencil.dimension == 3 ? side("nz") : 1};
  num_rows_ = stencil.dimension == 3 ? checked_rows(values.name(), {sides_.x, sides_.y, sides_.z})
                                     : checked_rows(values.name(), {sides_.x, sides_.y});
  const int depth = stencil.dimension == 3 ? 1 : 0;
  for (int z = -depth; z <= depth; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (stencil.corners || std::abs(x) + std::abs(y) + std::abs(z) <= 1) steps_.push_back({x, y, z});
  values.require_memory(num_rows_, static_cast<double>(num_rows_) * static_cast<double>(steps_.size()));
}

std::int64_t StencilGrid::row_length(Index row) const {
  const GridPoint here = point(row);
  std::int64_t count = 0;
  for (const StencilStep step : steps_) count += is_inside(here, step) ? 1 : 0;
  return count;
}

Csr<double> make_stencil(const Values& values, const Progress& progress, Stencil stencil) {
  const StencilGrid grid(values, stencil);
  const Random random(values.seed(), 1);
  const auto fill = [&](Index row, std::span<Index> cols, std::span<double> vals) {
    const GridPoint here = grid.point(row);
    std::size_t k = 0, diagonal = 0;
    double sum = 0;
    for (const StencilStep step : grid.steps()) {
      if (!grid.is_inside(here, step)) continue;
      const std::int64_t col = grid.column(row, step);
      cols[k] = static_cast<Index>(col);
      if (col == row) {
        diagonal = k++;
        continue;
      }
      const double size = 1 + random.symmetric_unit(row, col) / 4;
      vals[k++] = -size;
      sum += size;
    }
    vals[diagonal] = sum + 0.01;
  };
  return from_rows(
      grid.num_rows(), values, progress, [&](Index row) { return grid.row_length(row); }, fill);
}

Csr<double> make_laplace(const Values& values, const Progress& progress, Stencil stencil) {
  const StencilGrid grid(values, stencil);
  constexpr int blocks = 8;  // along each side
  const double contrast = values.real("contrast"), anisotropy = values.real("anisotropy");
  const double mean = 2 * contrast / (1 + contrast);
  // [along the last direction, high coefficients among the two]: rounded once, here, so that sums of them are the same
  // on every machine
  const double sizes[2][3] = {{1, mean, contrast}, {anisotropy, anisotropy * mean, anisotropy * contrast}};
  const auto is_high = [&](const GridPoint& p) {
    const GridPoint& sides = grid.sides();
    const std::int64_t sum = p.x * blocks / sides.x + p.y * blocks / sides.y + p.z * blocks / sides.z;
    return static_cast<int>(sum % 2);
  };
  const auto fill = [&](Index row, std::span<Index> cols, std::span<double> vals) {
    const GridPoint here = grid.point(row);
    const int high = is_high(here);
    std::size_t k = 0, diagonal = 0;
    double sum = 0;
    for (const StencilStep step : grid.steps()) {
      const bool inside = grid.is_inside(here, step);
      if (inside) cols[k] = static_cast<Index>(grid.column(row, step));
      if (step.stays()) {
        diagonal = k++;
        continue;
      }
      const int there = inside ? is_high({here.x + step.x, here.y + step.y, here.z + step.z}) : high;
      const int last = stencil.dimension == 3 ? step.z != 0 : step.y != 0;
      const double size = sizes[last][high + there];
      if (inside) vals[k++] = -size;
      sum += size;
    }
    vals[diagonal] = sum;
  };
  return from_rows(
      grid.num_rows(), values, progress, [&](Index row) { return grid.row_length(row); }, fill);
}

}  // namespace millrace::gallery
