// How every matrix of the gallery is put together: count the rows, add up, then fill them in parallel.
#pragma once

#include <initializer_list>
#include <string_view>

#include "millrace/sparse/gallery.hpp"

namespace millrace::gallery {

/// The product of the factors as a number of rows; refuses more than an Index can count, with figures.
Index checked_rows(std::string_view name, std::initializer_list<std::int64_t> factors);

/// Turns lengths, stored as [.., length of row 0, length of row 1, ...], into offsets from 0.
void sum_up(std::span<std::int64_t> row_ptr);

/// Runs f(begin, end) over 0..n in parallel and reports progress between slabs of rows.
template <class F>
void for_rows(std::int64_t n, int num_threads, const Progress& progress, F&& f) {
  constexpr std::int64_t min_rows = 1 << 16;
  const std::int64_t slab = progress ? std::max(min_rows, n / 50) : n;
  for (std::int64_t first = 0; first < n; first += slab) {
    const std::int64_t num = std::min(slab, n - first);
    parallel_for(num_threads, num, [&](std::int64_t begin, std::int64_t end) { f(first + begin, first + end); });
    if (progress) progress(static_cast<double>(first + num) / static_cast<double>(n));
  }
}

/// A square matrix whose row r has length(r) entries, written by fill(r, cols, vals): the rows that are wanted of it.
template <class Length, class Fill>
Csr<double> from_rows(Index num_rows, const Values& values, const Progress& progress, Length&& length, Fill&& fill) {
  const auto [first, last] = values.rows(num_rows);
  const std::int64_t num = last - first;
  Array<std::int64_t> row_ptr(num + 1);
  std::int64_t* ptr = row_ptr.data();
  parallel_for(values.num_threads(), num, [&, first = first](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) ptr[r + 1] = length(static_cast<Index>(first + r));
  });
  sum_up(row_ptr.span());
  Array<Index> cols(ptr[num]);
  Array<double> vals(ptr[num]);
  for_rows(num, values.num_threads(), progress, [&, first = first](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const auto size = static_cast<std::size_t>(ptr[r + 1] - ptr[r]);
      fill(static_cast<Index>(first + r), std::span(cols.data() + ptr[r], size), std::span(vals.data() + ptr[r], size));
    }
  });
  return {static_cast<Index>(num), num_rows, std::move(row_ptr), std::move(cols), std::move(vals)};
}

}  // namespace millrace::gallery
