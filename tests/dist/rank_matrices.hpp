// Matrices that are hard to share out among ranks, and their products there.
#pragma once

#include <functional>

#include "millrace/base/to_size.hpp"
#include "millrace/dist/matrix.hpp"
#include "millrace/sparse/gallery.hpp"

namespace millrace::testing {

// Rows of length(r) at columns that are spread over all; values differ in every entry.
template <class T>
Csr<T> spread_matrix(Index n, const std::function<Index(Index)>& length) {
  std::vector<Offset> row_ptr{0};
  std::vector<Index> cols;
  std::vector<T> vals;
  for (Index r = 0; r < n; ++r) {
    for (Index k = 0; k < length(r); ++k) {
      cols.push_back(static_cast<Index>((std::int64_t{r} + std::int64_t{k} * k * 7 + k) % n));
      vals.push_back(T(static_cast<RealOf<T>>(1 + (r * 31 + k * 17) % 23) / 8));
    }
    row_ptr.push_back(std::ssize(cols));
  }
  return sort_rows(Csr<T>(n, n, Array<Offset>(std::span<const Offset>(row_ptr)),
                          Array<Index>(std::span<const Index>(cols)), Array<T>(std::span<const T>(vals))));
}

template <class T>
std::vector<std::pair<std::string, Csr<T>>> rank_matrices() {
  std::vector<std::pair<std::string, Csr<T>>> list;
  list.emplace_back("spread", spread_matrix<T>(203, [](Index r) { return r % 7; }));  // every seventh is empty
  list.emplace_back("fewer rows than ranks", spread_matrix<T>(2, [](Index) { return 2; }));
  list.emplace_back("a full row", spread_matrix<T>(60, [](Index r) { return r == 30 ? 60 : 1; }));
  list.emplace_back("no halo", spread_matrix<T>(40, [](Index) { return 1; }));
  list.emplace_back("5-point", convert_values<T>(gallery::make("poisson2d5:n=16")));
  return list;
}

// y = 2 op(A) x - y on this rank's rows, in the user's order.
template <class T>
std::vector<T> product_on_ranks(const DistributedMatrix<T>& a, const std::vector<T>& x, const std::vector<T>& y, Op op,
                                int num) {
  const std::int64_t all = a.partition().num_rows(), first = a.partition().begin(a.comm().rank());
  const std::int64_t rows = a.shape().rows;
  const auto order = a.permutation() ? a.permutation()->to_vector() : std::vector<Index>();
  const auto user_row = [&](std::int64_t i) { return order.empty() ? i : std::int64_t{order[to_size(i)]}; };
  std::vector<T> own_x(to_size(rows * num)), own_y(own_x.size()), result(own_x.size());
  for (int v = 0; v < num; ++v)
    for (std::int64_t i = 0; i < rows; ++i) {
      own_x[to_size(v * rows + i)] = x[to_size(v * all + first + user_row(i))];
      own_y[to_size(v * rows + i)] = y[to_size(v * all + first + user_row(i))];
    }
  Queue queue(Device::host(), 1);
  a.apply(queue, {.alpha = T(2),
                  .x = Vectors<const T>(Device::host(), own_x.data(), rows, num),
                  .beta = T(-1),
                  .y = Vectors<T>(Device::host(), own_y.data(), rows, num),
                  .op = op});
  for (int v = 0; v < num; ++v)
    for (std::int64_t i = 0; i < rows; ++i) result[to_size(v * rows + user_row(i))] = own_y[to_size(v * rows + i)];
  return result;
}

}  // namespace millrace::testing
