// A random permutation, the same on every machine, and its use on a matrix.
#include "millrace/sparse/gallery/permutation.hpp"

#include <numeric>

#include "millrace/sparse/gallery/random.hpp"
#include "millrace/sparse/gallery/rows.hpp"

namespace millrace::gallery {
namespace {

void sort_by_column(std::span<Index> cols, std::span<double> vals) {
  constexpr std::size_t short_row = 48;  // insertion beats std::sort and its copy below about this length
  if (cols.size() > short_row) {
    std::vector<std::pair<Index, double>> entries(cols.size());
    for (std::size_t k = 0; k < cols.size(); ++k) entries[k] = {cols[k], vals[k]};
    std::sort(entries.begin(), entries.end());
    for (std::size_t k = 0; k < cols.size(); ++k) std::tie(cols[k], vals[k]) = entries[k];
    return;
  }
  for (std::size_t k = 1; k < cols.size(); ++k) {
    const Index col = cols[k];
    const double val = vals[k];
    std::size_t at = k;
    for (; at > 0 && cols[at - 1] > col; --at) {
      cols[at] = cols[at - 1];
      vals[at] = vals[at - 1];
    }
    cols[at] = col;
    vals[at] = val;
  }
}

}  // namespace

Array<Index> random_permutation(Index n, std::uint64_t seed) {
  const Random random(seed, 2);
  Array<Index> old_of(n);
  const std::span<Index> order = old_of.span();
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = order.size(); i > 1; --i) {
    const auto other = random.below(static_cast<std::int64_t>(i), static_cast<std::int64_t>(i));
    std::swap(order[i - 1], order[static_cast<std::size_t>(other)]);
  }
  return old_of;
}

Csr<double> permute_symmetrically(const Csr<double>& a, std::span<const Index> old_of, const Values& values,
                                  const Progress& progress) {
  require(a.num_rows == a.num_cols && std::ssize(old_of) == a.num_rows, "permute: a matrix of ", a.num_rows, " x ",
          a.num_cols, " and a permutation of ", old_of.size(), "; all three numbers must be equal");
  Array<Index> new_of(a.num_rows);
  parallel_for(values.num_threads(), a.num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      new_of.data()[old_of[static_cast<std::size_t>(i)]] = static_cast<Index>(i);
  });
  return a.visit_view([&](auto view) {
    const auto old_row = [&](Index row) { return old_of[static_cast<std::size_t>(row)]; };
    const auto length = [&](Index row) { return view.length(old_row(row)); };
    const auto fill = [&](Index row, std::span<Index> cols, std::span<double> vals) {
      const Offset first = view.slot(old_row(row), 0);
      for (std::size_t k = 0; k < cols.size(); ++k) {
        cols[k] = new_of.data()[view.column(first + static_cast<Offset>(k))];
        vals[k] = view.value(first + static_cast<Offset>(k));
      }
      sort_by_column(cols, vals);
    };
    return from_rows(a.num_rows, values, progress, length, fill);
  });
}

}  // namespace millrace::gallery
