// Values on a pattern: dense blocks, or the Laplacian of a graph.
#include "millrace/sparse/gallery/pattern.hpp"

#include <cmath>

#include "millrace/sparse/gallery/random.hpp"

namespace millrace::gallery {

Pattern symmetric_pattern(Index num_rows, std::span<const Edge> edges, int num_threads) {
  Pattern pattern{num_rows, Array<std::int64_t>(std::int64_t{num_rows} + 1, 1), {}};
  std::int64_t* ptr = pattern.row_ptr.data();
  for (const Edge edge : edges) {
    ++ptr[edge.a + 1];
    ++ptr[edge.b + 1];
  }
  sum_up(pattern.row_ptr.span());
  pattern.cols = Array<Index>(ptr[num_rows]);
  Index* cols = pattern.cols.data();
  Array<std::int64_t> next_slot = pattern.row_ptr.clone();
  std::int64_t* next = next_slot.data();
  for (Index r = 0; r < num_rows; ++r) cols[next[r]++] = r;
  for (const Edge edge : edges) {
    cols[next[edge.a]++] = edge.b;
    cols[next[edge.b]++] = edge.a;
  }
  parallel_for(num_threads, num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) std::sort(cols + ptr[r], cols + ptr[r + 1]);
  });
  return pattern;
}

Csr<double> fill_blocks(const Pattern& pattern, Index block, const Values& values, const Progress& progress) {
  const Index num_rows = checked_rows(values.name(), {pattern.num_rows, block});
  const Random random(values.seed(), 1);
  const auto length = [&](Index row) { return std::ssize(pattern.row(row / block)) * block; };
  const auto fill = [&](Index row, std::span<Index> cols, std::span<double> vals) {
    std::size_t k = 0, diagonal = 0;
    double sum = 0;
    for (const Index block_col : pattern.row(row / block))
      for (Index c = 0; c < block; ++c, ++k) {
        cols[k] = block_col * block + c;
        if (cols[k] == row) {
          diagonal = k;
          continue;
        }
        vals[k] = random.signed_unit(row, cols[k]);
        sum += std::abs(vals[k]);
      }
    vals[diagonal] = sum + 0.1;
  };
  return from_rows(num_rows, values, progress, length, fill);
}

Csr<double> fill_laplacian(const Pattern& pattern, const Values& values, const Progress& progress) {
  const Random random(values.seed(), 1);
  const auto length = [&](Index row) { return std::ssize(pattern.row(row)); };
  const auto fill = [&](Index row, std::span<Index> cols, std::span<double> vals) {
    const std::span<const Index> source = pattern.row(row);
    std::size_t diagonal = 0;
    double sum = 0;
    for (std::size_t k = 0; k < cols.size(); ++k) {
      cols[k] = source[k];
      if (cols[k] == row) {
        diagonal = k;
        continue;
      }
      const double size = 1 + random.symmetric_unit(row, cols[k]) / 4;
      vals[k] = -size;
      sum += size;
    }
    vals[diagonal] = sum + 0.01;
  };
  return from_rows(pattern.num_rows, values, progress, length, fill);
}

}  // namespace millrace::gallery
