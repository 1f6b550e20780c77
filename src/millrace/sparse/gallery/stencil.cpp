// Rows of the stencils with variable coefficients.
#include "millrace/sparse/gallery/stencil.hpp"

#include <cstdlib>

#include "millrace/sparse/gallery/random.hpp"
#include "millrace/sparse/gallery/rows.hpp"

namespace millrace::gallery {
namespace {

struct StencilStep {
  int x, y, z;
};

std::vector<StencilStep> make_steps(Stencil stencil) {  // in the order of the columns
  std::vector<StencilStep> steps;
  const int depth = stencil.dimension == 3 ? 1 : 0;
  for (int z = -depth; z <= depth; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (stencil.corners || std::abs(x) + std::abs(y) + std::abs(z) <= 1) steps.push_back({x, y, z});
  return steps;
}

}  // namespace

Csr<double> make_stencil(const Values& values, const Progress& progress, Stencil stencil) {
  const auto side = [&](std::string_view key) {
    const std::int64_t own = values.integer(key);
    return own > 0 ? own : values.integer("n");
  };
  const std::int64_t nx = side("nx"), ny = side("ny"), nz = stencil.dimension == 3 ? side("nz") : 1;
  const Index num_rows =
      stencil.dimension == 3 ? checked_rows(values.name(), {nx, ny, nz}) : checked_rows(values.name(), {nx, ny});
  const std::vector<StencilStep> steps = make_steps(stencil);
  const Random random(values.seed(), 1);

  const auto is_inside = [=](std::int64_t x, std::int64_t y, std::int64_t z, StencilStep step) {
    return x + step.x >= 0 && x + step.x < nx && y + step.y >= 0 && y + step.y < ny && z + step.z >= 0 &&
           z + step.z < nz;
  };
  const auto length = [&](Index row) {
    const std::int64_t x = row % nx, y = row / nx % ny, z = row / nx / ny;
    std::int64_t count = 0;
    for (const StencilStep step : steps) count += is_inside(x, y, z, step) ? 1 : 0;
    return count;
  };
  const auto fill = [&](Index row, std::span<Index> cols, std::span<double> vals) {
    const std::int64_t x = row % nx, y = row / nx % ny, z = row / nx / ny;
    std::size_t k = 0, diagonal = 0;
    double sum = 0;
    for (const StencilStep step : steps) {
      if (!is_inside(x, y, z, step)) continue;
      const std::int64_t col = row + step.x + nx * (step.y + ny * step.z);
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
  return from_rows(num_rows, values.num_threads(), progress, length, fill);
}

}  // namespace millrace::gallery
