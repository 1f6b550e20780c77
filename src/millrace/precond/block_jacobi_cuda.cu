// Block Jacobi on a GPU: one thread per row applies the inverses, one warp per block makes them.
#include "millrace/base/scalar.hpp"
#include "millrace/base/warp.cuh"
#include "millrace/precond/block_jacobi_cuda.hpp"

namespace millrace::cuda {
namespace {

constexpr int threads = 256;

// Mapping  one thread per row of a block, grid y: the vectors. 32 neighbouring rows lie side by side.
// Traffic  the inverses once, x (its block stays in the nearest cache) and y once.
// Result   repeatable: every row is summed in the order of its columns.
template <class A, class S>
__global__ void __launch_bounds__(threads)
    multiply_block_rows(DiagonalBlocksView blocks, const S* __restrict__ inverses, A alpha, const A* __restrict__ x,
                        std::int64_t ldx, A beta, A* __restrict__ y, std::int64_t ldy) {
  const std::int64_t r = blockIdx.x * std::int64_t{threads} + threadIdx.x;
  if (r >= blocks.num_rows) return;
  const DiagonalBlockRow row = blocks.row(static_cast<Index>(r));
  const S* vals = inverses + row.first;
  const A* from = x + blockIdx.y * ldx + row.start;
  A sum{};
#pragma unroll 8
  for (Index j = 0; j < row.length; ++j)
    sum = multiply_add(change_type<A>(vals[j * DiagonalBlocksView::slice]), from[j], sum);
  update(y[blockIdx.y * ldy + r], alpha, sum, beta);
}

constexpr int max_rows = 32;  // of a block that a warp inverts

/// Row k and the row p below it of a matrix whose columns belong to the lanes change places.
template <class A>
__device__ void swap_rows(A (*s_a)[max_rows + 1], int k, int p, int lane) {
  const A upper = s_a[k][lane];
  s_a[k][lane] = s_a[p][lane];
  s_a[p][lane] = upper;
}

/// Gauss-Jordan with partial pivoting on n x n, in place. A lane holds a column while rows are added, and a row while
/// the pivot is searched. Returns whether the matrix is regular.
template <class A>
__device__ bool invert_in_warp(A (*s_a)[max_rows + 1], int n, int lane) {
  int swapped = lane;  // row that changed places with row `lane`
  for (int k = 0; k < n; ++k) {
    auto best = lane >= k && lane < n ? size_of(s_a[lane][k]) : RealOf<A>{-1};
    if (best != best) best = RealOf<A>{-1};
    int p = lane;
    for (int offset = 16; offset > 0; offset /= 2) {
      const auto other = shuffle_xor(best, offset);
      const int other_row = shuffle_xor(p, offset);
      if (other > best || (other == best && other_row < p)) best = other, p = other_row;
    }
    if (!(best > 0)) return false;
    __syncwarp();
    if (lane == k) swapped = p;
    if (lane < n && p != k) swap_rows(s_a, k, p, lane);
    __syncwarp();
    const A inverse = reciprocal(s_a[k][k]);
    const A factor_of_row = lane < n ? s_a[lane][k] : A{};
    __syncwarp();
    if (!is_finite(inverse)) return false;
    const A mine = lane == k ? inverse : lane < n ? s_a[k][lane] * inverse : A{};
    for (int i = 0; i < n; ++i) {
      const A f = shuffle(factor_of_row, i);
      if (lane < n) s_a[i][lane] = i == k ? mine : multiply_subtract(f, mine, lane == k ? A{} : s_a[i][lane]);
    }
    __syncwarp();
  }
  for (int k = n - 1; k >= 0; --k) {  // columns k and p change places; a lane holds a row
    const int p = shuffle(swapped, k);
    if (lane >= n || p == k) continue;
    const A left = s_a[lane][k];
    s_a[lane][k] = s_a[lane][p];
    s_a[lane][p] = left;
  }
  __syncwarp();
  return true;
}

// Mapping  one warp per block: lane i gathers row i of the block from its row of the matrix.
// Traffic  the rows of the matrix once, the inverses once.
// Shared   the block of every warp, at most 32 x 33 numbers.
// Result   repeatable; *bad is the smallest singular block.
template <int Warps, class View, class A, class S>
__global__ void __launch_bounds__(32 * Warps)
    invert_diagonal_blocks(View a, DiagonalBlocksView blocks, bool as_one, S* inverses, Index* bad) {
  __shared__ A s_blocks[Warps][max_rows][max_rows + 1];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::int64_t number = blockIdx.x * std::int64_t{Warps} + warp;
  if (number >= blocks.num_blocks) return;
  const auto b = static_cast<Index>(number);
  const Index start = blocks.start(b), n = blocks.length(b);
  A(*s_a)[max_rows + 1] = s_blocks[warp];
  for (int i = 0; i < n; ++i) s_a[i][lane] = A{};
  __syncwarp();
  if (lane < n)
    for (Offset s = a.row_ptr[start + lane]; s < static_cast<Offset>(a.row_ptr[start + lane + 1]); ++s)
      if (const Index j = a.cols[s] - start; j >= 0 && j < n) s_a[lane][j] += a.vals[s];
  __syncwarp();
  const bool regular = invert_in_warp(s_a, n, lane);
  if (!regular && !as_one && lane == 0) atomicMin(bad, b);
  if (lane >= n) return;
  const DiagonalBlockRow row = blocks.row(start + lane);
  for (Index j = 0; j < n; ++j)
    inverses[row.first + j * row.stride] = change_type<S>(regular ? s_a[lane][j] : j == lane ? one<A>() : A{});
}

}  // namespace

template <class T>
Index invert_blocks(Queue& queue, const Csr<T>& a, const DiagonalBlocks& blocks, bool singular_as_one,
                    NarrowArray<T>& inverses) {
  if (blocks.num_blocks() == 0) return 0;
  constexpr int warps = sizeof(T) == 16 ? 2 : 4;
  const DeviceGuard guard(queue.device());
  Array<Index> bad = Array<Index>(1, blocks.num_blocks()).to(queue.device());
  a.visit_view([&]<class View>(const View& view) {
    inverses.visit([&]<class S>(S* to) {
      invert_diagonal_blocks<warps, View, Arith<T>, S>
          <<<num_blocks(blocks.num_blocks(), warps), 32 * warps, 0, queue.stream()>>>(view, blocks.view(),
                                                                                      singular_as_one, to, bad.data());
      check_launch("invert_diagonal_blocks", queue.stream());
    });
  });
  queue.wait();
  return bad.to_vector()[0];
}

template <class T>
void apply_blocks(Queue& queue, const DiagonalBlocks& blocks, const NarrowArray<T>& inverses, Arith<T> alpha,
                  const Vectors<const Arith<T>>& x, Arith<T> beta, const Vectors<Arith<T>>& y) {
  if (y.size == 0) return;
  const DeviceGuard guard(queue.device());
  inverses.visit([&](const auto* vals) {
    constexpr int max_vectors = 65535;  // of a launch
    for (int v = 0; v < y.num; v += max_vectors) {
      const dim3 grid(num_blocks(y.size, threads), static_cast<unsigned>(std::min(max_vectors, y.num - v)));
      multiply_block_rows<Arith<T>><<<grid, threads, 0, queue.stream()>>>(
          blocks.view(), vals, alpha, x.data + v * x.stride, x.stride, beta, y.data + v * y.stride, y.stride);
      check_launch("multiply_block_rows", queue.stream());
    }
  });
}

#define MILLRACE_INSTANTIATE(T)                                                                      \
  template Index invert_blocks(Queue&, const Csr<T>&, const DiagonalBlocks&, bool, NarrowArray<T>&); \
  template void apply_blocks(Queue&, const DiagonalBlocks&, const NarrowArray<T>&, Arith<T>,         \
                             const Vectors<const Arith<T>>&, Arith<T>, const Vectors<Arith<T>>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace::cuda
