// Rows as maps: what kernels of sums read is made of them, and what they shall find.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "expect.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/matrix_view.hpp"
#include "millrace/precond/multigrid/sum_rows.cuh"

namespace millrace::testing {

using Row = std::map<Index, double>;

/// Rows of up to `most` columns, some of them empty, and whole numbers, so that sums are exact in any order.
inline std::vector<Row> random_rows(Random& random, Index num_rows, Index num_cols, Index most) {
  std::vector<Row> made(to_size(num_rows));
  for (Row& row : made)
    for (Index k = random.below(most + 1); k > 0; --k) row[random.below(num_cols)] = random.below(1000) - 500;
  return made;
}

/// Sums in the order of the rows.
inline std::vector<Row> multiply(const std::vector<Row>& a, const std::vector<Row>& b) {
  std::vector<Row> made(a.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (const auto& [k, weight] : a[i])
      for (const auto& [column, value] : b[to_size(k)]) made[i][column] += weight * value;
  return made;
}

/// One row behind another, columns ascending.
struct OrderedArrays {
  std::vector<Offset> row_ptr{0};
  std::vector<Index> cols{};
  std::vector<double> vals{};

  explicit OrderedArrays(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      for (const auto& [column, value] : row) cols.push_back(column), vals.push_back(value);
      row_ptr.push_back(std::ssize(cols));
    }
  }
  multigrid::RowsView rows() const { return {row_ptr.data(), cols.data()}; }
  multigrid::PatternView<double> view() const { return {rows(), nullptr, vals.data()}; }
  emulated::OrderedRows<double> inner() const { return {row_ptr.data(), cols.data(), vals.data()}; }
};

/// Rows that lie anywhere, their columns in any order.
struct ScatteredArrays {
  std::vector<emulated::RowHead> heads{};
  std::vector<emulated::Entry<double>> entries{};

  ScatteredArrays(Random& random, const std::vector<Row>& rows) : heads(rows.size()) {
    for (std::size_t i = rows.size(); i-- > 0;) {
      const std::size_t begin = entries.size();
      heads[i] = {static_cast<std::uint32_t>(begin), static_cast<Index>(rows[i].size())};
      for (const auto& [column, value] : rows[i]) {
        entries.push_back({column, value});
        const auto other = to_size(random.below(static_cast<Index>(entries.size() - begin)));
        std::swap(entries.back(), entries[begin + other]);
      }
      if (entries.size() % 2 == 1) entries.push_back({3, 1e300});  // nobody's
    }
  }
  emulated::ScatteredRows<double> view() const { return {heads.data(), entries.data()}; }
};

}  // namespace millrace::testing
