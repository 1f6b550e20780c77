// SmallMatrix: a dense matrix on the host, column after column, for the few rows and columns of a projected problem.
#pragma once

#include <vector>

#include "millrace/base/scalar.hpp"

namespace millrace::detail {

template <class W>
struct SmallMatrix {
  int rows = 0, cols = 0;
  std::vector<W> values{};  // [cols, rows]

  SmallMatrix() = default;
  SmallMatrix(int num_rows, int num_cols)
      : rows(num_rows),
        cols(num_cols),
        values(static_cast<std::size_t>(num_rows) * static_cast<std::size_t>(num_cols)) {}
  static SmallMatrix identity(int size) {
    SmallMatrix m(size, size);
    for (int i = 0; i < size; ++i) m(i, i) = one<W>();
    return m;
  }

  W& operator()(int row, int col) { return values[static_cast<std::size_t>(col * rows + row)]; }
  const W& operator()(int row, int col) const { return values[static_cast<std::size_t>(col * rows + row)]; }

  friend SmallMatrix operator*(const SmallMatrix& a, const SmallMatrix& b) {
    SmallMatrix c(a.rows, b.cols);
    for (int j = 0; j < b.cols; ++j)
      for (int k = 0; k < a.cols; ++k)
        for (int i = 0; i < a.rows; ++i) c(i, j) = multiply_add(a(i, k), b(k, j), c(i, j));
    return c;
  }
  SmallMatrix& operator+=(const SmallMatrix& other) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i] + other.values[i];
    return *this;
  }
  double row_norm(int row) const {
    double sum = 0;
    for (int j = 0; j < cols; ++j) sum += norm_square((*this)(row, j));
    return std::sqrt(sum);
  }
};

}  // namespace millrace::detail
