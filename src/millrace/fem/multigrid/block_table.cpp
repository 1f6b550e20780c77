// Makes the matrices of a line of elements, and their eigenvectors.
#include "millrace/fem/multigrid/block_table.hpp"

#include <cmath>

#include "millrace/base/to_size.hpp"
#include "millrace/fem/basis.hpp"
#include "millrace/solve/basis/small_eigen.hpp"

namespace millrace::multigrid {

LineBlock make_line_block(int order) {
  const Quadrature rule = gauss_lobatto(order + 1);
  const TensorBasis basis = make_tensor_basis(order, rule);
  const std::size_t P = to_size(order + 1);
  std::vector<double> a(P * P);
  LineBlock line{order + 1, std::vector<double>(P * P), {}, std::vector<double>(P), rule.weights};
  for (std::size_t i = 0; i < P; ++i)
    for (std::size_t j = 0; j < P; ++j)
      for (std::size_t q = 0; q < P; ++q)
        a[i * P + j] += rule.weights[q] * basis.grad[q * P + i] * basis.grad[q * P + j];
  // The neighbours add to the nodes at the ends.
  a[0] *= 2, a[P * P - 1] *= 2;
  line.mass[0] *= 2, line.mass[P - 1] *= 2;
  for (std::size_t i = 0; i < P; ++i) line.stiffness[i] = a[i * P + i];
  std::vector<double> scaled(P * P);
  for (std::size_t i = 0; i < P; ++i)
    for (std::size_t j = 0; j < P; ++j) scaled[i * P + j] = a[i * P + j] / std::sqrt(line.mass[i] * line.mass[j]);
  const auto eigen = detail::small_eigen<double>(order + 1, scaled);
  line.values = eigen.values;
  for (std::size_t k = 0; k < P; ++k)
    for (std::size_t i = 0; i < P; ++i) line.vectors[i * P + k] = eigen.vectors[k * P + i] / std::sqrt(line.mass[i]);
  return line;
}

}  // namespace millrace::multigrid
