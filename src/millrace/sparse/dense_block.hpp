// Dense blocks times vectors on the host, for BSR and DBF: the sums of a block row stay in vector registers (large
// blocks: in the first cache) while its blocks stream by. A thread walks the two halves of its part together, because
// two streams of memory a thread are faster than one; every row is summed from its first column to its last.
#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "millrace/base/parallel.hpp"
#include "millrace/base/simd.hpp"
#include "millrace/sparse/bsr.hpp"
#include "millrace/sparse/schedule_host.hpp"

namespace millrace::host {

/// Sizes of blocks that have a kernel of their own; all others take the one of run-time size.
using BlockSizes = std::integer_sequence<int, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24>;
constexpr Index max_block_size = 1024;

/// Calls f<M>() with M = size if that was compiled, otherwise f<0>(). True if it was.
template <class F>
constexpr bool with_block_size(Index size, F&& f) {
  const bool found = [&]<int... Sizes>(std::integer_sequence<int, Sizes...>) {
    return ((size == Sizes ? (f.template operator()<Sizes>(), true) : false) || ...);
  }
  (BlockSizes{});
  if (!found) f.template operator()<0>();
  return found;
}
constexpr bool has_own_kernel(Index size) {
  return with_block_size(size, []<int>() {});
}

/// What all block rows of a product with K vectors share.
template <class A, int K>
struct BlockProduct {
  static constexpr Index max_tail = 32;  // only BSR has edges, and its blocks are small

  const A* x;
  Offset x_stride;
  A* y;
  Offset y_stride;
  A alpha, beta;
  bool reads_y;
  Index edge;  // the block column that reaches beyond the last column of the matrix; -1: none does
  std::array<A, std::size_t{K * max_tail}> tail{};  // [K, max_tail], x of that block, filled up with zeros

  BlockProduct(Index size, Index num_cols, A alpha, const Vectors<const A>& xs, A beta, const Vectors<A>& ys)
      : x(xs.data),
        x_stride(xs.stride),
        y(ys.data),
        y_stride(ys.stride),
        alpha(alpha),
        beta(beta),
        reads_y(!is_zero(beta)),
        edge(num_cols % size == 0 ? -1 : num_cols / size) {
    if (edge < 0) return;
    for (int v = 0; v < K; ++v)
      std::copy(x + v * x_stride + Offset{edge} * size, x + v * x_stride + num_cols, tail.begin() + v * max_tail);
  }

  [[gnu::always_inline]] const A* block_of_x(Index column, Index size) const {
    const A* first = x + Offset{column} * size;
    asm("" : "+r"(first));  // one address a block: left alone, GCC 12 forms one an entry (8 % slower for b = 5)
    return first;
  }

  /// y from `row` on, N rows of vector v.
  template <int N>
  [[gnu::always_inline]] void write(const simd::Pack<A, N>& sum, Index row, std::size_t v) const {
    using Rows = simd::Pack<A, N>;
    A* out = y + static_cast<Offset>(v) * y_stride + row;
    Rows result{};
    result.add_scaled(sum, alpha);
    if (reads_y) result.add_scaled(Rows::load(out), beta);
    result.store(out);
  }
};

/// The sums of a block row of M x M blocks with K vectors, in registers.
template <class A, int M, int K>
struct FixedSums {
  std::array<simd::Pack<A, M>, std::size_t{K}> sums{};

  FixedSums(Index, Offset) {}
  [[gnu::always_inline]] void add(const A* block, const A* x, Offset x_stride) {
#pragma GCC unroll 8
    for (Index j = 0; j < M; ++j) {
      const auto column = simd::Pack<A, M>::load(block + j * M);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < K; ++v) sums[v].add_scaled(column, x[j + static_cast<Offset>(v) * x_stride]);
    }
  }
  [[gnu::always_inline]] void write(const BlockProduct<A, K>& product, Index row, Index) const {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < K; ++v) product.write(sums[v], row, v);
  }
};

/// The same for blocks of any size, with the sums in an array. Columns of a block are `stride` apart.
template <class A, int K>
struct AnySums {
  static constexpr int columns_at_once = 4, rows_at_once = 8;
  template <int C>
  using Factors = std::array<std::array<A, std::size_t{K}>, std::size_t{C}>;

  Index size;
  Offset stride;
  std::array<A, std::size_t{K * max_block_size}> sums;  // [K, size], and unused space

  AnySums(Index size, Offset stride) : size(size), stride(stride) {
    std::fill(sums.begin(), sums.begin() + K * size, A{0});
  }
  void add(const A* block, const A* x, Offset x_stride) {
    Index j = 0;
    for (; j + columns_at_once <= size; j += columns_at_once)
      add_columns<columns_at_once>(block + j * stride, x + j, x_stride);
    for (; j < size; ++j) add_columns<1>(block + j * stride, x + j, x_stride);
  }
  void write(const BlockProduct<A, K>& product, Index row, Index count) const {
    for (std::size_t v = 0; v < K; ++v)
      for (Index i = 0; i < count; ++i)
        product.write(simd::Pack<A, 1>{sums[v * static_cast<std::size_t>(size) + static_cast<std::size_t>(i)]}, row + i,
                      v);
  }

  /// C columns of a block, in tiles of rows.
  template <int C>
  [[gnu::always_inline]] void add_columns(const A* columns, const A* x, Offset x_stride) {
    Factors<C> factors;
    for (std::size_t c = 0; c < C; ++c)
      for (std::size_t v = 0; v < K; ++v) factors[c][v] = x[static_cast<Offset>(c) + static_cast<Offset>(v) * x_stride];
    Index i = 0;
    for (; i + rows_at_once <= size; i += rows_at_once) add_tile<rows_at_once, C>(columns, i, factors);
    if (size & 4) add_tile<4, C>(columns, i, factors);
    if (size & 2) add_tile<2, C>(columns, i + (size & 4), factors);
    if (size & 1) add_tile<1, C>(columns, size - 1, factors);
  }

