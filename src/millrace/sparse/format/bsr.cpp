// BSR: what its text asks for, what is refused, and what it holds.
#include "millrace/sparse/format/bsr.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "millrace/sparse/format/limits.hpp"

namespace millrace {

double BlockPattern::stored_bytes(std::size_t value_bytes) const {
  return static_cast<double>(num_blocks()) * block_bytes(size, value_bytes) + static_cast<double>(block_ptr.bytes());
}

template <class T>
void require_reasonable_blocks(const Csr<T>& a, const BlockPattern& pattern) {
  const Offset num_slots = pattern.num_blocks() * pattern.size * pattern.size;
  const double full = static_cast<double>(a.num_entries()) / static_cast<double>(std::max<Offset>(1, num_slots));
  require_reasonable(Bsr<T>::name, pattern.stored_bytes(sizeof(T)), a,
                     join("blocks of ", pattern.size, " are ", 100.0 * full, " % full"));
}

template <class T>
std::vector<Index> Bsr<T>::possible_sizes(Index num_rows, Index num_cols) {
  std::vector<Index> sizes(static_cast<std::size_t>(std::clamp(std::min(num_rows, num_cols), 1, max_block)));
  std::iota(sizes.begin(), sizes.end(), 1);
  return sizes;
}

template <class T>
Index Bsr<T>::asked_block(const FormatSpec& spec) {
  check_parameters(spec, 1, {}, "bsr takes the size of its blocks, 1 to 32, as in bsr-5; bsr alone finds it");
  const auto& p = spec.parameters;
  require(p.empty() || p[0] <= max_block, "bsr: blocks of ", p.empty() ? 0 : p[0], "; sizes from 1 to ", max_block,
          " are accepted (dbf takes up to 1024)");
  return p.empty() ? 0 : static_cast<Index>(p[0]);
}

template <class T>
Footprint Bsr<T>::footprint() const {
  const std::int64_t indices = block_ptr.bytes() + block_cols.bytes();
  return {entries, vals.size() - entries, indices + vals.bytes() + real.bytes(),
          indices + entries * static_cast<std::int64_t>(sizeof(T))};
}

template <class T>
std::string Bsr<T>::details() const {
  if (vals.empty()) return join("blocks of ", block);
  const double full = 100.0 * static_cast<double>(entries) / static_cast<double>(vals.size());
  return join("blocks of ", block, ", ", real.empty() ? 100 : std::min(99, static_cast<int>(std::lround(full))),
              " % full");
}

#define MILLRACE_INSTANTIATE(T) \
  template struct Bsr<T>;       \
  template void require_reasonable_blocks(const Csr<T>&, const BlockPattern&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
