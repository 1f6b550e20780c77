// The kernels that add up what elements contribute to the nodes they share.
#include "millrace/fem/element/shared_nodes_cuda.cuh"

namespace millrace::cuda {
namespace {

// Mapping  one thread per entry.
// Traffic  y, and once more where beta is not 0.
// Result   repeatable.
template <class T>
__global__ void __launch_bounds__(256) scale_entries(std::int64_t n, T beta, T* __restrict__ y) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i < n) y[i] = is_zero(beta) ? T{} : beta * y[i];
}

struct RunLists {
  Runs runs[3];
  const Index *nodes, *first, *contributions;  // of SharedNodes
};

// Mapping  one thread per shared node, run after run; after them one per constrained node.
// Traffic  every contribution, y once; for a run its node, and a number for each of its elements.
// Result   repeatable: contributions ascend with their elements.
template <class T>
__global__ void __launch_bounds__(dot_threads)
    sum_at_nodes(unsigned num_shared, RunLists lists, const T* __restrict__ contributions, Index num_constrained,
                 const Index* __restrict__ constrained, T alpha, const T* __restrict__ x, T beta, T* __restrict__ y,
                 T* block_sums) {
  const unsigned i = blockIdx.x * dot_threads + threadIdx.x;
  T product{};
  if (i < num_shared) {
    unsigned in_group = i, run = 0, length = 1;
#pragma unroll
    for (int g = 0; g < 3; ++g) {
      length = static_cast<unsigned>(lists.runs[g].length);
      const unsigned num = length * static_cast<unsigned>(lists.runs[g].num);
      if (in_group < num) break;
      in_group -= num, run += static_cast<unsigned>(lists.runs[g].num);
    }
    const unsigned whole = in_group / length, place = in_group - whole * length;
    run += whole;
    const Index begin = lists.first[run], end = lists.first[run + 1];
    T sum{};
#pragma unroll 4
    for (Index s = begin; s < end; ++s) sum += contributions[static_cast<std::int64_t>(lists.contributions[s]) + place];
    update(y[static_cast<unsigned>(lists.nodes[run]) + place], T{1}, sum, beta);
  } else if (i - num_shared < static_cast<unsigned>(num_constrained)) {
    const Index n = constrained[i - num_shared];
    const T here = x[n];
    product = here * alpha * here;
    update(y[n], alpha, here, beta);
  }
  if (!block_sums) return;
  product = block_sum(product);
  if (threadIdx.x == 0) block_sums[blockIdx.x] = product;
}

}  // namespace

template <class T>
void scale(Queue& queue, std::int64_t n, T beta, T* y) {
  if (n == 0) return;
  scale_entries<<<num_blocks(n, 256), 256, 0, queue.stream()>>>(n, beta, y);
  check_launch("scale_entries", queue.stream());
}

template <class T>
void sum_contributions(Queue& queue, const ElementData<T>& data, const T* contributions, T alpha, const T* x, T beta,
                       T* y, T* block_sums) {
  const SharedNodes& shared = data.shared;
  const unsigned blocks = num_sum_blocks(data);
  if (blocks == 0) return;
  const RunLists lists{{shared.runs[0], shared.runs[1], shared.runs[2]},
                       shared.nodes.data(),
                       shared.first.data(),
                       shared.contributions.data()};
  sum_at_nodes<<<blocks, dot_threads, 0, queue.stream()>>>(
      contributions ? static_cast<unsigned>(shared.num_nodes()) : 0u, lists, contributions,
      static_cast<Index>(data.constrained.size()), data.constrained.data(), alpha, x, contributions ? beta : T{1}, y,
      block_sums);
  check_launch("sum_at_nodes", queue.stream());
}

#define MILLRACE_INSTANTIATE(T)                     \
  template void scale(Queue&, std::int64_t, T, T*); \
  template void sum_contributions(Queue&, const ElementData<T>&, const T*, T, const T*, T, T*, T*)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
