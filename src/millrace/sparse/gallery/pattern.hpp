// A pattern of blocks, and the matrix with values on it: dense blocks, or plain entries when their size is 1.
#pragma once

#include <span>
#include <vector>

#include "millrace/sparse/gallery.hpp"
#include "millrace/sparse/gallery/rows.hpp"

namespace millrace::gallery {

struct Pattern {
  Index num_rows = 0;           // of blocks; as many columns
  Array<std::int64_t> row_ptr;  // [num_rows + 1]
  Array<Index> cols;            // [row_ptr[num_rows]], ascending in every row, with the diagonal

  std::span<const Index> row(Index r) const {
    const std::int64_t first = row_ptr.data()[r];
    return {cols.data() + first, static_cast<std::size_t>(row_ptr.data()[r + 1] - first)};
  }
};

struct Edge {
  Index a, b;
};

/// Neighbours along all edges, in both directions, and the diagonal. No edge may come twice.
Pattern symmetric_pattern(Index num_rows, std::span<const Edge> edges, int num_threads);

/// From columns(row, list), which writes the columns of a row, ascending, into a list.
template <class Columns>
Pattern pattern_from_rows(Index num_rows, int num_threads, Columns&& columns) {
  Pattern pattern{num_rows, Array<std::int64_t>(std::int64_t{num_rows} + 1), {}};
  std::int64_t* ptr = pattern.row_ptr.data();
  const auto for_lists = [&](auto&& use) {
    parallel_for(num_threads, num_rows, [&](std::int64_t begin, std::int64_t end) {
      std::vector<Index> list;
      for (std::int64_t r = begin; r < end; ++r) {
        list.clear();
        columns(static_cast<Index>(r), list);
        use(r, list);
      }
    });
  };
  for_lists([&](std::int64_t r, const std::vector<Index>& list) { ptr[r + 1] = std::ssize(list); });
  sum_up(pattern.row_ptr.span());
  pattern.cols = Array<Index>(ptr[num_rows]);
  for_lists([&](std::int64_t r, const std::vector<Index>& list) {
    std::copy(list.begin(), list.end(), pattern.cols.data() + ptr[r]);
  });
  return pattern;
}

/// Dense blocks of values in [-1, 1); every diagonal entry exceeds the sum of its row's other sizes by 0.1.
Csr<double> fill_blocks(const Pattern& pattern, Index block, const Values& values, const Progress& progress);

/// The values of make_stencil on any symmetric pattern: a symmetric, diagonally dominant M-matrix.
Csr<double> fill_laplacian(const Pattern& pattern, const Values& values, const Progress& progress);

}  // namespace millrace::gallery
