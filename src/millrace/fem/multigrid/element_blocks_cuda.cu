// Blocks of elements on a GPU: lines of an element in registers, the element in shared memory between directions.
#include "millrace/base/cuda.cuh"
#include "millrace/base/dispatch.hpp"
#include "millrace/fem/multigrid/element_blocks_cuda.hpp"

namespace millrace::cuda {
namespace {

using namespace multigrid;

constexpr int update_threads = 256;

/// Elements of a thread block: about 128 threads.
constexpr int block_elements(int P) { return P * P >= 128 ? 1 : 128 / (P * P); }

/// The table as a parameter of a kernel, so that products take its numbers from the constant bank.
template <class W, int P>
struct FixedTable {
  W vectors[P][P];  // [node][eigenvector]
  W values[P];

  static FixedTable from(const BlockTable<W>& table) {
    FixedTable fixed;
    for (int i = 0; i < P; ++i) {
      fixed.values[i] = table.values[i];
      for (int j = 0; j < P; ++j) fixed.vectors[i][j] = table.vectors[i * P + j];
    }
    return fixed;
  }

  __device__ __forceinline__ void to_vectors(W (&r_line)[P]) const {
    W r_sum[P];
#pragma unroll
    for (int k = 0; k < P; ++k) {
      r_sum[k] = vectors[0][k] * r_line[0];
#pragma unroll
      for (int i = 1; i < P; ++i) r_sum[k] += vectors[i][k] * r_line[i];
    }
#pragma unroll
    for (int k = 0; k < P; ++k) r_line[k] = r_sum[k];
  }
  __device__ __forceinline__ void to_nodes(W (&r_line)[P]) const {
    W r_sum[P];
#pragma unroll
    for (int i = 0; i < P; ++i) {
      r_sum[i] = vectors[i][0] * r_line[0];
#pragma unroll
      for (int k = 1; k < P; ++k) r_sum[i] += vectors[i][k] * r_line[k];
    }
#pragma unroll
    for (int i = 0; i < P; ++i) r_line[i] = r_sum[i];
  }
};

/// One element of one component and the P x P threads that share it: thread (b, c), c fastest. Shared memory [z][y][x].
template <class W, int P>
struct BlockTeam {
  static constexpr int E = block_elements(P), threads = P * P * E;
  static constexpr int resident = sizeof(W) == 4 && P <= 8 ? 768 / threads : 1;  // at least so many on a multiprocessor
  static constexpr int row = P | 1, plane = P * row, size = P * plane, nodes = P * P * P;

  W* s;
  int b, c;

