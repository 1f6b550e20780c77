// Translations and rotations of points, as vectors with an unknown for each direction.
#include "millrace/base/error.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/amg.hpp"

namespace millrace {

std::vector<double> rigid_body_modes(std::span<const double> points, int dim) {
  require((dim == 2 || dim == 3) && std::ssize(points) % dim == 0, "rigid_body_modes: ", points.size(),
          " coordinates in ", dim, " dimensions; whole points in 2 or 3 are accepted");
  const std::int64_t n = std::ssize(points), num = dim == 2 ? 3 : 6;
  std::vector<double> modes(to_size(n * num), 0.0);
  std::vector<double> center(to_size(dim), 0.0);  // rotations about it are nearly orthogonal to translations
  for (std::int64_t i = 0; i < n; ++i) center[to_size(i % dim)] += points[to_size(i)] * dim / static_cast<double>(n);
  for (std::int64_t node = 0; node < n / dim; ++node) {
    const auto at = [&](std::int64_t mode, int direction) -> double& {
      return modes[to_size(mode * n + node * dim + direction)];
    };
    const auto x = [&](int d) { return points[to_size(node * dim + d)] - center[to_size(d)]; };
    for (int d = 0; d < dim; ++d) at(d, d) = 1;
    if (dim == 2) {
      at(2, 0) = -x(1), at(2, 1) = x(0);
      continue;
    }
    for (int axis = 0; axis < 3; ++axis) {
      const int one = (axis + 1) % 3, two = (axis + 2) % 3;
      at(3 + axis, one) = -x(two), at(3 + axis, two) = x(one);
    }
  }
  return modes;
}

}  // namespace millrace
