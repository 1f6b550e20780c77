// The rest of an unfused application on a GPU: restriction and its transpose, weights, and the physics at the points.
#include "millrace/fem/actions/basis_actions_cuda.hpp"
#include "millrace/fem/element/at_points_cuda.cuh"
#include "millrace/fem/element/shared_nodes.hpp"

namespace millrace::cuda {
namespace {

// Mapping  one thread per entry of the element vector [num_elem, comps, nodes].
// Traffic  node numbers and x by element, u once.
// Result   repeatable.
template <class T>
__global__ void __launch_bounds__(256)
    gather_entries(std::int64_t size, int nodes, int comps, std::int64_t comp_stride, const Index* __restrict__ offsets,
                   const T* __restrict__ x, T* __restrict__ u) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i >= size) return;
  const std::int64_t field = i / nodes, e = field / comps;
  const Index n = offsets[e * nodes + i % nodes];
  u[i] = n >= 0 ? x[n + field % comps * comp_stride] : T{};
}

// Mapping  one thread per node of a component (blockIdx.y), in the order of the nodes; then one per constrained node.
// Traffic  every entry with its number, the nodes, y once, or twice where it is added to.
// Result   repeatable: entries ascend with their elements.
template <class T>
__global__ void __launch_bounds__(256)
    sum_entries(Index num, int nodes, int comps, std::int64_t comp_stride, const Index* __restrict__ all,
                const Index* __restrict__ first, const Index* __restrict__ entries, T alpha, const T* __restrict__ u,
                T beta, T* __restrict__ y, Index num_constrained, const Index* __restrict__ constrained,
                const T* __restrict__ x) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i >= std::int64_t{num} + num_constrained) return;
  const int c = static_cast<int>(blockIdx.y);
  if (i >= num) {
    const std::int64_t n = constrained[i - num] + c * comp_stride;
    update(y[n], alpha, x[n], beta);
    return;
  }
  T sum{};
  for (Index s = first[i]; s < first[i + 1]; ++s) {
    const Index e = entries[s] / nodes, node = entries[s] % nodes;
    sum += u[(std::int64_t{e} * comps + c) * nodes + node];
  }
  update(y[all[i] + c * comp_stride], alpha, sum, beta);
}

struct LineWeights {
  int num, dim;
  double weight[24];
};

// Mapping  one thread per point of an element.
// Traffic  w once.
// Result   repeatable.
template <class T>
__global__ void __launch_bounds__(256)
    write_weights(const __grid_constant__ LineWeights weights, int num_points, std::int64_t size, T* __restrict__ w) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i >= size) return;
  int q = static_cast<int>(i % num_points);
  double product = 1;
  for (int d = 0; d < weights.dim; ++d, q /= weights.num) product *= weights.weight[q % weights.num];
  w[i] = static_cast<T>(product);
}

}  // namespace

template <class T>
void weight(Queue& queue, const TensorProduct& basis, std::int64_t num_elem, T* w) {
  LineWeights weights{basis.basis.num_points, basis.dim, {}};
  const auto& line = basis.basis.weights;
  require<Unsupported>(line.size() <= std::size(weights.weight), "weight on a GPU: ", line.size(),
                       " points per direction; at most ", std::size(weights.weight), " are possible");
  std::copy(line.begin(), line.end(), weights.weight);
  const std::int64_t size = num_elem * basis.num_points();
  if (size == 0) return;
  const DeviceGuard guard(queue.device());
  write_weights<<<num_blocks(size, 256), 256, 0, queue.stream()>>>(weights, basis.num_points(), size, w);
  check_launch("write_weights", queue.stream());
}

RestrictionOnGpu make_restriction_on_gpu(Device device, std::span<const Index> offsets, Index num_elem, Index num_nodes,
                                         int comps, std::int64_t comp_stride) {
  RestrictionOnGpu r;
  r.num_elem = num_elem;
  r.num_nodes = num_nodes;
  r.nodes = num_elem > 0 ? static_cast<int>(std::ssize(offsets) / num_elem) : 1;
  r.comps = comps;
  r.comp_stride = comp_stride;
  r.offsets = Array<Index>(offsets).to(device);
  LocalSharedNodes all{r.nodes, {}};  // as if all nodes were shared
  for (Index n = 0; n < r.nodes; ++n) all.number.push_back(n);
  r.entries = find_shared_nodes(offsets, num_elem, all, num_nodes).to(device);
  return r;
}

template <class T>
void restrict_to_elements(Queue& queue, const RestrictionOnGpu& r, const T* x, T* u) {
  const std::int64_t size = std::int64_t{r.num_elem} * r.comps * r.nodes;
  if (size == 0) return;
  const DeviceGuard guard(queue.device());
  gather_entries<<<num_blocks(size, 256), 256, 0, queue.stream()>>>(size, r.nodes, r.comps, r.comp_stride,
                                                                    r.offsets.data(), x, u);
  check_launch("gather_entries", queue.stream());
}

template <class T>
void sum_elements(Queue& queue, const RestrictionOnGpu& r, T alpha, const T* u, T beta, T* y,
                  DeviceSpan<const Index> constrained, const T* x) {
  const auto num = static_cast<Index>(r.entries.nodes.size()), others = static_cast<Index>(constrained.size());
  if (std::int64_t{num} + others == 0) return;
  const DeviceGuard guard(queue.device());
  const dim3 blocks(num_blocks(std::int64_t{num} + others, 256), static_cast<unsigned>(r.comps));
  sum_entries<<<blocks, 256, 0, queue.stream()>>>(num, r.nodes, r.comps, r.comp_stride, r.entries.nodes.data(),
                                                  r.entries.first.data(), r.entries.contributions.data(), alpha, u,
                                                  beta, y, others, constrained.data(), x);
  check_launch("sum_entries", queue.stream());
}

#define MILLRACE_INSTANTIATE(T)                                                      \
  template void weight(Queue&, const TensorProduct&, std::int64_t, T*);              \
  template void restrict_to_elements(Queue&, const RestrictionOnGpu&, const T*, T*); \
  template void sum_elements(Queue&, const RestrictionOnGpu&, T, const T*, T, T*, DeviceSpan<const Index>, const T*)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

/// A pointer to apply_at_points of each physics of the list, which has it compiled.
template <class T, class List>
struct PointInstances;
template <class T, class... Ps>
struct PointInstances<T, std::tuple<Ps...>> {
  template <class P>
  using Function = void (*)(Queue&, const P&, std::int64_t, int, int, const T*, T*, T*);
  std::tuple<Function<Ps>...> functions{apply_at_points<T, Ps>...};
};
extern const PointInstances<float, PointPhysics> float_points;
extern const PointInstances<double, PointPhysics> double_points;
const PointInstances<float, PointPhysics> float_points;
const PointInstances<double, PointPhysics> double_points;

}  // namespace millrace::cuda
