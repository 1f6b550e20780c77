// A block of a few vectors against a Krylov basis: their inner products, and combinations of both. Each reads the basis
// once for all vectors of the block.
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/solve/basis/krylov_basis.hpp"

namespace millrace::detail {

inline constexpr int max_block = 8;  // vectors of a block

/// sums [b, k + b] = <v_j, z_c> for the first k vectors v_j of the basis, then <w_j, z_c> for the block itself; b
/// vectors w and z (Z = W, or M W in the inner product of M). The sums are on the queue's device.
/// Traffic: k vectors, W and Z once. Result: repeatable, and the same bits for any number of threads.
template <class T>
void block_sums(Queue& queue, const Comm& comm, const KrylovBasis<T>& basis, int k, Vectors<const T> w,
                Vectors<const T> z, Wide<T>* sums);

/// W_c = sum_j v_j y[c, j] + sum_j W_j y[c, k + j] with y [b, k + b] on the queue's device; with `to` >= 0 the result
/// goes to vectors to, to + 1, ... of the basis instead. Traffic: k vectors and W; writes b vectors.
template <class T>
void block_combine(Queue& queue, KrylovBasis<T>& basis, int k, Vectors<T> w, const Wide<T>* y, int to = -1);

/// W_c -= sum_j v_j sums[c, j], for what block_sums left.
template <class T>
void block_subtract(Queue& queue, KrylovBasis<T>& basis, int k, Vectors<T> w, const Wide<T>* sums);

}  // namespace millrace::detail

namespace millrace::cuda {

/// The same on a GPU, for vectors of A and a basis [num, stride] of S; `subtract`: y is what `sums` left.
template <class A, class S>
struct BlockKernels {
  using W = detail::Wide<A>;
  static void sums(Queue& queue, const S* v, std::int64_t stride, int k, int max_vectors, const Vectors<const A>& w,
                   const Vectors<const A>& z, W* sums);
  static void combine(Queue& queue, const S* v, std::int64_t stride, int k, const Vectors<A>& w, const W* y,
                      bool subtract, S* to);
};

}  // namespace millrace::cuda
