// Dense blocks times vectors on the host, for BSR and DBF: the sums of a block row stay in vector registers (large
// blocks: in the first cache) while its blocks stream by. A thread walks the two halves of its part together, because
// two streams of memory per thread are faster than one; every row is summed from its first column to its last.
#pragma once

#include <algorithm>
#include <array>

#include "millrace/base/parallel.hpp"
#include "millrace/base/simd.hpp"
#include "millrace/sparse/format/block_sizes.hpp"
#include "millrace/sparse/format/bsr.hpp"
#include "millrace/sparse/product/rows_host.hpp"

namespace millrace::host {

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
  bool plus_x;  // add x to the sums: blocks whose diagonal is the identity and not stored
  Index edge;   // the block column that reaches beyond the last column of the matrix; -1: none does
  std::array<A, std::size_t{K * max_tail}> tail{};  // [K, max_tail], x of that block, filled up with zeros

  BlockProduct(Index size, Index num_cols, A alpha, const Vectors<const A>& xs, A beta, const Vectors<A>& ys,
               bool plus_x)
      : x(xs.data),
        x_stride(xs.stride),
        y(ys.data),
        y_stride(ys.stride),
        alpha(alpha),
        beta(beta),
        reads_y(!is_zero(beta)),
        plus_x(plus_x),
        edge(num_cols % size == 0 ? -1 : num_cols / size) {
    if (edge < 0) return;
    for (int v = 0; v < K; ++v)
      std::copy(x + v * x_stride + Offset{edge} * size, x + v * x_stride + num_cols, tail.begin() + v * max_tail);
  }

  [[gnu::always_inline]] const A* block_of_x(Index column, Index size) const {
    const A* first = x + Offset{column} * size;
    asm("" : "+r"(first));  // one address per block: left alone, GCC 12 forms one per entry (8 % slower for b = 5)
    return first;
  }

  /// y from `row` on, N rows of vector v.
  template <int N>
  [[gnu::always_inline]] void write(const simd::Pack<A, N>& sum, Index row, std::size_t v) const {
    using Rows = simd::Pack<A, N>;
    A* out = y + static_cast<Offset>(v) * y_stride + row;
    Rows result{};
    result.add_scaled(sum, alpha);
    if (plus_x) result.add_scaled(Rows::load(x + static_cast<Offset>(v) * x_stride + row), alpha);
    if (reads_y) result.add_scaled(Rows::load(out), beta);
    result.store(out);
  }
};

/// The sums of a block row of M x M blocks with K vectors, in registers.
template <class A, int M, int K>
struct FixedSums {
  std::array<simd::Pack<A, M>, std::size_t{K}> sums{};

  [[gnu::always_inline]] void add(const A* block, const A* x, Offset x_stride) {
#pragma GCC unroll 8
    for (Index j = 0; j < M; ++j) {
      const auto column = simd::Pack<A, M>::load(block + j * M);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < K; ++v) sums[v].add_scaled(column, x[j + static_cast<Offset>(v) * x_stride]);
    }
  }
  [[gnu::always_inline]] void write(const BlockProduct<A, K>& product, Index row) const {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < K; ++v) product.write(sums[v], row, v);
  }
};

/// The same for blocks of any size, with the sums in an array: two columns at a time, in tiles of rows. Columns of a
/// block are `stride` apart.
template <class A, int K>
struct AnySums {
  static constexpr int rows_at_once = K == 1 ? 16 : 8;
  static constexpr Index space =
      max_block_size + 8;  // of one vector; not a power of two, which would collide in caches
  template <int C>
  using Factors = std::array<std::array<A, std::size_t{K}>, std::size_t{C}>;  // of C columns with K vectors

  const Index size;
  const Offset stride;
  std::array<A, std::size_t{K * space}> sums;  // [K, space], of which the first `size` count

