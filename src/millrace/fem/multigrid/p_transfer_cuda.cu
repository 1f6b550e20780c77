// Transfers between orders on a GPU: a block of threads for some elements, and one thread for each coarse node.
#include "millrace/base/cuda.cuh"
#include "millrace/fem/multigrid/p_transfer_cuda.hpp"

namespace millrace::cuda {

using namespace multigrid;

constexpr int transfer_threads = 128;
constexpr int table_in_shared = 128;  // entries: tables of hexes and quads fit, those of simplices come from caches

/// The threads of a block.
struct TransferTeam {
  template <class F>
  __device__ void for_each(int n, const F& f) const {
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < n; i += transfer_threads) f(i);
  }
  template <class F>
  __device__ void load_each(int n, const F& f) const {
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < n; i += transfer_threads) f(i);
  }
  __device__ void sync() const { __syncthreads(); }
};

/// The elements of this block, and where it keeps their entries.
template <class Plan, class W>
struct TransferPart {
  Index first;
  int count;
  W* buffer;
  const W* table;

  __device__ TransferPart(const Plan& plan, const TransferView<W>& view, char* s_bytes) {
    const int at_once = elements_at_once(plan.fine_nodes);
    first = static_cast<Index>(blockIdx.x) * at_once;
    count = min(at_once, view.num_elem - first);
    W* const s_table = reinterpret_cast<W*>(s_bytes);
    buffer = s_table + table_in_shared;
    table = view.table;
    if (plan.table_size() <= table_in_shared) {
      TransferTeam{}.for_each(plan.table_size(), [&](int k) { s_table[k] = view.table[k]; });
      table = s_table;
    }
  }
};

// Mapping  a block of threads for some elements and one component; a thread for an entry of each stage's result.
// Traffic  coarse and fine nodes' numbers, the coarse vector once (shared nodes from caches), the fine one twice.
// Shared   the table of a direction, and two stages of the elements.
// Result   repeatable: one element writes a fine node.
template <class Plan, class W>
__global__ void __launch_bounds__(transfer_threads)
    prolong_elements_kernel(Plan plan, TransferView<W> view, const W* __restrict__ coarse, W* __restrict__ fine) {
  extern __shared__ __align__(16) char s_bytes[];
  const TransferPart<Plan, W> part(plan, view, s_bytes);
  prolong_elements(TransferTeam{}, plan, view, part.table, part.first, part.count, static_cast<int>(blockIdx.y), coarse,
                   fine, part.buffer);
}

// Mapping  as above.
// Traffic  the fine vectors and the numbers of their nodes once; contributions once.
// Shared   as above.
// Result   repeatable.
template <class Plan, class W>
__global__ void __launch_bounds__(transfer_threads)
    restrict_elements_kernel(Plan plan, TransferView<W> view, const W* __restrict__ b, const W* __restrict__ q,
                             W* __restrict__ contributions) {
  extern __shared__ __align__(16) char s_bytes[];
  const TransferPart<Plan, W> part(plan, view, s_bytes);
  const std::int64_t place = std::int64_t{blockIdx.y} * view.num_elem + part.first;
  restrict_elements(TransferTeam{}, plan, view, part.table, part.first, part.count, static_cast<int>(blockIdx.y), b, q,
                    contributions + place * plan.coarse_nodes, part.buffer);
}

// Mapping  one thread per coarse node, grid y: components.
// Traffic  contributions and their places once, the coarse vector once.
// Result   repeatable: elements ascend.
template <class W>
__global__ void __launch_bounds__(transfer_threads)
    sum_contributions_kernel(TransferView<W> view, NodeSums sums, std::int64_t size,
                             const W* __restrict__ contributions, W* __restrict__ coarse) {
  const Index n = static_cast<Index>(blockIdx.x) * transfer_threads + static_cast<Index>(threadIdx.x);
  if (n >= sums.num_nodes) return;
  const int comp = static_cast<int>(blockIdx.y);
  coarse[view.coarse_entry(n, comp)] = sum_at_node(sums, n, contributions + comp * size);
}

template <class W>
std::size_t transfer_shared_bytes(int fine_nodes, int middle) {
  return sizeof(W) * (table_in_shared + static_cast<std::size_t>(elements_at_once(fine_nodes)) *
                                            static_cast<std::size_t>(fine_nodes + middle));
}

template <class W>
dim3 transfer_grid(const AnyPlan& plan, const TransferView<W>& view, int comps) {
  return {num_blocks(view.num_elem, elements_at_once(plan.fine_nodes)), static_cast<unsigned>(comps)};
}

template <class W>
void prolong(Queue& queue, const AnyPlan& any, const TransferView<W>& view, int comps, const W* coarse, W* fine) {
  if (view.num_elem == 0) return;
  const DeviceGuard guard(queue.device());
  with_plan(any, [&]<class Plan>(const Plan& plan) {
    prolong_elements_kernel<<<transfer_grid(any, view, comps), transfer_threads,
                              transfer_shared_bytes<W>(any.fine_nodes, any.middle), queue.stream()>>>(plan, view,
                                                                                                      coarse, fine);
  });
  check_launch("prolong_elements_kernel", queue.stream());
}

template <class W>
void restrict_to(Queue& queue, const AnyPlan& any, const TransferView<W>& view, const NodeSums& sums, int comps,
                 const W* b, const W* q, W* contributions, W* coarse) {
  if (view.num_elem == 0) return;
  const DeviceGuard guard(queue.device());
  with_plan(any, [&]<class Plan>(const Plan& plan) {
    restrict_elements_kernel<<<transfer_grid(any, view, comps), transfer_threads,
                               transfer_shared_bytes<W>(any.fine_nodes, any.middle), queue.stream()>>>(plan, view, b, q,
                                                                                                       contributions);
  });
  check_launch("restrict_elements_kernel", queue.stream());
  const dim3 grid{num_blocks(sums.num_nodes, transfer_threads), static_cast<unsigned>(comps)};
  sum_contributions_kernel<<<grid, transfer_threads, 0, queue.stream()>>>(
      view, sums, std::int64_t{view.num_elem} * any.coarse_nodes, contributions, coarse);
  check_launch("sum_contributions_kernel", queue.stream());
}

#define MILLRACE_INSTANTIATE(W)                                                                                       \
  template void prolong(Queue&, const AnyPlan&, const TransferView<W>&, int, const W*, W*);                           \
  template void restrict_to(Queue&, const AnyPlan&, const TransferView<W>&, const NodeSums&, int, const W*, const W*, \
                            W*, W*)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
