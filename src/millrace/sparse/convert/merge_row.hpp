// One row by ascending columns, equal ones added up; columns of 32 or 64 bits.
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "millrace/sparse/format/limits.hpp"

namespace millrace {

/// Sorts one row by column, equal columns in the order they had. Long rows go through an index.
template <class Column, class T>
void sort_row(Column* cols, T* vals, Offset count) {
  if (std::is_sorted(cols, cols + count)) return;
  if (count <= 32) {
    for (Offset i = 1; i < count; ++i) {
      const Column c = cols[i];
      const T v = vals[i];
      Offset j = i;
      for (; j > 0 && cols[j - 1] > c; --j) {
        cols[j] = cols[j - 1];
        vals[j] = vals[j - 1];
      }
      cols[j] = c;
      vals[j] = v;
    }
    return;
  }
  std::vector<std::pair<Column, T>> entries(static_cast<std::size_t>(count));
  for (Offset i = 0; i < count; ++i) entries[static_cast<std::size_t>(i)] = {cols[i], vals[i]};
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (Offset i = 0; i < count; ++i) std::tie(cols[i], vals[i]) = entries[static_cast<std::size_t>(i)];
}

/// Adds equal neighbours of a sorted row up; returns how many entries are left. Finite ones have a finite sum.
template <class Column, class T>
Offset merge_row(Index row, Column* cols, T* vals, Offset count) {
  if (count == 0) return 0;
  Offset last = 0;
  for (Offset i = 1; i < count; ++i) {
    if (cols[i] == cols[last]) {
      const T sum = vals[last] + vals[i];
      if (!is_finite(arith(sum)) && is_finite(arith(vals[last])) && is_finite(arith(vals[i])))
        refuse_sum(row, static_cast<Index>(cols[i]));
      vals[last] = sum;
    } else {
      ++last;
      cols[last] = cols[i];
      vals[last] = vals[i];
    }
  }
  return last + 1;
}

}  // namespace millrace
