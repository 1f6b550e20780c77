// DBF: what its text asks for, what is refused, and what it holds.
#include "millrace/sparse/format/dbf.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "millrace/sparse/format/block_sizes.hpp"
#include "millrace/sparse/format/limits.hpp"

namespace millrace {
namespace {

static_assert(Dbf<double>::max_block <= host::max_block_size);

double percent(Offset part, Offset of) {
  return of == 0 ? 0 : std::round(1000.0 * static_cast<double>(part) / static_cast<double>(of)) / 10;
}

}  // namespace

template <class T>
std::vector<Index> Dbf<T>::possible_sizes(Index num_rows, Index num_cols) {
  std::vector<Index> sizes;
  const Index common = std::gcd(num_rows, num_cols);
  for (Index m = 1; m <= std::min(max_block, common); ++m)
    if (common % m == 0) sizes.push_back(m);
  return sizes;
}

template <class T>
void require_multiple(const Csr<T>& a, Index m) {
  require<Unsupported>(a.num_rows % m == 0 && a.num_cols % m == 0, "dbf: the matrix is ", a.num_rows, " x ", a.num_cols,
                       ", not a multiple of ", m, " in both (", a.num_rows % m, " rows and ", a.num_cols % m,
                       " columns are left over); bsr takes blocks at the edge");
}

template <class T>
void require_reasonable_table(const Csr<T>& a, const BlockPattern& pattern, Index width, bool apart) {
  const Index m = pattern.size;
  const double num_stored = apart ? static_cast<double>(pattern.num_blocks())
                                  : static_cast<double>(width) * static_cast<double>(pattern.num_block_rows());
  const double full = static_cast<double>(a.num_entries()) / std::max(1.0, num_stored * m * m);
  require_reasonable(Dbf<T>::name, num_stored * (static_cast<double>(sizeof(T)) * m * m + sizeof(Index)), a,
                     join("blocks of ", m, ", ", width, " in every block row, ", 100 * full, " % full"));
}

template <class T>
DbfShape Dbf<T>::asked(const FormatSpec& spec) {
  check_parameters(
      spec, 2, {"apart"},
      "dbf takes the size of its blocks, 1 to 1024, the number of block rows stored together, and the word "
      "apart, as in dbf-8, dbf-8-64 or dbf-8-apart; dbf alone finds the size");
  const auto& p = spec.parameters;
  require(p.empty() || p[0] <= max_block, "dbf: blocks of ", p.empty() ? 0 : p[0], "; sizes from 1 to ", max_block,
          " are accepted");
  return {p.empty() ? 0 : static_cast<Index>(p[0]), p.size() < 2 ? 1 : static_cast<Index>(p[1]), spec.has("apart")};
}

template <class T>
Footprint Dbf<T>::footprint() const {
  const std::int64_t read = sections.bytes() + neighbours.bytes() + row_blocks.bytes() + block_row_of.bytes();
  return {entries, vals.size() - entries, read + place_of.bytes() + vals.bytes() + real.bytes(),
          read + entries * static_cast<std::int64_t>(sizeof(T))};
}

template <class T>
std::string Dbf<T>::details() const {
  std::string text = join("m = ", block, ", ", width, " blocks a row");
  if (sections.size() > 2) text += join(" at most, in ", sections.size() - 1, " sections");
  const Offset num_padded = neighbours.size() - num_real_blocks, area = Offset{block} * block;
  if (num_padded > 0) text += join(", ", percent(num_padded, neighbours.size()), " % padding");
  if (entries < num_real_blocks * area) text += join(", blocks ", percent(entries, num_real_blocks * area), " % full");
  if (group > 1) text += group == num_block_rows() ? ", all together" : join(", in groups of ", group);
  return host::has_own_kernel(block) ? text : text + ", run-time size";
}

#define MILLRACE_INSTANTIATE(T)                         \
  template struct Dbf<T>;                               \
  template void require_multiple(const Csr<T>&, Index); \
  template void require_reasonable_table(const Csr<T>&, const BlockPattern&, Index, bool)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
