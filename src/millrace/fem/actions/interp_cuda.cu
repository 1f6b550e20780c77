// Values at the points from those at the nodes, and back, on a GPU.
#include <cmath>
#include <limits>

#include "millrace/fem/actions/basis_actions_cuda.hpp"
#include "millrace/fem/actions/tensor_actions_cuda.cuh"

namespace millrace::cuda {

void check_tensor_product(const char* who, const TensorProduct& basis) {
  const auto& points = basis.basis.points;
  bool symmetric = true;
  for (std::size_t i = 0, j = points.size(); i < j--; ++i)
    symmetric = symmetric && std::abs(points[i] + points[j] - 1) <= 2 * std::numeric_limits<double>::epsilon();
  const int order = basis.basis.order, num = basis.basis.num_points;
  require<Unsupported>(basis.dim == 3 && order <= 8 && (num == order + 1 || num == order + 2) && symmetric, who,
                       " on a GPU: a basis of dimension ", basis.dim, ", order ", order, ", with ", num,
                       symmetric ? "" : " unsymmetric",
                       " points per direction; there are kernels for dimension 3, order 1 to 8, order + 1 or order + 2 "
                       "points symmetric about 1/2");
}

template <class T>
void interp(Queue& queue, const TensorProduct& basis, std::int64_t num_fields, const T* u, T* v, Write write) {
  check_tensor_product("interp", basis);
  apply_tensor_action<Action::interp>(queue, basis.basis, num_fields, u, v, write == Write::add);
}

template <class T>
void interp_transpose(Queue& queue, const TensorProduct& basis, std::int64_t num_fields, const T* v, T* u,
                      Write write) {
  check_tensor_product("interp_transpose", basis);
  apply_tensor_action<Action::interp_transpose>(queue, basis.basis, num_fields, v, u, write == Write::add);
}

#define MILLRACE_INSTANTIATE(T)                                                          \
  template void interp(Queue&, const TensorProduct&, std::int64_t, const T*, T*, Write); \
  template void interp_transpose(Queue&, const TensorProduct&, std::int64_t, const T*, T*, Write)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
