// Looks at a matrix for the peers; the search for blocks is the library's.
#include "peers/blocks.hpp"

#include <algorithm>
#include <complex>

#include "millrace/sparse/stats.hpp"

namespace millrace::bench {

template <class T>
const Csr<T>& with_sorted_rows(const Csr<T>& a, std::optional<Csr<T>>& copy) {
  const bool sorted = a.visit_view([](const auto& view) {
    for (Index r = 0; r < view.num_rows; ++r)
      for (Offset s = view.row_ptr[r] + Offset{1}; s < view.row_ptr[r + 1]; ++s)
        if (view.cols[s - 1] >= view.cols[s]) return false;
    return true;
  });
  return sorted ? a : copy.emplace(sort_rows(a));
}

template <class T>
Index find_block_size(const Csr<T>& sorted, std::span<const Index> sizes) {
  const Blocks blocks = find_blocks(sorted);
  Index best = 1;
  for (const Index size : sizes) {
    const bool fits = sorted.num_rows % size == 0 && sorted.num_cols % size == 0;
    const bool full = blocks.size % size == 0 || blocks.exact_size % size == 0;  // parts of full blocks are full
    if (fits && full) best = std::max(best, size);
  }
  if (best > 1) return best;
  require<Unsupported>(blocks.size > 1, "the matrix does not consist of dense blocks: at no size are they 90 % full");
  std::string list;
  for (const Index size : sizes) list += join(' ', size);
  require<Unsupported>(false, "the matrix consists of blocks of ", blocks.size, ", but its shape of ", sorted.num_rows,
                       " x ", sorted.num_cols, " can be cut into none of the sizes that fit into them:", list);
  return 1;
}

#define MILLRACE_INSTANTIATE(T)                                                   \
  template const Csr<T>& with_sorted_rows(const Csr<T>&, std::optional<Csr<T>>&); \
  template Index find_block_size(const Csr<T>&, std::span<const Index>)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace::bench
