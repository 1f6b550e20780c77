// Bounds of curved cells from their coefficients in Bernstein's basis (Farouki 2012).
#include "millrace/mesh/places/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/base/dense.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace::detail {
namespace {

double power(double x, int n) {
  double result = 1;
  for (int i = 0; i < n; ++i) result *= x;
  return result;
}

/// The inverse of Bernstein's functions (column) at the nodes of the lattice (row), of a line or a simplex.
std::vector<double> make_transform(Cell cell, int order) {
  const std::vector<Lattice> nodes = lattice(cell, order);
  const std::vector<Point> points = lattice_points(cell, order);
  const auto num = static_cast<Index>(nodes.size());
  std::vector<double> values(nodes.size() * nodes.size()), inverse(values.size());
  double factorial[max_geometry_order + 1] = {1};
  for (int i = 1; i <= order; ++i) factorial[i] = factorial[i - 1] * i;
  for (std::size_t row = 0; row < nodes.size(); ++row)
    for (std::size_t col = 0; col < nodes.size(); ++col) {
      const auto [i, j, k] = nodes[col];
      const Point& x = points[row];
      const int rest = order - i - j - k;
      values[row + col * nodes.size()] =
          factorial[order] / (factorial[i] * factorial[j] * factorial[k] * factorial[rest]) * power(x[0], i) *
          power(x[1], j) * power(x[2], k) * power(1 - x[0] - x[1] - x[2], rest);
    }
  std::vector<Index> pivots(nodes.size());
  dense::invert(dense::Block<double>(values.data(), num, num), inverse.data(), pivots.data());
  return inverse;
}

Point reference_middle(Cell cell) {
  const int dims = dim(cell);
  const double middle = is_tensor(cell) ? 0.5 : 1.0 / (dims + 1);
  return {middle, middle, dims == 3 ? middle : 0};
}

}  // namespace

double Bounds::distance_squared(const Point& x) const {
  double sum = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const double out = std::max({lower[d] - x[d], x[d] - upper[d], 0.0});
    sum += out * out;
  }
  return sum;
}

void Bounds::include(const Point& x) {
  for (std::size_t d = 0; d < 3; ++d) {
    lower[d] = std::min(lower[d], x[d]);
    upper[d] = std::max(upper[d], x[d]);
  }
}

void Bounds::include(const Bounds& other) {
  include(other.lower);
  include(other.upper);
}

Point Frame::reference(const Point& x, const Point& middle) const {
  Point xi = middle;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) xi[i] += inverse[i][j] * (x[j] - centre[j]);
  return xi;
}

Point Frame::reach() const {
  constexpr double most = 1e6;  // where the bounds hold everything
  Point far{};
  for (std::size_t d = 0; d < 3; ++d) far[d] = 2 + std::min(inside.upper[d] - inside.lower[d], most);
  return far;
}

CellBounds::CellBounds(Cell cell, int order)
    : cell_(cell),
      order_(order),
      dim_(dim(cell)),
      num_nodes_(millrace::num_nodes(cell, order)),
      middle_(reference_middle(cell)),
      map_(cell, order) {
  if (order > 1) transform_ = make_transform(is_tensor(cell) ? Cell::segment : cell, order);
}

void CellBounds::to_bernstein(const double* nodes, double* result) const {
  std::copy_n(nodes, num_nodes_ * dim_, result);
  if (order_ == 1) return;
  const int rows = is_tensor(cell_) ? order_ + 1 : num_nodes_, turns = is_tensor(cell_) ? dim_ : 1;
  double line[35];  // of the largest: a tet of order 4
  for (int turn = 0, stride = 1; turn < turns; ++turn, stride *= rows)
    for (int n = 0; n < num_nodes_; ++n) {
      if (n / stride % rows != 0) continue;  // n begins a line
      for (int d = 0; d < dim_; ++d) {
        for (int r = 0; r < rows; ++r) line[r] = result[(n + r * stride) * dim_ + d];
        for (int r = 0; r < rows; ++r) {
          double sum = 0;
          for (int c = 0; c < rows; ++c) sum += transform_[to_size(r + c * rows)] * line[c];
          result[(n + r * stride) * dim_ + d] = sum;
        }
      }
    }
}

void CellBounds::find(const double* nodes, double tolerance, double* work, Bounds& box, Frame& frame) const {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double rounding = 256 * std::numeric_limits<double>::epsilon();
  to_bernstein(nodes, work);
  const InverseMap::Here here = map_.at(nodes, middle_);
  frame.centre = here.x;
  const auto back = inverse(here.jacobian, dim_);
  frame.inverse = back.value_or(Jacobian{});
  box.lower = frame.inside.lower = {inf, inf, inf};
  box.upper = frame.inside.upper = {-inf, -inf, -inf};
  frame.scale = {};
  for (int n = 0; n < num_nodes_; ++n) {
    Point x{};
    std::copy_n(work + n * dim_, dim_, x.data());
    box.include(x);
    frame.inside.include(frame.reference(x, middle_));
    for (std::size_t d = 0; d < 3; ++d) frame.scale[d] = std::max(frame.scale[d], std::abs(x[d]));
  }
  // Outside by the tolerance, a polynomial of this order goes on as steeply as inside or a little more.
  const double beyond = 4 * order_ * dim_ * tolerance;
  for (std::size_t d = 0; d < 3; ++d) {
    const double more = beyond * (box.upper[d] - box.lower[d]) + rounding * frame.scale[d];
    box.lower[d] -= more;
    box.upper[d] += more;
    double in_reference = 0;  // rounding of coordinates
    for (std::size_t j = 0; j < 3; ++j) in_reference += std::abs(frame.inverse[d][j]) * frame.scale[j];
    const double wider =
        back ? beyond * (frame.inside.upper[d] - frame.inside.lower[d]) + rounding * (1 + in_reference) : inf;
    frame.inside.lower[d] -= wider;
    frame.inside.upper[d] += wider;
  }
}

}  // namespace millrace::detail