  __device__ W& at(int z, int y, int x) const { return s[z * plane + y * row + x]; }
  // A line along z at (x = c, y = b), along y at (x = c, z = b), along x at (y = c, z = b).
  template <int D>
  __device__ __forceinline__ void read(W (&r_line)[P]) const {
#pragma unroll
    for (int n = 0; n < P; ++n) r_line[n] = D == 2 ? at(n, b, c) : D == 1 ? at(b, n, c) : at(b, c, n);
  }
  template <int D>
  __device__ __forceinline__ void write(const W (&r_line)[P]) const {
#pragma unroll
    for (int n = 0; n < P; ++n) (D == 2 ? at(n, b, c) : D == 1 ? at(b, n, c) : at(b, c, n)) = r_line[n];
  }
};

// Mapping  a thread block takes E elements of one component (grid y), P x P threads each.
// Traffic  nodes and weights of the elements once, r once (shared nodes from caches); z and x of the nodes inside of
//          elements, and contributions to the others.
// Shared   one element; every line is read and written by one thread between two barriers.
// Result   repeatable.
template <class W, int P>
__global__ void __launch_bounds__(BlockTeam<W, P>::threads, BlockTeam<W, P>::resident)
    solve_elements(const __grid_constant__ FixedTable<W, P> table, BlocksView<W> view, BlockStep<W> step,
                   W* __restrict__ contributions) {
  using Team = BlockTeam<W, P>;
  __shared__ W s_elements[Team::E * Team::size];
  const int local = static_cast<int>(threadIdx.x) / (P * P), t = static_cast<int>(threadIdx.x) - local * (P * P);
  const std::int64_t elem = std::int64_t{blockIdx.x} * Team::E + local;
  const Team team{s_elements + local * Team::size, t / P, t % P};
  const bool works = elem < view.num_elem;
  const std::int64_t of_comp = std::int64_t{blockIdx.y} * view.num_elem + elem;
  const std::int64_t first = of_comp * Team::nodes + t;
  const std::int64_t before = blockIdx.y * view.comp_stride;  // entries of other components
  W r_line[P], r_weights[P];
  Index r_nodes[P];
#pragma unroll
  for (int z = 0; z < P; ++z) {
    r_weights[z] = works ? view.weights[first + z * P * P] : W{};
    r_nodes[z] = works ? view.nodes[elem * Team::nodes + t + z * P * P] : 0;
    r_line[z] = works ? step.r[before + r_nodes[z]] : W{};
  }
#pragma unroll
  for (int z = 0; z < P; ++z) r_line[z] *= r_weights[z];
  table.to_vectors(r_line);
  team.template write<2>(r_line);
  __syncthreads();
  team.template read<1>(r_line);
  table.to_vectors(r_line);
  team.template write<1>(r_line);
  __syncthreads();
  team.template read<0>(r_line);
  table.to_vectors(r_line);
  {
    W factor[4] = {};
    if (works) {
#pragma unroll
      for (int d = 0; d < 4; ++d) factor[d] = view.directions[4 * of_comp + d];
    }
    W along_y{}, along_z{};  // this line's eigenvalues, without a register array that is indexed
#pragma unroll
    for (int n = 0; n < P; ++n) {
      along_y = n == team.c ? table.values[n] : along_y;
      along_z = n == team.b ? table.values[n] : along_z;
    }
    const W others = works ? factor[1] * along_y + factor[2] * along_z + factor[3] : W{1};
#pragma unroll
    for (int n = 0; n < P; ++n) r_line[n] /= others + factor[0] * table.values[n];
  }
  table.to_nodes(r_line);
  team.template write<0>(r_line);
  __syncthreads();
  team.template read<1>(r_line);
  table.to_nodes(r_line);
  team.template write<1>(r_line);
  __syncthreads();
  team.template read<2>(r_line);
  table.to_nodes(r_line);
  if (!works) return;
#pragma unroll
  for (int z = 0; z < P; ++z) {
    const W value = r_weights[z] * r_line[z];
    if (r_nodes[z] < view.num_outer)
      contributions[first + z * P * P] = value;
    else  // a weight of zero: constrained
      update_entry(step, before + r_nodes[z], r_weights[z] == W{} ? step.r[before + r_nodes[z]] : value);
  }
}

// Mapping  one thread per node that elements may share, grid y: components.
// Traffic  contributions and their places once; r at constrained nodes; z and x, each read where it is not new.
// Result   repeatable: elements ascend.
template <class W>
__global__ void __launch_bounds__(update_threads)
    update_outer_nodes(BlocksView<W> view, std::int64_t size, const W* __restrict__ contributions, BlockStep<W> step) {
  const Index n = static_cast<Index>(blockIdx.x) * update_threads + static_cast<Index>(threadIdx.x);
  if (n < view.num_outer) update_node(view, size, contributions, step, n, static_cast<int>(blockIdx.y));
}

}  // namespace

template <class W>
void step_blocks(Queue& queue, const BlockTable<W>& table, const BlocksView<W>& view, int comps, W* contributions,
                 const BlockStep<W>& step) {
  if (view.num_elem == 0) return;
  const DeviceGuard guard(queue.device());
  dispatch<2, 3, 4, 5, 6, 7, 8, 9>("nodes of a direction of a block on a GPU", table.nodes, [&]<int P>() {
    using Team = BlockTeam<W, P>;
    const dim3 grid{num_blocks(view.num_elem, Team::E), static_cast<unsigned>(comps)};
    solve_elements<W, P>
        <<<grid, Team::threads, 0, queue.stream()>>>(FixedTable<W, P>::from(table), view, step, contributions);
    check_launch("solve_elements", queue.stream());
    const dim3 outer{num_blocks(view.num_outer, update_threads), static_cast<unsigned>(comps)};
    update_outer_nodes<<<outer, update_threads, 0, queue.stream()>>>(view, std::int64_t{view.num_elem} * Team::nodes,
                                                                     contributions, step);
    check_launch("update_outer_nodes", queue.stream());
  });
}

#define MILLRACE_INSTANTIATE(W) \
  template void step_blocks(Queue&, const BlockTable<W>&, const BlocksView<W>&, int, W*, const BlockStep<W>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
