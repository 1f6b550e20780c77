// Pieces of the kernels on a Krylov basis: which rows a block walks, loads of several vectors at once, and fixed trees
// of sums.
#pragma once

#include "millrace/base/multiprocessors.hpp"
#include "millrace/base/warp.cuh"
#include "millrace/solve/basis/krylov_basis.hpp"

namespace millrace::cuda::krylov {

using detail::Arnoldi, detail::Wide;

inline constexpr int threads = 512;
inline constexpr int warps = threads / 32;
inline constexpr int chunk = 4;  // vectors of the basis that are loaded together

/// Entries of a vector that a thread holds: 32 bytes.
template <class A>
constexpr int num_entries = static_cast<int>(32 / sizeof(A));

/// Rows of a block, in tiles of equal length that its threads hold at once.
struct Rows {
  std::int64_t begin, end, tile;
  int num_tiles;
  int num_blocks;
};
template <class A>
MILLRACE_HD Rows rows_of(std::int64_t n, int block) {
  constexpr std::int64_t max_tile = threads * num_entries<A>;
  const std::int64_t wanted = (n + threads - 1) / threads;
  const std::int64_t blocks = wanted < 1 ? 1 : wanted < krylov_blocks ? wanted : krylov_blocks;
  const std::int64_t share = ((n + blocks - 1) / blocks + 31) / 32 * 32;
  const std::int64_t tiles = share > max_tile ? (share + max_tile - 1) / max_tile : 1;
  const std::int64_t tile = ((share + tiles - 1) / tiles + 31) / 32 * 32;  // at most max_tile, a multiple of 32 itself
  const std::int64_t begin = block * share < n ? block * share : n;
  return {begin, begin + share < n ? begin + share : n, tile, static_cast<int>(tiles), static_cast<int>(blocks)};
}

/// The rows first, first + threads, ... below last of `chunk` vectors, of which those from `count` on are zero.
template <class S, int E>
__device__ inline void load_chunk(S (&r_v)[chunk][E], const S* v, std::int64_t stride, int count, std::int64_t first,
                                  std::int64_t last) {
#pragma unroll
  for (int c = 0; c < chunk; ++c)
#pragma unroll
    for (int e = 0; e < E; ++e) {
      const std::int64_t i = first + e * threads;
      r_v[c][e] = c < count && i < last ? v[c * stride + i] : S{};
    }
}
template <class A, int E>
__device__ inline void load_vector(A (&r_x)[E], const A* x, std::int64_t first, std::int64_t last) {
#pragma unroll
  for (int e = 0; e < E; ++e) {
    const std::int64_t i = first + e * threads;
    r_x[e] = i < last ? x[i] : A{};
  }
}

/// Sums each of 8 numbers over the warp and hands number lane / 4 back: half of them change hands at every turn.
template <class A>
__device__ inline A warp_sums(A (&r_x)[8], int lane) {
#pragma unroll
  for (int mask = 16, half = 4; mask >= 4; mask /= 2, half /= 2)
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const A keep = lane & mask ? r_x[i + half] : r_x[i], give = lane & mask ? r_x[i] : r_x[i + half];
      r_x[i] = keep + shuffle_xor(give, mask);
    }
  A sum = r_x[0] + shuffle_xor(r_x[0], 2);
  return sum + shuffle_xor(sum, 1);
}
/// This thread's part of the sums over its rows: those with the basis into s_sums [2 k], the others into r_rest.
template <class A, class S, int E = num_entries<A>>
__device__ inline void add_tile(const S* v, std::int64_t stride, int k, const A* u, const A* w, std::int64_t first,
                                std::int64_t last, A* s_sums, A (&r_rest)[3]) {
  A r_u[E], r_w[E] = {};
  S r_v[chunk][E];
  load_vector(r_u, u, first, last);
  if (w) load_vector(r_w, w, first, last);
  load_chunk(r_v, v, stride, k, first, last);
#pragma unroll
  for (int e = 0; e < E; ++e) {
    r_rest[0] = multiply_add(conjugate(r_u[e]), r_u[e], r_rest[0]);
    r_rest[1] = multiply_add(conjugate(r_u[e]), r_w[e], r_rest[1]);
    r_rest[2] = multiply_add(conjugate(r_w[e]), r_w[e], r_rest[2]);
  }
  const int lane = static_cast<int>(threadIdx.x % 32);
  for (int c = 0; c < k; c += chunk) {
    S r_next[chunk][E];
    load_chunk(r_next, v + (c + chunk) * stride, stride, k - c - chunk, first, last);
    A r_sums[2 * chunk] = {};
#pragma unroll
    for (int j = 0; j < chunk; ++j)
#pragma unroll
      for (int e = 0; e < E; ++e) {
        const A value = conjugate(change_type<A>(r_v[j][e]));
        r_sums[j] = multiply_add(value, r_u[e], r_sums[j]);
        r_sums[chunk + j] = multiply_add(value, r_w[e], r_sums[chunk + j]);
        r_v[j][e] = r_next[j][e];
      }
    const A sum = warp_sums(r_sums, lane);
    const int j = lane / 4 % chunk;
    if (lane % 4 == 0 && c + j < k) s_sums[(lane < 16 ? 0 : k) + c + j] += sum;
  }
}

/// Adds the parts of all blocks in a fixed tree: sum q of `num`, from [num, blocks], into s_small[q].
template <class A, class W>
__device__ inline void add_parts(const A* parts, int num, int blocks, W* s_small) {
  constexpr int max_parts = (krylov_blocks + 31) / 32;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll 2
  for (int q = warp; q < num; q += warps) {
    A r_parts[max_parts];
#pragma unroll
    for (int i = 0; i < max_parts; ++i)
      r_parts[i] = lane + 32 * i < blocks ? load_fresh(parts + q * blocks + lane + 32 * i) : A{};
    A sum = r_parts[0];
#pragma unroll
    for (int i = 1; i < max_parts; ++i) sum += r_parts[i];
    sum = warp_sum_everywhere(sum);
    if (lane == 0) s_small[q] = change_type<W>(sum);
  }
}

/// r_sums[q] += V s_y[q] over `count` vectors, for the rows of this thread; s_y is [R, pad] and zero beyond count.
template <int R, class A, class S, int E>
__device__ inline void add_combination(A (&r_sums)[R][E], const S* v, std::int64_t stride, int count, const A* s_y,
                                       int pad, std::int64_t first, std::int64_t last) {
  S r_v[chunk][E];
  load_chunk(r_v, v, stride, count, first, last);
  for (int c = 0; c < count; c += chunk) {
    S r_next[chunk][E];
    load_chunk(r_next, v + (c + chunk) * stride, stride, count - c - chunk, first, last);
#pragma unroll
    for (int j = 0; j < chunk; ++j)
#pragma unroll
      for (int e = 0; e < E; ++e) {
        const A value = change_type<A>(r_v[j][e]);
#pragma unroll
        for (int q = 0; q < R; ++q) r_sums[q][e] = multiply_add(value, s_y[q * pad + c + j], r_sums[q][e]);
        r_v[j][e] = r_next[j][e];
      }
  }
}

MILLRACE_HD constexpr int padded(int count) { return (count + chunk - 1) / chunk * chunk; }

}  // namespace millrace::cuda::krylov
