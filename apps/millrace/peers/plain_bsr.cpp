// The plain peer for matrices of dense blocks: the loop over block rows that everybody writes, with one OpenMP pragma
// and the block size known to the compiler, which makes vector code for columns as good as for rows or better.
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "millrace/base/dispatch.hpp"
#include "millrace/bench/contender.hpp"
#include "millrace/bench/features.hpp"
#include "peers/blocks.hpp"

namespace millrace::bench {

namespace {

template <class A>
struct PlainBsr {
  Index size = 1;  // of a block, b
  Index num_rows = 0, num_cols = 0, num_block_rows = 0;
  Array<Offset> row_ptr{};  // [num_block_rows + 1]
  Array<Index> cols{};      // [num_blocks], block columns
  Array<A> vals{};          // [num_blocks, b, b], the columns of a block one after another
};

template <int... Values>
struct Sizes {
  static constexpr std::array<Index, sizeof...(Values)> list{Values...};
  static constexpr std::size_t largest = std::max({static_cast<std::size_t>(Values)...});
  template <class F>
  static void with(Index size, F&& f) {
    dispatch<Values...>("block size", size, f);
  }
};
using Compiled = Sizes<2, 3, 4, 5, 6, 7, 8, 10, 12, 16>;

// Calls f(block, i, slot) for every entry: the number of its block in this block row, its row there, and where the
// entry is stored. Returns the number of blocks. The rows are walked together from one block column to the next.
template <class View, class F>
Offset walk_block_row(const View& a, Index block_row, Index size, F&& f) {
  const Index first = block_row * size;
  std::array<Offset, Compiled::largest> at{};
  std::copy_n(a.row_ptr + first, size, at.begin());
  for (Offset count = 0;; ++count) {
    Index nearest = a.num_cols;
    for (Index i = 0; i < size; ++i) {
      const Offset s = at[static_cast<std::size_t>(i)];
      if (s < a.row_ptr[first + i + 1]) nearest = std::min(nearest, a.cols[s]);
    }
    if (nearest == a.num_cols) return count;
    const Index block_col = nearest / size;
    for (Index i = 0; i < size; ++i)
      for (Offset& s = at[static_cast<std::size_t>(i)]; s < a.row_ptr[first + i + 1] && a.cols[s] / size == block_col;)
        f(count, i, s++);
  }
}

template <class T>
PlainBsr<Arith<T>> make_bsr(const Csr<T>& sorted, Index size, int num_threads) {
  using A = Arith<T>;
  PlainBsr<A> bsr{.size = size,
                  .num_rows = sorted.num_rows,
                  .num_cols = sorted.num_cols,
                  .num_block_rows = sorted.num_rows / size,
                  .row_ptr = Array<Offset>(sorted.num_rows / size + 1, Offset{0})};
  sorted.visit_view([&](const auto& a) {
    const auto for_block_rows = [&](auto&& f) {
      parallel(num_threads, [&](int thread, int count) {
        const auto [begin, end] = even_part(bsr.num_block_rows, thread, count);
        for (auto b = begin; b < end; ++b) f(static_cast<Index>(b));
      });
    };
    Offset* row_ptr = bsr.row_ptr.data();
    for_block_rows([&](Index b) { row_ptr[b + 1] = walk_block_row(a, b, size, [](Offset, Index, Offset) {}); });
    std::partial_sum(row_ptr, row_ptr + bsr.num_block_rows + 1, row_ptr);
    const Offset num_blocks = row_ptr[bsr.num_block_rows], area = Offset{size} * size;
    bsr.cols = Array<Index>(num_blocks);
    bsr.vals = Array<A>(num_blocks * area, A{});
    for_block_rows([&](Index b) {
      walk_block_row(a, b, size, [&](Offset block, Index i, Offset s) {
        const Offset to = row_ptr[b] + block;
        bsr.cols.data()[to] = a.cols[s] / size;
        bsr.vals.data()[to * area + Offset{a.cols[s] % size} * size + i] = a.vals[s];
      });
    });
  });
  return bsr;
}

template <int B, class A>
void multiply(const PlainBsr<A>& a, const A* x, A* y, int num_vectors, [[maybe_unused]] int num_threads) {
  const Index num_block_rows = a.num_block_rows;
  const Offset* row_ptr = a.row_ptr.data();
  const Index* cols = a.cols.data();
  const A* vals = a.vals.data();
#pragma omp parallel for schedule(static) num_threads(num_threads)
  for (Index r = 0; r < num_block_rows; ++r)
    for (int v = 0; v < num_vectors; ++v) {
      const A* x_v = x + static_cast<Offset>(v) * a.num_cols;
      A* y_v = y + static_cast<Offset>(v) * a.num_rows;
      A sum[std::size_t{B}] = {};
      for (Offset s = row_ptr[r]; s < row_ptr[r + 1]; ++s) {
        const A* block = vals + s * (B * B);
        const A* x_block = x_v + Offset{cols[s]} * B;
        for (int j = 0; j < B; ++j)
          for (int i = 0; i < B; ++i) sum[i] = multiply_add(block[j * B + i], x_block[j], sum[i]);
      }
      for (int i = 0; i < B; ++i) y_v[Offset{r} * B + i] = sum[i];
    }
}

}  // namespace

template <class T>
Makers<T> plain_bsr_peers(const Problem<T>& problem) {
  return {{"plain bsr", [problem] {
             using A = Arith<T>;
             std::optional<Csr<T>> copy;
             const Csr<T>& sorted = with_sorted_rows(problem.a, copy);
             const Index size = find_block_size<T>(sorted, Compiled::list);
             const int num_threads = problem.queue.num_threads();
             const auto bsr = std::make_shared<const PlainBsr<A>>(make_bsr(sorted, size, num_threads));
             const std::int64_t index_bytes = bsr->row_ptr.bytes() + bsr->cols.bytes();
             Contender<T> contender;
             contender.facts = {
                 .name = "plain bsr",
                 .format = "bsr",
                 .own = false,
                 .note = join("blocks of ", size,
                              features::openmp ? ", OpenMP, schedule(static)" : ", one thread: built without OpenMP"),
                 .artificial_zeros = bsr->vals.size() - sorted.num_entries(),
                 .format_bytes = index_bytes + bsr->vals.bytes(),
                 .moved_bytes = index_bytes + sorted.vals.bytes()};
             contender.run = [problem, bsr, num_threads] {
               Compiled::with(bsr->size, [&]<int B>() {
                 multiply<B>(*bsr, arith(problem.x.data), arith(problem.y.data), problem.x.num, num_threads);
               });
             };
             return contender;
           }}};
}

template Makers<float> plain_bsr_peers(const Problem<float>&);
template Makers<double> plain_bsr_peers(const Problem<double>&);
template Makers<std::complex<float>> plain_bsr_peers(const Problem<std::complex<float>>&);
template Makers<std::complex<double>> plain_bsr_peers(const Problem<std::complex<double>>&);

}  // namespace millrace::bench
