// The actions of a simplex on a GPU: products of its tables with the fields of all elements.
#include "millrace/base/cuda.cuh"
#include "millrace/fem/actions/basis_actions_cuda.hpp"
#include "millrace/fem/gemm/gemm_cuda.hpp"

namespace millrace::cuda {

template <class T>
std::vector<T> simplex_action_tables(const SimplexBasis& basis) {
  std::vector<T> tables(basis.interp.begin(), basis.interp.end());
  tables.insert(tables.end(), basis.grad.begin(), basis.grad.end());
  return tables;
}

namespace {

// Mapping  one thread per point of an element.
// Traffic  w once; the weights from a cache.
// Result   repeatable.
template <class T>
__global__ void __launch_bounds__(256)
    repeat_weights(std::int64_t size, int num_points, const T* __restrict__ weights, T* __restrict__ w) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i < size) w[i] = weights[i % num_points];
}

/// From the host to memory for the time of a call.
template <class T>
Scratch<T> bring(Queue& queue, const std::vector<T>& numbers) {
  require<Unsupported>(!queue.capturing(),
                       "actions of a simplex on a GPU: a graph is being captured, and the tables of "
                       "the basis are on the host; SimplexOnGpu takes tables that are there");
  Scratch<T> there = queue.scratch<T>(std::ssize(numbers));
  copy_bytes(queue, queue.device(), there.data(), Device::host(), numbers.data(), numbers.size() * sizeof(T));
  return there;
}

/// The product of the table [points, nodes] of values or [dim points, nodes] of gradients, or of its transpose.
template <class T>
void act(Queue& queue, const SimplexOnGpu<T>& of, bool grad, bool transposed, std::int64_t num_fields, const T* in,
         T* out, Write write) {
  const int nodes = of.basis.num_nodes(), points = of.basis.num_points();
  const int rows = grad ? dim(of.basis.cell) * points : points;
  const GemmShape shape{transposed ? nodes : rows, num_fields, transposed ? rows : nodes, transposed};
  multiply_table(queue, shape, of.tables + (grad ? std::int64_t{points} * nodes : 0), in, out, write);
}

/// run(the tables on the GPU), which are brought there for this call alone.
template <class T, class Run>
void with_tables(Queue& queue, const SimplexBasis& basis, Run&& run) {
  const std::vector<T> tables = simplex_action_tables<T>(basis);
  const Scratch<T> there = bring(queue, tables);
  run(SimplexOnGpu<T>{basis, there.data()});
  queue.wait();  // the tables leave the host now
}

}  // namespace

template <class T>
void interp(Queue& queue, const SimplexOnGpu<T>& basis, std::int64_t num_fields, const T* u, T* v, Write write) {
  act(queue, basis, false, false, num_fields, u, v, write);
}
template <class T>
void interp_transpose(Queue& queue, const SimplexOnGpu<T>& basis, std::int64_t num_fields, const T* v, T* u,
                      Write write) {
  act(queue, basis, false, true, num_fields, v, u, write);
}
template <class T>
void grad(Queue& queue, const SimplexOnGpu<T>& basis, std::int64_t num_fields, const T* u, T* v, Write write) {
  act(queue, basis, true, false, num_fields, u, v, write);
}
template <class T>
void grad_transpose(Queue& queue, const SimplexOnGpu<T>& basis, std::int64_t num_fields, const T* v, T* u,
                    Write write) {
  act(queue, basis, true, true, num_fields, v, u, write);
}

template <class T>
void interp(Queue& queue, const SimplexBasis& basis, std::int64_t num_fields, const T* u, T* v, Write write) {
  with_tables<T>(queue, basis, [&](const auto& there) { interp(queue, there, num_fields, u, v, write); });
}
template <class T>
void interp_transpose(Queue& queue, const SimplexBasis& basis, std::int64_t num_fields, const T* v, T* u, Write write) {
  with_tables<T>(queue, basis, [&](const auto& there) { interp_transpose(queue, there, num_fields, v, u, write); });
}
template <class T>
void grad(Queue& queue, const SimplexBasis& basis, std::int64_t num_fields, const T* u, T* v, Write write) {
  with_tables<T>(queue, basis, [&](const auto& there) { grad(queue, there, num_fields, u, v, write); });
}
template <class T>
void grad_transpose(Queue& queue, const SimplexBasis& basis, std::int64_t num_fields, const T* v, T* u, Write write) {
  with_tables<T>(queue, basis, [&](const auto& there) { grad_transpose(queue, there, num_fields, v, u, write); });
}

template <class T>
void weight(Queue& queue, const SimplexBasis& basis, std::int64_t num_elem, T* w) {
  const std::vector<T> weights(basis.rule.weights.begin(), basis.rule.weights.end());
  const std::int64_t size = num_elem * std::ssize(weights);
  if (size == 0) return;
  const DeviceGuard guard(queue.device());
  const Scratch<T> there = bring(queue, weights);
  repeat_weights<<<num_blocks(size, 256), 256, 0, queue.stream()>>>(size, basis.num_points(), there.data(), w);
  check_launch("repeat_weights", queue.stream());
  queue.wait();
}

#define MILLRACE_INSTANTIATE(T)                                                                      \
  template std::vector<T> simplex_action_tables<T>(const SimplexBasis&);                             \
  template void interp(Queue&, const SimplexOnGpu<T>&, std::int64_t, const T*, T*, Write);           \
  template void interp_transpose(Queue&, const SimplexOnGpu<T>&, std::int64_t, const T*, T*, Write); \
  template void grad(Queue&, const SimplexOnGpu<T>&, std::int64_t, const T*, T*, Write);             \
  template void grad_transpose(Queue&, const SimplexOnGpu<T>&, std::int64_t, const T*, T*, Write);   \
  template void interp(Queue&, const SimplexBasis&, std::int64_t, const T*, T*, Write);              \
  template void interp_transpose(Queue&, const SimplexBasis&, std::int64_t, const T*, T*, Write);    \
  template void grad(Queue&, const SimplexBasis&, std::int64_t, const T*, T*, Write);                \
  template void grad_transpose(Queue&, const SimplexBasis&, std::int64_t, const T*, T*, Write);      \
  template void weight(Queue&, const SimplexBasis&, std::int64_t, T*)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
