// What the fused kernels of elements share whatever their physics: the layout of the factors, and sums over shared
// nodes in a fixed order.
#include "millrace/fem/element_cuda.cuh"
#include "millrace/fem/surface.hpp"

namespace millrace::cuda {
namespace {

// Mapping  one thread a number of the new layout [groups, num_stored, Q, E, Q, Q] of factors [num_elem, num_stored,
//          Q, Q, Q].
// Traffic  the factors, read and written; zeros for the elements that fill up the last group.
// Result   repeatable.
template <class T>
__global__ void __launch_bounds__(256) group_factors(Index num_elem, int num_stored, int Q, int E, std::int64_t size,
                                                     const T* __restrict__ from, T* __restrict__ to) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i >= size) return;
  const int in_plane = static_cast<int>(i % (Q * Q)), local = static_cast<int>(i / (Q * Q) % E);
  const std::int64_t rest = i / (Q * Q * E);  // [groups, num_stored, Q]
  const int z = static_cast<int>(rest % Q), s = static_cast<int>(rest / Q % num_stored);
  const std::int64_t e = rest / Q / num_stored * E + local;
  to[i] = e < num_elem ? from[((e * num_stored + s) * Q + z) * (Q * Q) + in_plane] : T{};
}

// Mapping  one thread an entry.
// Traffic  y, and once more where beta is not 0.
// Result   repeatable.
template <class T>
__global__ void __launch_bounds__(256) scale_entries(std::int64_t n, T beta, T* __restrict__ y) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i < n) y[i] = is_zero(beta) ? T{} : beta * y[i];
}

// Mapping  one thread a shared node, in the order of the nodes; behind them one a constrained node.
// Traffic  every slot with its number, the nodes, y once.
// Result   repeatable: slots ascend with their elements.
template <class T>
__global__ void __launch_bounds__(dot_threads)
    sum_slots(Index num_shared, const Index* __restrict__ nodes, const Index* __restrict__ first,
              const Index* __restrict__ slot_of, const T* __restrict__ slots, Index num_constrained,
              const Index* __restrict__ constrained, T alpha, const T* __restrict__ x, T beta, T* __restrict__ y,
              T* block_sums) {
  const std::int64_t i = blockIdx.x * std::int64_t{dot_threads} + threadIdx.x;
  T product{};
  if (i < num_shared) {
    const Index begin = first[i], end = first[i + 1];
    T sum{};
#pragma unroll 4
    for (Index s = begin; s < end; ++s) sum += slots[slot_of[s]];
    update(y[nodes[i]], T{1}, sum, beta);
  } else if (i < std::int64_t{num_shared} + num_constrained) {
    const Index n = constrained[i - num_shared];
    const T here = x[n];
    product = here * alpha * here;
    update(y[n], alpha, here, beta);
  }
  if (!block_sums) return;
  product = block_sum(product);
  if (threadIdx.x == 0) block_sums[blockIdx.x] = product;
}

template <class T>
void prepare_hexes(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics) {
  const auto& tensor = data.basis.tensor;
  const int order = data.basis.order, points = tensor ? tensor->num_points : 0;
  require<Unsupported>(
      data.basis.cell == Cell::hex && order >= 1 && order <= 8 && (tensor->on_nodes || points == order + 2),
      "element operator on a GPU: ", name(data.basis.cell), " elements of order ", order, " with ", points,
      " points a direction; there are kernels for hex, order 1 to 8, order + 2 points or points on the nodes, and for "
      "tet, order 1 to 8");
  if (data.kind == Factors::recomputed) {
    require<Unsupported>(
        physics.recomputes_on_gpu,
        "element operator on a GPU: recomputed factors of this physics were asked for; there they are "
        "those of mass, diffusion and Helmholtz with constant coefficients. Factors::stored takes others");
    return;
  }
  const int Q = points, E = hex_elements(order + 1, Q);
  const std::int64_t groups = (std::int64_t{data.num_elem} + E - 1) / E,
                     size = groups * data.num_stored * Q * E * Q * Q;
  Array<T> grouped(queue.device(), size);
  if (size > 0) {
    group_factors<<<num_blocks(size, 256), 256, 0, queue.stream()>>>(data.num_elem, data.num_stored, Q, E, size,
                                                                     data.factors.data(), grouped.data());
    check_launch("group_factors", queue.stream());
    queue.wait();
  }
  data.factors = std::move(grouped);
}

}  // namespace

template <class T>
void scale(Queue& queue, std::int64_t n, T beta, T* y) {
  if (n == 0) return;
  scale_entries<<<num_blocks(n, 256), 256, 0, queue.stream()>>>(n, beta, y);
  check_launch("scale_entries", queue.stream());
}

template <class T>
void add_slots(Queue& queue, const ElementData<T>& data, const T* slots, T alpha, const T* x, T beta, T* y,
               T* block_sums) {
  const SharedNodes& shared = data.shared;
  const unsigned blocks = num_slot_blocks(data);
  if (blocks == 0) return;
  sum_slots<<<blocks, dot_threads, 0, queue.stream()>>>(
      slots ? static_cast<Index>(shared.nodes.size()) : 0, shared.nodes.data(), shared.first.data(),
      shared.slots.data(), slots, static_cast<Index>(data.constrained.size()), data.constrained.data(), alpha, x,
      slots ? beta : T{1}, y, block_sums);
  check_launch("sum_slots", queue.stream());
}

template <class T>
void prepare_elements(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics,
                      std::span<const Index> host_offsets) {
  if (data.basis.cell == Cell::tet)
    prepare_tets(queue, data, physics);
  else
    prepare_hexes(queue, data, physics);
  if (data.sum == Sum::atomic) return;
  const SharedNodes shared =
      find_shared(host_offsets, data.num_elem, surface_nodes(data.basis.cell, data.basis.order), data.num_nodes);
  data.shared = {shared.nodes.to(queue.device()), shared.first.to(queue.device()), shared.slots.to(queue.device())};
}

#define MILLRACE_INSTANTIATE(T)                                                             \
  template void scale(Queue&, std::int64_t, T, T*);                                         \
  template void add_slots(Queue&, const ElementData<T>&, const T*, T, const T*, T, T*, T*); \
  template void prepare_elements(Queue&, ElementData<T>&, const PointKernel<T>&, std::span<const Index>)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
