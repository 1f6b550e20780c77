// The blocks of the flow-like matrix, row by row.
#include "millrace/sparse/gallery/cfd.hpp"

#include "millrace/sparse/gallery/pattern.hpp"

namespace millrace::gallery {

Csr<double> make_cfd(const Values& values, const Progress& progress) {
  const std::int64_t n = values.integer("n"), block = values.integer("block");
  const double num_rows = checked_rows(values.name(), {n, n, n, block});
  values.require_memory(num_rows, 7 * num_rows * static_cast<double>(block));
  const auto columns = [&](Index cell, std::vector<Index>& list) {
    const std::int64_t x = cell % n, y = cell / n % n, z = cell / n / n;
    const auto add = [&](bool inside, std::int64_t step) {
      if (inside) list.push_back(static_cast<Index>(cell + step));
    };
    add(z > 0, -n * n);
    add(y > 0, -n);
    add(x > 0, -1);
    add(true, 0);
    add(x < n - 1, 1);
    add(y < n - 1, n);
    add(z < n - 1, n * n);
  };
  const Pattern pattern = pattern_from_rows(static_cast<Index>(n * n * n), values.num_threads(), columns);
  return fill_blocks(pattern, static_cast<Index>(block), values, progress);
}

}  // namespace millrace::gallery
