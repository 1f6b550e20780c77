// The operations of a block of vectors on a GPU: each reads the basis once for all vectors of the block.
#include "millrace/base/occupancy.cuh"
#include "millrace/solve/basis/blocks.hpp"
#include "millrace/solve/basis/krylov_basis.cuh"

namespace millrace::cuda {
namespace {

using namespace krylov;

constexpr int tile = 512;          // rows whose part of the block is in shared memory
constexpr int rows_at_once = 256;  // of a thread block that combines

// s_sums[c * width + j] += <v_j, z_c> over the rows of a tile, j < count: a warp takes 8 / B vectors of the basis at a
// time, its lanes walk the rows.
template <int B, class A, class S>
__device__ inline void add_products(const S* v, std::int64_t stride, int count, int rows, const A* s_z, int b,
                                    int width, A* s_sums) {
  constexpr int at_once = 8 / B;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  for (int j = warp * at_once; j < count; j += warps * at_once) {
    A r_sums[8] = {};
#pragma unroll 4
    for (int i = lane; i < rows; i += 32) {
      A r_v[at_once];
#pragma unroll
      for (int q = 0; q < at_once; ++q)
        r_v[q] = j + q < count ? conjugate(change_type<A>(v[(j + q) * stride + i])) : A{};
#pragma unroll
      for (int c = 0; c < B; ++c) {
        const A z = s_z[c * tile + i];
#pragma unroll
        for (int q = 0; q < at_once; ++q) r_sums[q * B + c] = multiply_add(r_v[q], z, r_sums[q * B + c]);
      }
    }
    const A sum = warp_sums(r_sums, lane);
    const int q = lane / 4 / B, c = lane / 4 % B;
    if (lane % 4 == 0 && j + q < count && c < b) s_sums[c * width + j + q] += sum;
  }
}

// Mapping  one block per run of rows, tile by tile, with Z's rows in shared memory; a warp per 8 / B vectors of V.
// Traffic  k vectors of the basis, W and Z once; b (k + b) sums per block.
// Result   repeatable: rows and warps depend on the length alone.
// Shared   [B, tile] of Z and the sums.
template <int B, class A, class S>
__global__ void __launch_bounds__(threads, 1)
    block_sums_kernel(const S* v, std::int64_t stride, std::int64_t n, int k, const A* w, std::int64_t w_stride,
                      const A* z, std::int64_t z_stride, int b, A* parts) {
  extern __shared__ double2 s_memory[];
  A* s_z = reinterpret_cast<A*>(s_memory);  // [B, tile]
  A* s_sums = s_z + B * tile;               // [b, k + b]
  const int width = k + b, num = width * b, blocks = static_cast<int>(gridDim.x);
  for (int q = static_cast<int>(threadIdx.x); q < num; q += threads) s_sums[q] = A{};
  const Rows all = rows_of<A>(n, static_cast<int>(blockIdx.x));
  for (std::int64_t first = all.begin; first < all.end; first += tile) {
    const int rows = static_cast<int>(all.end - first < tile ? all.end - first : tile);
    __syncthreads();  // the sums are zero, the tile before is done with
    for (int i = static_cast<int>(threadIdx.x); i < B * tile; i += threads) {
      const int c = i / tile, row = i % tile;
      s_z[i] = c < b && row < rows ? z[c * z_stride + first + row] : A{};
    }
    __syncthreads();
    add_products<B>(v + first, stride, k, rows, s_z, b, width, s_sums);
    add_products<B>(w + first, w_stride, b, rows, s_z, b, width, s_sums + k);
  }
  __syncthreads();
  for (int q = static_cast<int>(threadIdx.x); q < num; q += threads)
    parts[q * blocks + static_cast<int>(blockIdx.x)] = s_sums[q];
}

// Mapping  one warp per sum.
// Traffic  the parts of all blocks once.
// Result   repeatable: a fixed tree.
template <class A, class W>
__global__ void __launch_bounds__(256) add_block_parts_kernel(const A* parts, int num, int blocks, W* sums) {
  const int q = static_cast<int>(blockIdx.x * 8 + threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  if (q >= num) return;
  W sum{};
  for (int i = lane; i < blocks; i += 32) sum += change_type<W>(parts[q * blocks + i]);
  sum = warp_sum_everywhere(sum);
  if (lane == 0) sums[q] = sum;
}

// Mapping  one thread per row, four vectors of the basis under way at a time.
// Traffic  k vectors of the basis and W once; writes b vectors.
// Result   repeatable: every entry belongs to one thread.
// Shared   the coefficients, [B, k + B] with k rounded up to four.
template <int B, class A, class S>
__global__ void __launch_bounds__(rows_at_once)
    block_combine_kernel(const S* v, std::int64_t stride, std::int64_t n, int k, A* w, std::int64_t w_stride, int b,
                         const Wide<A>* y, bool subtract, S* to) {
  extern __shared__ double2 s_memory[];
  const int pad = padded(k), width = k + b;
  A* s_y = reinterpret_cast<A*>(s_memory);  // [B, pad]
  A* s_own = s_y + B * pad;                 // [B, B]
  for (int i = static_cast<int>(threadIdx.x); i < B * pad; i += rows_at_once) {
    const int c = i / pad, j = i % pad;
    const A value = c < b && j < k ? change_type<A>(y[c * width + j]) : A{};
    s_y[i] = subtract ? -value : value;
  }
  for (int i = static_cast<int>(threadIdx.x); i < B * B; i += rows_at_once) {
    const int c = i / B, j = i % B;
    if (subtract)
      s_own[i] = c == j ? one<A>() : A{};
    else
      s_own[i] = c < b && j < b ? change_type<A>(y[c * width + k + j]) : A{};
  }
  __syncthreads();
  const std::int64_t row = blockIdx.x * std::int64_t{rows_at_once} + threadIdx.x;
  if (row >= n) return;
  A r_sums[B][1] = {};
#pragma unroll
  for (int j = 0; j < B; ++j) {
    const A own = j < b ? w[j * w_stride + row] : A{};
#pragma unroll
    for (int c = 0; c < B; ++c) r_sums[c][0] = multiply_add(own, s_own[c * B + j], r_sums[c][0]);
  }
  add_combination(r_sums, v, stride, k, s_y, pad, row, n);
#pragma unroll
  for (int c = 0; c < B; ++c) {
    if (c >= b) continue;
    if (to)
      to[c * stride + row] = change_type<S>(r_sums[c][0]);
    else
      w[c * w_stride + row] = r_sums[c][0];
  }
}

template <int B, class A, class S>
void sums_of(Queue& queue, const S* v, std::int64_t stride, int k, int max_vectors, const Vectors<const A>& w,
             const Vectors<const A>& z, Wide<A>* sums) {
  const auto blocks = static_cast<unsigned>(rows_of<A>(w.size, 0).num_blocks);
  const int num = (k + w.num) * w.num;
  const auto parts = queue.scratch<A>(std::int64_t{max_vectors + w.num} * w.num * blocks);
  const auto shared = static_cast<std::size_t>(B * tile + num) * sizeof(A);
  allow_shared(block_sums_kernel<B, A, S>, shared);
  block_sums_kernel<B, A, S><<<blocks, threads, shared, queue.stream()>>>(v, stride, w.size, k, w.data, w.stride,
                                                                          z.data, z.stride, w.num, parts.data());
  check_launch("block_sums_kernel", queue.stream());
  add_block_parts_kernel<<<num_blocks(num, 8), 256, 0, queue.stream()>>>(parts.data(), num, static_cast<int>(blocks),
                                                                         sums);
  check_launch("add_block_parts_kernel", queue.stream());
}

template <int B, class A, class S>
void combination_of(Queue& queue, const S* v, std::int64_t stride, int k, const Vectors<A>& w, const Wide<A>* y,
                    bool subtract, S* to) {
  const auto shared = static_cast<std::size_t>(B * (padded(k) + B)) * sizeof(A);
  allow_shared(block_combine_kernel<B, A, S>, shared);
  block_combine_kernel<B, A, S><<<num_blocks(w.size, rows_at_once), rows_at_once, shared, queue.stream()>>>(
      v, stride, w.size, k, w.data, w.stride, w.num, y, subtract, to);
  check_launch("block_combine_kernel", queue.stream());
}

}  // namespace

template <class A, class S>
void BlockKernels<A, S>::sums(Queue& queue, const S* v, std::int64_t stride, int k, int max_vectors,
                              const Vectors<const A>& w, const Vectors<const A>& z, W* to) {
  const DeviceGuard guard(queue.device());
  if (w.num <= 4)
    sums_of<4>(queue, v, stride, k, max_vectors, w, z, to);
  else
    sums_of<8>(queue, v, stride, k, max_vectors, w, z, to);
}

template <class A, class S>
void BlockKernels<A, S>::combine(Queue& queue, const S* v, std::int64_t stride, int k, const Vectors<A>& w, const W* y,
                                 bool subtract, S* to) {
  if (w.size == 0) return;
  const DeviceGuard guard(queue.device());
  if (w.num <= 4)
    combination_of<4>(queue, v, stride, k, w, y, subtract, to);
  else
    combination_of<8>(queue, v, stride, k, w, y, subtract, to);
}

template struct BlockKernels<float, float>;
template struct BlockKernels<double, double>;
template struct BlockKernels<double, float>;
template struct BlockKernels<Complex<float>, Complex<float>>;
template struct BlockKernels<Complex<double>, Complex<double>>;
template struct BlockKernels<Complex<double>, Complex<float>>;

}  // namespace millrace::cuda
