// Products of shape functions and their derivatives, with which values at points become the diagonal of an element.
#pragma once

#include <vector>

#include "millrace/fem/basis/element_basis.hpp"

namespace millrace {

/// Of a tensor basis, on a line: interp interp, interp grad, grad grad, each [Q, P]; direction k of the product of
/// slots a and b takes number (a == 1 + k) + (b == 1 + k). Of a simplex, for each pair of slots: [slots, slots, points,
/// nodes]. Slot 0 is the value, 1 + d the derivative along d.
template <class T>
std::vector<T> diagonal_tables(const ElementBasis& basis) {
  std::vector<T> tables;
  const auto add_product = [&](const double* a, const double* b, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) tables.push_back(static_cast<T>(a[i] * b[i]));
  };
  if (basis.tensor) {
    const std::vector<double>&interp = basis.tensor->interp, &grad = basis.tensor->grad;
    add_product(interp.data(), interp.data(), interp.size());
    add_product(interp.data(), grad.data(), interp.size());
    add_product(grad.data(), grad.data(), interp.size());
    return tables;
  }
  const SimplexBasis& all = *basis.simplex;
  const std::size_t size = all.interp.size();
  const auto function = [&](int slot) {
    return slot == 0 ? all.interp.data() : all.grad.data() + static_cast<std::size_t>(slot - 1) * size;
  };
  for (int a = 0; a <= basis.dim; ++a)
    for (int b = 0; b <= basis.dim; ++b) add_product(function(a), function(b), size);
  return tables;
}

}  // namespace millrace
