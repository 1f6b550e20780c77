// DBF from CSR or from blocks: sections and the table of neighbours first, then the values through the view.
#include "millrace/sparse/format/dbf.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/sparse/format/block_sizes.hpp"
#include "millrace/sparse/format/limits.hpp"

namespace millrace {
namespace {

static_assert(Dbf<double>::max_block <= host::max_block_size);

Index num_blocks_of(const BlockPattern& pattern, Index block_row) {
  return static_cast<Index>(pattern.block_ptr.data()[block_row + 1] - pattern.block_ptr.data()[block_row]);
}

Index max_blocks(const BlockPattern& pattern) {
  Index most = 0;
  for (Index b = 0; b < pattern.num_block_rows(); ++b) most = std::max(most, num_blocks_of(pattern, b));
  return most;
}

/// Sets count bits; other threads may set others of the same words.
void set_bits(std::uint64_t* words, Offset first, Offset count) {
  while (count > 0) {
    const Offset bit = first % 64, here = std::min<Offset>(count, 64 - bit);
    const std::uint64_t ones = here == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << here) - 1;
    std::atomic_ref<std::uint64_t>(words[first / 64]).fetch_or(ones << bit, std::memory_order_relaxed);
    first += here;
    count -= here;
  }
}

double percent(Offset part, Offset of) {
  return of == 0 ? 0 : std::round(1000.0 * static_cast<double>(part) / static_cast<double>(of)) / 10;
}

}  // namespace

// Everything but values and bits.
template <class T>
Dbf<T> Dbf<T>::lay_out(const BlockPattern& pattern, Index columns, Index group, bool apart) {
  const Index n = pattern.num_block_rows(), m = pattern.size;
  Dbf b;
  b.num_rows = n * m;
  b.num_cols = columns;
  b.block = m;
  b.group = std::clamp(group, 1, std::max(1, n));
  b.width = max_blocks(pattern);
  b.num_real_blocks = pattern.num_blocks();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  if (apart)
    std::stable_sort(order.begin(), order.end(),
                     [&](Index p, Index q) { return num_blocks_of(pattern, p) > num_blocks_of(pattern, q); });
  if (!std::is_sorted(order.begin(), order.end())) {
    b.block_row_of = Array<Index>(std::span<const Index>(order));
    b.place_of = Array<Index>(n);
    for (Index f = 0; f < n; ++f) b.place_of.data()[order[static_cast<std::size_t>(f)]] = f;
  }

  std::vector<DbfSection> sections;
  Offset blocks_before = 0;
  for (Index f = 0; f < n; ++f) {
    const Index blocks = apart ? num_blocks_of(pattern, order[static_cast<std::size_t>(f)]) : b.width;
    if (sections.empty() || sections.back().width != blocks)
      sections.push_back({f, blocks, blocks_before * m * m, blocks_before});
    blocks_before += blocks;
  }
  if (sections.empty()) sections.push_back({});
  sections.push_back({n, 0, blocks_before * m * m, blocks_before});
  b.sections = Array<DbfSection>(std::span<const DbfSection>(sections));

  const bool padded = blocks_before > pattern.num_blocks();
  b.neighbours = padded ? Array<Index>(blocks_before, -1) : Array<Index>(blocks_before);
  if (padded) b.row_blocks = Array<Index>(n);
  b.visit_view([&](const auto& view) {
    for (Index f = 0; f < n; ++f) {
      const Index block_row = order[static_cast<std::size_t>(f)], count = num_blocks_of(pattern, block_row);
      const Index* from = pattern.block_cols.data() + pattern.block_ptr.data()[block_row];
      std::copy(from, from + count, b.neighbours.data() + view.blocks_before(f));
      if (padded) b.row_blocks.data()[f] = count;
    }
  });
  return b;
}

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
Dbf<T> Dbf<T>::from_csr(const Csr<T>& a, const FormatSpec& spec) {
  check_parameters(
      spec, 2, {"apart"},
      "dbf takes the size of its blocks, 1 to 1024, the number of block rows stored together, and the word "
      "apart, as in dbf-8, dbf-8-64 or dbf-8-apart; dbf alone finds the size");
  const auto& p = spec.parameters;
  require(p.empty() || p[0] <= max_block, "dbf: blocks of ", p.empty() ? 0 : p[0], "; sizes from 1 to ", max_block,
          " are accepted");
  require(a.device().on_host(), "dbf: the CSR matrix lives on ", to_string(a.device()), ", the conversion on the host");
  require_distinct(name, a);
  const Index m = p.empty() ? choose_block_size(a, std::span<const Index>(possible_sizes(a.num_rows, a.num_cols)))
                            : static_cast<Index>(p[0]);
  require_multiple(a, m);
  const BlockPattern pattern = find_pattern(a, m);
  const bool apart = spec.has("apart");
  require_reasonable_table(a, pattern, max_blocks(pattern), apart);

  Dbf b = lay_out(pattern, a.num_cols, p.size() < 2 ? 1 : static_cast<Index>(p[1]), apart);
  b.entries = a.num_entries();
  const Offset num_slots = b.neighbours.size() * m * m;
  b.vals = num_slots == b.entries ? Array<T>(num_slots) : Array<T>(num_slots, T{0});
  if (num_slots != b.entries) b.real = Array<std::uint64_t>((num_slots + 63) / 64, 0);
  std::vector<BlockPlace> places(static_cast<std::size_t>(pattern.num_block_rows()));
  b.visit_view([&](const auto& view) {
    for (Index f = 0; f < pattern.num_block_rows(); ++f) {
      const auto at = view.place(f);
      places[static_cast<std::size_t>(b.block_row_of.empty() ? f : b.block_row_of.data()[f])] = {at.first, at.stride};
    }
  });
  fill_blocks(a, pattern, places, b.vals, b.real);
  return b;
}

