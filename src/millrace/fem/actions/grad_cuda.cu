// Gradients at the points from values at the nodes, and back, on a GPU.
#include "millrace/fem/actions/basis_actions_cuda.hpp"
#include "millrace/fem/actions/tensor_actions_cuda.cuh"

namespace millrace::cuda {

template <class T>
void grad(Queue& queue, const TensorProduct& basis, std::int64_t num_fields, const T* u, T* v, Write write) {
  check_tensor_product("grad", basis);
  apply_tensor_action<Action::grad>(queue, basis.basis, num_fields, u, v, write == Write::add);
}

template <class T>
void grad_transpose(Queue& queue, const TensorProduct& basis, std::int64_t num_fields, const T* v, T* u, Write write) {
  check_tensor_product("grad_transpose", basis);
  apply_tensor_action<Action::grad_transpose>(queue, basis.basis, num_fields, v, u, write == Write::add);
}

#define MILLRACE_INSTANTIATE(T)                                                        \
  template void grad(Queue&, const TensorProduct&, std::int64_t, const T*, T*, Write); \
  template void grad_transpose(Queue&, const TensorProduct&, std::int64_t, const T*, T*, Write)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