  /// R rows of these columns from row i on.
  template <int R, int C>
  [[gnu::always_inline]] void add_tile(const A* columns, Index i, const Factors<C>& factors) {
    using Rows = simd::Pack<A, R>;
    std::array<Rows, std::size_t{K}> sum;
    A* of_first = sums.data() + i;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < K; ++v) sum[v] = Rows::load(of_first + static_cast<Index>(v) * size);
#pragma GCC unroll 8
    for (std::size_t c = 0; c < C; ++c) {
      const Rows column = Rows::load(columns + static_cast<Offset>(c) * stride + i);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < K; ++v) sum[v].add_scaled(column, factors[c][v]);
    }
#pragma GCC unroll 4
    for (std::size_t v = 0; v < K; ++v) sum[v].store(of_first + static_cast<Index>(v) * size);
  }
};

/// Vector registers that N numbers of A take: one a part of a pack.
template <class A, int N>
constexpr int registers_of() {
  if constexpr (N == 0)
    return 0;
  else
    return 1 + registers_of<A, N - simd::Pack<A, N>::head_size>();
}
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int registers_for_sums = 24;  // of 32; the others hold a column and its factors
#else
constexpr int registers_for_sums = 12;  // of 16
#endif

/// Block rows [begin, end) of blocks of M, or of any size when M is 0. With one vector, row i of the first half goes
/// together with row i of the second; with several the arithmetic leaves time enough for one stream.
template <class A, int M, int K, class V>
void multiply_block_rows(const V& view, Index begin, Index end, const BlockProduct<A, K>& product) {
  using Sums = std::conditional_t<M == 0, AnySums<A, K>, FixedSums<A, M, K>>;
  V a = view;
  if constexpr (M > 0) a.block = M;  // now the compiler knows it
  const Index edge = product.edge;
  const auto add = [&](auto& sums, const BlockRow<A>& row, Index k) __attribute__((always_inline)) {
    sums.add(row.vals + Offset{k} * a.block * row.stride, product.block_of_x(row.cols[k], a.block), product.x_stride);
  };
  const auto num_inside = [&](const BlockRow<A>& row) __attribute__((always_inline)) {
    return row.num_blocks - (edge >= 0 && row.num_blocks > 0 && row.cols[row.num_blocks - 1] == edge);
  };
  const auto finish = [&](auto& sums, const BlockRow<A>& row, Index k, Index inside, Index count)
      __attribute__((always_inline)) {
    for (; k < inside; ++k) add(sums, row, k);
    if (inside < row.num_blocks) [[unlikely]]
      sums.add(row.vals + Offset{inside} * a.block * row.stride, product.tail.data(), product.max_tail);
    sums.write(product, row.first_row, count);
  };
  const auto multiply_one = [&]<class S>(std::type_identity<S>, Index i, Index count) __attribute__((always_inline)) {
    const BlockRow<A> row = a.block_row(i);
    S sums(a.block, row.stride);
    finish(sums, row, 0, num_inside(row), count);
  };
  Index i = begin;
  const Index whole = std::min(end, a.num_rows / a.block);  // a last block row may be cut off
  if constexpr (K == 1 && 2 * registers_of<A, M>() <= registers_for_sums) {
    const Index half = (whole - begin) / 2;
    for (; i < begin + half; ++i) {
      const BlockRow<A> first = a.block_row(i), second = a.block_row(i + half);
      const Index in_first = num_inside(first), in_second = num_inside(second), common = std::min(in_first, in_second);
      Sums of_first(a.block, first.stride), of_second(a.block, second.stride);
      for (Index k = 0; k < common; ++k) {
        add(of_first, first, k);
        add(of_second, second, k);
      }
      finish(of_first, first, common, in_first, a.block);
      finish(of_second, second, common, in_second, a.block);
    }
    i += half;
  }
  for (; i < whole; ++i) multiply_one(std::type_identity<Sums>{}, i, a.block);
  if (whole < end) multiply_one(std::type_identity<AnySums<A, K>>{}, whole, a.num_rows - whole * a.block);
}

/// The first block row of a thread's part: blocks and block rows before it are about its share.
template <class V>
Index first_block_row_of(const V& a, int thread, int num_threads) {
  const Index num_block_rows = a.num_block_rows();
  if (thread == num_threads) return num_block_rows;
  const Offset wanted = (a.blocks_before(num_block_rows) + num_block_rows) / num_threads * thread;
  Index low = 0, high = num_block_rows;
  while (low < high) {
    const Index middle = low + (high - low) / 2;
    if (a.blocks_before(middle) + middle < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// y = alpha A x + beta y for a view of block rows.
template <class V, class A>
void multiply_blocks(int num_threads, const V& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  const int threads = useful_threads(a.slots_before(a.num_rows) + a.num_rows, num_threads);
  with_block_size(a.contiguous() ? a.block : 0, [&]<int M>() {
    for_vector_groups(x, y, [&]<int K>(const Vectors<const A>& xs, const Vectors<A>& ys) {
      const BlockProduct<A, K> product(a.block, a.num_cols, alpha, xs, beta, ys);
      parallel(threads, [&](int thread, int count) {
        const Index begin = first_block_row_of(a, thread, count), end = first_block_row_of(a, thread + 1, count);
        multiply_block_rows<A, registers_of<A, M>() * K <= registers_for_sums ? M : 0>(a, begin, end, product);
      });
    });
  });
}

}  // namespace millrace::host