template <class T>
Dbf<T> Dbf<T>::from_blocks(Index m, Index na, std::span<const Index> neighbours, std::span<const T> blocks, Index group,
                           bool apart) {
  require(m >= 1 && m <= max_block && na >= 0 && group >= 1, "dbf: blocks of ", m, ", ", na,
          " a block row, in groups of ", group, "; sizes from 1 to ", max_block, " and groups from 1 are accepted");
  const Offset n = na == 0 ? 0 : std::ssize(neighbours) / na, area = Offset{m} * m;
  require(n * na == std::ssize(neighbours) && std::ssize(blocks) == n * na * area, "dbf: ", na, " blocks of ", m,
          " a block row; there are ", neighbours.size(), " neighbours and ", blocks.size(),
          " values, but n block rows need ", na, " n and ", na * area, " n");
  require(n * m <= std::numeric_limits<Index>::max(), "dbf: ", n, " block rows of ", m, " rows are too many");

  BlockPattern pattern{m, Array<Offset>(n + 1), {}};
  std::vector<Index> cols;     // [blocks], ascending in a block row
  std::vector<Offset> source;  // [blocks], which of the caller's
  pattern.block_ptr.data()[0] = 0;
  for (Offset f = 0; f < n; ++f) {
    const std::size_t begin = source.size();
    for (Offset k = f * na; k < (f + 1) * na; ++k) {
      const Index column = neighbours[static_cast<std::size_t>(k)];
      require(column >= -1 && column < n, "dbf: block row ", f, " has neighbour ", column, "; they run from 0 to ",
              n - 1, ", or -1 for padding");
      if (column >= 0) source.push_back(k);
    }
    const auto column_of = [&](Offset k) { return neighbours[static_cast<std::size_t>(k)]; };
    std::sort(source.begin() + static_cast<Offset>(begin), source.end(),
              [&](Offset k, Offset l) { return column_of(k) < column_of(l); });
    for (std::size_t i = begin; i < source.size(); ++i) {
      require(i == begin || cols.back() != column_of(source[i]), "dbf: block row ", f, " has neighbour ",
              column_of(source[i]), " twice; add the blocks up first");
      cols.push_back(column_of(source[i]));
    }
    pattern.block_ptr.data()[f + 1] = std::ssize(source);
  }
  pattern.block_cols = Array<Index>(std::span<const Index>(cols));

  Dbf b = lay_out(pattern, static_cast<Index>(n * m), group, apart);
  b.entries = pattern.num_blocks() * area;
  const Offset num_slots = b.neighbours.size() * area;
  b.vals = num_slots == b.entries ? Array<T>(num_slots) : Array<T>(num_slots, T{0});
  if (num_slots != b.entries) b.real = Array<std::uint64_t>((num_slots + 63) / 64, 0);
  b.visit_view([&](const auto& view) {
    parallel_for(default_num_threads(), n, [&](std::int64_t first, std::int64_t last) {
      for (auto f = static_cast<Index>(first); f < last; ++f) {
        const auto at = view.place(f);
        const Index block_row = view.block_row_of ? view.block_row_of[f] : f;
        const Offset* from = source.data() + pattern.block_ptr.data()[block_row];
        for (Offset q = 0; q < Offset{num_blocks_of(pattern, block_row)} * m; ++q) {
          const Offset to = at.first + q * at.stride;
          std::copy_n(blocks.data() + from[q / m] * area + q % m * m, m, b.vals.data() + to);
          if (!b.real.empty()) set_bits(b.real.data(), to, m);
        }
      }
    });
  });
  return b;
}

template <class T>
Dbf<T> Dbf<T>::to(Device target) const {
  Dbf b;
  b.num_rows = num_rows;
  b.num_cols = num_cols;
  b.block = block;
  b.group = group;
  b.width = width;
  b.entries = entries;
  b.num_real_blocks = num_real_blocks;
  b.sections = sections.to(target);
  b.neighbours = neighbours.to(target);
  b.row_blocks = row_blocks.to(target);
  b.block_row_of = block_row_of.to(target);
  b.place_of = place_of.to(target);
  b.vals = vals.to(target);
  b.real = real.to(target);
  return b;
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
