// The dense block format on host threads, from CSR or from blocks.
#include "millrace/sparse/convert/dbf.hpp"

#include <algorithm>
#include <vector>

#include "millrace/base/thread_limit.hpp"
#include "millrace/sparse/convert/run.hpp"

namespace millrace {
namespace {

/// Sets count bits; other threads may set others of the same words.
void set_bits(std::uint64_t* words, Offset first, Offset count) {
  while (count > 0) {
    const Offset bit = first % 64, here = std::min<Offset>(count, 64 - bit);
    const std::uint64_t ones = here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
    convert::fetch_or(words + first / 64, ones << bit);
    first += here;
    count -= here;
  }
}

}  // namespace

template <class T>
Dbf<T> Dbf<T>::from_csr(Queue& queue, const Csr<T>& a, const FormatSpec& spec, Trust trusted) {
  const ThreadLimit limit(queue);
  return convert::run<Dbf>(queue, a, spec, trusted);
}

template <class T>
Dbf<T> Dbf<T>::from_blocks(Index m, Index na, std::span<const Index> neighbours, std::span<const T> blocks, Index group,
                           bool apart) {
  require(m >= 1 && m <= max_block && na >= 0 && group >= 1, "dbf: blocks of ", m, ", ", na,
          " per block row, in groups of ", group, "; sizes from 1 to ", max_block, " and groups from 1 are accepted");
  const Offset n = na == 0 ? 0 : std::ssize(neighbours) / na, area = Offset{m} * m;
  require(n * na == std::ssize(neighbours) && std::ssize(blocks) == n * na * area, "dbf: ", na, " blocks of ", m,
          " per block row; there are ", neighbours.size(), " neighbours and ", blocks.size(),
          " values, but n block rows need ", na, " n and ", na * area, " n");
  require(n * m <= std::numeric_limits<Index>::max(), "dbf: ", n, " block rows of ", m, " rows are too many");

  BlockPattern pattern{m, Array<Offset>(n + 1), {}};
  std::vector<Index> cols;     // [blocks], ascending in a block row
  std::vector<Offset> source;  // [blocks], which of the caller's
  pattern.block_ptr.data()[0] = 0;
  for (Offset f = 0; f < n; ++f) {
    const std::size_t begin = source.size();
    for (Offset k = f * na; k < (f + 1) * na; ++k) {
      const Index column = neighbours[static_cast<std::size_t>(k)];
      require(column >= -1 && column < n, "dbf: block row ", f, " has neighbour ", column, "; they run from 0 to ",
              n - 1, ", or -1 for padding");
      if (column >= 0) source.push_back(k);
    }
    const auto column_of = [&](Offset k) { return neighbours[static_cast<std::size_t>(k)]; };
    std::sort(source.begin() + static_cast<Offset>(begin), source.end(),
              [&](Offset k, Offset l) { return column_of(k) < column_of(l); });
    for (std::size_t i = begin; i < source.size(); ++i) {
      require(i == begin || cols.back() != column_of(source[i]), "dbf: block row ", f, " has neighbour ",
              column_of(source[i]), " twice; add the blocks up first");
      cols.push_back(column_of(source[i]));
    }
    pattern.block_ptr.data()[f + 1] = std::ssize(source);
  }
  pattern.block_cols = Array<Index>(std::span<const Index>(cols));

  const convert::HostSteps steps{Queue()};
  Array<Index> counts = convert::block_counts(steps, pattern, nullptr);
  Dbf b;
  b.num_rows = b.num_cols = static_cast<Index>(n * m);
  b.width = n == 0 ? 0 : *std::max_element(counts.data(), counts.data() + n);
  convert::lay_out(steps, pattern, std::move(counts), group, apart, b);
  b.entries = pattern.num_blocks() * area;
  convert::make_values(steps, b.neighbours.size() * area, b.entries, b.vals, b.real);
  b.visit_view([&](const auto& view) {
    parallel_for(steps.num_threads(), n, [&](std::int64_t first, std::int64_t last) {
      for (auto f = static_cast<Index>(first); f < last; ++f) {
        const auto at = view.place(f);
        const Index block_row = view.block_row_of ? view.block_row_of[f] : f;
        const Offset* from = source.data() + pattern.block_ptr.data()[block_row];
        for (Offset q = 0; q < (pattern.block_ptr.data()[block_row + 1] - pattern.block_ptr.data()[block_row]) * m;
             ++q) {
          const Offset to = at.first + q * at.stride;
          std::copy_n(blocks.data() + from[q / m] * area + q % m * m, m, b.vals.data() + to);
          if (!b.real.empty()) set_bits(b.real.data(), to, m);
        }
      }
    });
  });
  return b;
}

#define MILLRACE_INSTANTIATE(T)                                                      \
  template Dbf<T> Dbf<T>::from_csr(Queue&, const Csr<T>&, const FormatSpec&, Trust); \
  template Dbf<T> Dbf<T>::from_blocks(Index, Index, std::span<const Index>, std::span<const T>, Index, bool)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
