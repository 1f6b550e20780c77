// Values and derivatives of Lagrange polynomials from products over the nodes before and after (prefixes, suffixes).
#include "millrace/fem/basis/lagrange.hpp"

#include "millrace/base/error.hpp"
#include "millrace/fem/basis/jacobi_polynomials.hpp"

namespace millrace {

Lagrange::Lagrange(std::span<const double> at) : nodes(at.begin(), at.end()), weights(at.size(), 1) {
  require(!nodes.empty(), "lagrange: no nodes were given");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    LongReal product = 1;
    for (std::size_t j = 0; j < nodes.size(); ++j)
      if (j != i) product *= static_cast<LongReal>(nodes[i]) - nodes[j];
    require(product != 0, "lagrange: node ", i, ", at ", nodes[i], ", was given twice; nodes must be distinct");
    weights[i] = 1 / product;
  }
}

void Lagrange::evaluate(double x, std::span<double> values, std::span<double> derivatives) const {
  const std::size_t n = nodes.size();
  require((values.empty() || values.size() == n) && (derivatives.empty() || derivatives.size() == n), "lagrange: ", n,
          " nodes give ", n, " numbers; room for ", values.size(), " values and ", derivatives.size(),
          " derivatives was given");
  std::vector<JacobiValue> before(n);  // prod_(j < i) (x - x_j) and its derivative
  JacobiValue product{1, 0};
  const auto multiply = [&](std::size_t i) {
    const LongReal factor = static_cast<LongReal>(x) - nodes[i];
    product = {product.value * factor, product.derivative * factor + product.value};
  };
  for (std::size_t i = 0; i < n; ++i) {
    before[i] = product;
    multiply(i);
  }
  product = {1, 0};  // from here on prod_(j > i)
  for (std::size_t i = n; i-- > 0;) {
    if (!values.empty()) values[i] = static_cast<double>(weights[i] * before[i].value * product.value);
    if (!derivatives.empty())
      derivatives[i] = static_cast<double>(
          weights[i] * (before[i].derivative * product.value + before[i].value * product.derivative));
    multiply(i);
  }
}

std::vector<double> equispaced(int order) {
  require(order >= 0, "equispaced: order ", order, " was asked for; 0 and more are possible");
  if (order == 0) return {0.5};
  std::vector<double> nodes(static_cast<std::size_t>(order) + 1);
  for (int i = 0; i <= order; ++i) nodes[static_cast<std::size_t>(i)] = static_cast<double>(i) / order;
  return nodes;
}

LagrangeTable tabulate_lagrange(std::span<const double> nodes, std::span<const double> points) {
  const Lagrange lagrange(nodes);
  const std::size_t n = nodes.size();
  LagrangeTable table{std::vector<double>(points.size() * n), std::vector<double>(points.size() * n)};
  for (std::size_t q = 0; q < points.size(); ++q)
    lagrange.evaluate(points[q], std::span(table.values).subspan(q * n, n),
                      std::span(table.derivatives).subspan(q * n, n));
  return table;
}

}  // namespace millrace
