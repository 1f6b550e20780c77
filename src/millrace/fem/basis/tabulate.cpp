// Tables of shape functions: products of tables of a line for tensor cells, a Vandermonde matrix for simplices.
#include "millrace/fem/basis/tabulate.hpp"

#include <array>

#include "millrace/base/error.hpp"
#include "millrace/fem/basis/lagrange.hpp"
#include "millrace/fem/basis/simplex_nodes.hpp"
#include "millrace/fem/basis/simplex_polynomials.hpp"
#include "millrace/fem/quadrature.hpp"

namespace millrace {
namespace {

std::vector<double> line_nodes(int order, NodeKind kind) {
  constexpr int max_order = 16;
  require(1 <= order && order <= max_order, "reference_nodes: order ", order, " was asked for; 1 to ", max_order,
          " are possible");
  return kind == NodeKind::equispaced ? equispaced(order) : gauss_lobatto(order + 1).points;
}

NodeTable tabulate_tensor(Cell cell, int order, NodeKind kind, std::span<const double> points) {
  const auto d = static_cast<std::size_t>(dim(cell)), n = points.size() / d;
  const Lagrange line(line_nodes(order, kind));
  const std::vector<Lattice> nodes = lattice(cell, order);
  NodeTable table{static_cast<int>(n), static_cast<int>(nodes.size()), std::vector<double>(n * nodes.size()),
                  std::vector<double>(d * n * nodes.size())};
  std::array<std::vector<double>, 3> value, slope;  // of the shape functions of a line, at each coordinate
  for (std::size_t c = 0; c < d; ++c) {
    value[c].resize(line.nodes.size());
    slope[c].resize(line.nodes.size());
  }
  for (std::size_t q = 0; q < n; ++q) {
    for (std::size_t c = 0; c < d; ++c) line.evaluate(points[q * d + c], value[c], slope[c]);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto at = [&](const auto& of_line, std::size_t c) {
        return of_line[c][static_cast<std::size_t>(nodes[i][c])];
      };
      double product = 1;
      for (std::size_t c = 0; c < d; ++c) product *= at(value, c);
      table.values[q * nodes.size() + i] = product;
      for (std::size_t along = 0; along < d; ++along) {
        product = 1;
        for (std::size_t c = 0; c < d; ++c) product *= c == along ? at(slope, c) : at(value, c);
        table.gradients[(along * n + q) * nodes.size() + i] = product;
      }
    }
  }
  return table;
}

}  // namespace

std::vector<double> reference_nodes(Cell cell, int order, NodeKind kind) {
  if (!is_tensor(cell))
    return kind == NodeKind::equispaced ? equispaced_simplex_nodes(dim(cell), order) : simplex_nodes(dim(cell), order);
  const std::vector<double> line = line_nodes(order, kind);
  std::vector<double> nodes;
  for (const Lattice& at : lattice(cell, order))
    for (std::size_t d = 0; d < static_cast<std::size_t>(dim(cell)); ++d)
      nodes.push_back(line[static_cast<std::size_t>(at[d])]);
  return nodes;
}

NodeTable tabulate_nodes(Cell cell, int order, NodeKind kind, std::span<const double> points) {
  require(points.size() % static_cast<std::size_t>(dim(cell)) == 0, "tabulate_nodes: points of a ", name(cell),
          " have ", dim(cell), " coordinates; ", points.size(), " numbers were given");
  if (is_tensor(cell)) return tabulate_tensor(cell, order, kind, points);
  SimplexTable table = tabulate_simplex(dim(cell), order, reference_nodes(cell, order, kind), points);
  return {static_cast<int>(points.size()) / dim(cell), num_nodes(cell, order), std::move(table.values),
          std::move(table.gradients)};
}

}  // namespace millrace