  AnySums(Index size, Offset stride) : size(size), stride(stride) {
    for (int v = 0; v < K; ++v) std::fill_n(sums.begin() + v * space, size, A{0});
  }
  void add(const A* block, const A* x, Offset x_stride) {
    const Index n = size;  // the compiler must see that it stays
    Index j = 0;
    for (; j + 2 <= n; j += 2) add_columns<2>(n, block + j * stride, stride, factors<2>(x + j, x_stride));
    if (j < n) add_columns<1>(n, block + j * stride, stride, factors<1>(x + j, x_stride));
  }
  /// A block of this row and one of another row in turns.
  void add_with(const A* block, const A* x, AnySums& other, const A* other_block, const A* other_x, Offset x_stride) {
    const Index n = size;
    const auto add_both = [&]<int C>(std::integral_constant<int, C>, Index j) __attribute__((always_inline)) {
      add_columns<C>(n, block + j * stride, stride, factors<C>(x + j, x_stride));
      other.template add_columns<C>(n, other_block + j * other.stride, other.stride, factors<C>(other_x + j, x_stride));
    };
    Index j = 0;
    for (; j + 2 <= n; j += 2) add_both(std::integral_constant<int, 2>{}, j);
    if (j < n) add_both(std::integral_constant<int, 1>{}, j);
  }
  /// Two blocks of this row, their columns together.
  void add_two(const A* block, const A* x, const A* other_block, const A* other_x, Offset x_stride) {
    const Index n = size;
    for (Index j = 0; j < n; ++j)
      add_columns<2>(n, block + j * stride, other_block - block,
                     {factors<1>(x + j, x_stride)[0], factors<1>(other_x + j, x_stride)[0]});
  }
  void write(const BlockProduct<A, K>& product, Index row, Index count) const {
    for (std::size_t v = 0; v < K; ++v) {
      const A* sum = sums.data() + static_cast<Index>(v) * space;
      Index i = 0;
      for (; i + 8 <= count; i += 8) product.write(simd::Pack<A, 8>::load(sum + i), row + i, v);
      for (; i < count; ++i) product.write(simd::Pack<A, 1>{sum[i]}, row + i, v);
    }
  }

