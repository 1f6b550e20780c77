// Matrices that are hard to share out among ranks.
#pragma once

#include <functional>

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

}  // namespace millrace::testing