 private:
  template <int C>
  [[gnu::always_inline]] static Factors<C> factors(const A* x, Offset x_stride) {
    Factors<C> values;
    for (std::size_t c = 0; c < C; ++c)
      for (std::size_t v = 0; v < K; ++v) values[c][v] = x[static_cast<Offset>(c) + static_cast<Offset>(v) * x_stride];
    return values;
  }
  /// C columns of n rows that lie `apart`.
  template <int C>
  [[gnu::always_inline]] void add_columns(Index n, const A* columns, Offset apart, const Factors<C>& x) {
    Index i = 0;
    for (; i + rows_at_once <= n; i += rows_at_once) add_tile<rows_at_once, C>(columns, apart, i, x);
    if (rows_at_once > 8 && n - i >= 8) add_tile<8, C>(columns, apart, std::exchange(i, i + 8), x);
    if (n - i >= 4) add_tile<4, C>(columns, apart, std::exchange(i, i + 4), x);
    if (n - i >= 2) add_tile<2, C>(columns, apart, std::exchange(i, i + 2), x);
    if (n - i >= 1) add_tile<1, C>(columns, apart, i, x);
  }
  /// R rows of these columns from row i on.
  template <int R, int C>
  [[gnu::always_inline]] void add_tile(const A* columns, Offset apart, Index i, const Factors<C>& x) {
    using Rows = simd::Pack<A, R>;
    std::array<Rows, std::size_t{K}> sum;
    A* at = sums.data() + i;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < K; ++v) sum[v] = Rows::load(at + static_cast<Index>(v) * space);
#pragma GCC unroll 2
    for (std::size_t c = 0; c < C; ++c) {
      const Rows column = Rows::load(columns + static_cast<Offset>(c) * apart + i);
#pragma GCC unroll 4
      for (std::size_t v = 0; v < K; ++v) sum[v].add_scaled(column, x[c][v]);
    }
#pragma GCC unroll 4
    for (std::size_t v = 0; v < K; ++v) sum[v].store(at + static_cast<Index>(v) * space);
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

/// The blocks of a block row that lie inside the matrix; one more may reach beyond its right edge.
template <class A, int K>
[[gnu::always_inline]] inline Index num_inside(const BlockRow<A>& row, const BlockProduct<A, K>& product) {
  const bool cut = product.edge >= 0 && row.num_blocks > 0 && row.cols[row.num_blocks - 1] == product.edge;
  return row.num_blocks - (cut ? 1 : 0);
}

/// Block rows [begin, end) of blocks of M, none cut off. With one vector, row i of the first half goes together with
/// row i of the second; with several the arithmetic leaves time enough for one stream.
template <int M, class A, int K, BlockFormat V>
void multiply_fixed(const V& view, Index begin, Index end, const BlockProduct<A, K>& product) {
  using Sums = FixedSums<A, M, K>;
  V a = view;
  a.block = M;  // now the compiler knows it
  const auto add = [&](Sums & sums, const BlockRow<A>& row, Index k) __attribute__((always_inline)) {
    sums.add(row.vals + Offset{k} * (M * M), product.block_of_x(row.cols[k], M), product.x_stride);
  };
  const auto finish = [&](Sums & sums, const BlockRow<A>& row, Index k, Index inside) __attribute__((always_inline)) {
    for (; k < inside; ++k) add(sums, row, k);
    if (inside < row.num_blocks) [[unlikely]]
      sums.add(row.vals + Offset{inside} * (M * M), product.tail.data(), product.max_tail);
    sums.write(product, row.first_row);
  };
  Index i = begin;
  if constexpr (K == 1 && 2 * registers_of<A, M>() <= registers_for_sums) {
    const Index half = (end - begin) / 2;
    for (; i < begin + half; ++i) {
      const BlockRow<A> first = a.block_row(i), second = a.block_row(i + half);
      const Index in_first = num_inside(first, product), in_second = num_inside(second, product);
      const Index common = std::min(in_first, in_second);
      Sums of_first, of_second;
      for (Index k = 0; k < common; ++k) {
        add(of_first, first, k);
        add(of_second, second, k);
      }
      finish(of_first, first, common, in_first);
      finish(of_second, second, common, in_second);
    }
    i += half;
  }
  for (; i < end; ++i) {
    const BlockRow<A> row = a.block_row(i);
    Sums sums;
    finish(sums, row, 0, num_inside(row, product));
  }
}

/// Block rows [begin, end) of blocks of any size. Two streams again: small blocks of two rows in turns, or two large
/// blocks of one row together.
template <class A, int K, BlockFormat V>
void multiply_any(const V& a, Index begin, Index end, const BlockProduct<A, K>& product) {
  constexpr Index large = 64;  // between 50 and 105, where the two change places on a Neoverse-V1
  const auto block = [&](const BlockRow<A>& row, Index k) { return row.vals + Offset{k} * a.block * row.stride; };
  const auto x_of = [&](const BlockRow<A>& row, Index k) { return product.x + Offset{row.cols[k]} * a.block; };
  const auto finish = [&](AnySums<A, K>& sums, const BlockRow<A>& row, Index k, Index inside) {
    for (; k < inside; ++k) sums.add(block(row, k), x_of(row, k), product.x_stride);
    if (inside < row.num_blocks) sums.add(block(row, inside), product.tail.data(), product.max_tail);
    sums.write(product, row.first_row, std::min(a.block, a.num_rows - row.first_row));
  };
  const Index half = K == 1 && a.block < large ? (end - begin) / 2 : 0;
  Index i = begin;
  for (; i < begin + half; ++i) {
    const BlockRow<A> first = a.block_row(i), second = a.block_row(i + half);
    const Index in_first = num_inside(first, product), in_second = num_inside(second, product);
    const Index common = std::min(in_first, in_second);
    AnySums<A, K> of_first(a.block, first.stride), of_second(a.block, second.stride);
    for (Index k = 0; k < common; ++k)
      of_first.add_with(block(first, k), x_of(first, k), of_second, block(second, k), x_of(second, k),
                        product.x_stride);
    finish(of_first, first, common, in_first);
    finish(of_second, second, common, in_second);
  }
  for (i += half; i < end; ++i) {
    const BlockRow<A> row = a.block_row(i);
    const Index inside = num_inside(row, product), pairs = a.block < large ? 0 : inside / 2;
    AnySums<A, K> sums(a.block, row.stride);
    for (Index k = 0; k < pairs; ++k)
      sums.add_two(block(row, k), x_of(row, k), block(row, k + pairs), x_of(row, k + pairs), product.x_stride);
    finish(sums, row, 2 * pairs, inside);
  }
}

/// The first block row of a thread's part: blocks and block rows before it are about its share.
template <BlockFormat V>
Index first_block_row_of(const V& a, int thread, int num_threads) {
  const Index num_block_rows = a.num_block_rows();
  if (thread == num_threads) return num_block_rows;
  const Offset wanted = (a.blocks_before(num_block_rows) + num_block_rows) / num_threads * thread;
  return row_at(num_block_rows, wanted, [&](Index i) { return a.blocks_before(i); });
}

/// y = alpha A x + beta y for a view of block rows; with plus_x, A + I in place of A.
template <BlockFormat V, class A>
void multiply_blocks(int num_threads, const V& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y,
                     bool plus_x = false) {
  const Team threads = team_of_product(num_threads, a.slots_before(a.num_rows) + a.num_rows);
  with_block_size(a.contiguous() ? a.block : 0, [&]<int M>() {
    for_vector_groups(x, y, [&]<int K>(const Vectors<const A>& xs, const Vectors<A>& ys) {
      const BlockProduct<A, K> product(a.block, a.num_cols, alpha, xs, beta, ys, plus_x);
      parallel(threads, [&](int thread, int count) {
        const Index begin = first_block_row_of(a, thread, count), end = first_block_row_of(a, thread + 1, count);
        if constexpr (M > 0 && registers_of<A, M>() * K <= registers_for_sums) {
          const Index whole = std::min(end, a.num_rows / M);  // a last block row may be cut off
          multiply_fixed<M>(a, begin, whole, product);
          multiply_any(a, std::max(begin, whole), end, product);
        } else {
          multiply_any(a, begin, end, product);
        }
      });
    });
  });
}

}  // namespace millrace::host
