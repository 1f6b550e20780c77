// Counts and sums over ranks; partners of entries that another rank has.
#include "millrace/dist/facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "millrace/base/to_size.hpp"
#include "millrace/base/together.hpp"
#include "millrace/dist/lists.hpp"

namespace millrace {
namespace {

Index as_index(std::int64_t count) {
  return static_cast<Index>(std::min<std::int64_t>(count, std::numeric_limits<Index>::max()));
}

/// An entry off the rank's own columns: a_(row, col) in the whole matrix.
template <class T>
struct FarEntry {
  std::int64_t row, col;
  T value;
  friend bool before(const FarEntry& a, const FarEntry& b) { return std::tie(a.row, a.col) < std::tie(b.row, b.col); }
};

struct Differences {
  double squares = 0;  // of |a_ij - conj(a_ji)|, over the positions of this rank's rows
  std::int64_t entries = 0, partners = 0;
  bool numerical = true, hermitian = true;
};

/// Entries of this rank and mirrored ones of others, both by position.
template <class T>
Differences compare(const std::vector<FarEntry<T>>& mine, const std::vector<FarEntry<T>>& mirrored) {
  Differences found{.entries = std::ssize(mine)};
  auto a = mine.begin();
  auto b = mirrored.begin();
  while (a != mine.end() || b != mirrored.end()) {
    if (b == mirrored.end() || (a != mine.end() && before(*a, *b))) {
      found.squares += std::norm(std::complex<double>((a++)->value));
    } else if (a == mine.end() || before(*b, *a)) {
      found.squares += std::norm(std::complex<double>((b++)->value));
    } else {
      const std::complex<double> own(a->value), other(b->value);
      found.squares += std::norm(own - std::conj(other));
      found.numerical = found.numerical && own == other;
      found.hermitian = found.hermitian && own == std::conj(other);
      ++found.partners;
      ++a, ++b;
    }
  }
  return found;
}

template <class T>
Differences compare_far_entries(const Comm& comm, const HaloRows<T>& a) {
  std::vector<FarEntry<T>> mine;
  std::vector<std::vector<FarEntry<T>>> out(to_size(comm.size()));
  const std::int64_t first = a.parts.begin(comm.rank());
  for (Index r = 0; r < a.rows.num_rows; ++r)
    for (Offset s = a.rows.row_begin(r); s < a.rows.row_begin(r + 1); ++s) {
      if (a.rows.cols.data()[s] < a.rows.num_rows) continue;
      const std::int64_t col = a.plan.ghosts[to_size(a.rows.cols.data()[s] - a.rows.num_rows)];
      mine.push_back({first + r, col, a.rows.vals.data()[s]});
      out[to_size(a.parts.owner(col))].push_back({col, first + r, a.rows.vals.data()[s]});
    }
  std::vector<FarEntry<T>> mirrored;
  for (const std::vector<FarEntry<T>>& some : exchange_lists(comm, out, "a look for symmetry"))
    mirrored.insert(mirrored.end(), some.begin(), some.end());
  std::ranges::sort(mirrored, [](const auto& x, const auto& y) { return before(x, y); });
  return compare(mine, mirrored);
}

template <class T>
double sum_of_squares(const Csr<T>& a) {
  double sum = 0;
  for (const T& value : a.vals.span()) sum += std::norm(std::complex<double>(value));
  return sum;
}

template <class T>
SymmetryOverRanks symmetry_of(const Comm& comm, const HaloRows<T>& a, const Csr<T>& local) {
  const Symmetry here = find_symmetry(local);
  const Differences far = compare_far_entries(comm, a);
  const double local_squares = sum_of_squares(local), away = asymmetry(local);
  const std::int64_t local_entries = local.num_entries() - here.diagonal_entries;
  double squares[] = {away * away * local_squares + far.squares, sum_of_squares(a.rows)};
  std::int64_t counts[] = {
      local_entries + far.entries,
      std::llround(here.pattern_share * static_cast<double>(local_entries)) + far.partners,
      !here.pattern || far.partners < far.entries,
      !here.numerical || !far.numerical,
      !here.hermitian || !far.hermitian,
  };
  comm.sum(squares);
  comm.sum(counts);
  SymmetryOverRanks found;
  found.asymmetry = squares[1] > 0 ? std::sqrt(squares[0] / squares[1]) : 0;
  found.pattern_share = counts[0] > 0 ? static_cast<double>(counts[1]) / static_cast<double>(counts[0]) : 1;
  found.pattern = counts[2] == 0;
  found.numerical = found.pattern && counts[3] == 0;
  found.hermitian = found.pattern && counts[4] == 0;
  return found;
}

}  // namespace

OtherRanks other_ranks(const Comm& comm, HaloColumns& columns) {
  return {[comm](std::span<double> values) { comm.max(values); },
          [&columns](std::span<double> values) { columns.join_largest(values); }};
}

template <class T>
SymmetryOverRanks find_symmetry(const Comm& comm, const HaloRows<T>& a) {
  return symmetry_of(comm, a, split(a.rows).local);
}

template <class T>
SystemFacts system_facts(const Comm& comm, const HaloRows<T>& a) {
  SystemFacts facts;
  facts.complex_numbers = is_complex<T>;
  look_at_rows(a.rows, facts);
  HaloColumns columns(comm, a.plan);
  std::vector<double> used(to_size(a.rows.num_cols));
  for (const Index col : a.rows.cols.span()) used[to_size(col)] = 1;
  columns.join_largest(used);
  std::int64_t empty_rows = 0;
  for (Index r = 0; r < a.rows.num_rows; ++r) empty_rows += a.rows.row_begin(r) == a.rows.row_begin(r + 1);
  std::int64_t counts[] = {facts.zero_diagonal,
                           facts.negative_diagonal,
                           facts.dominant_rows,
                           facts.strict_rows,
                           !facts.finite,
                           empty_rows,
                           std::count(used.begin(), used.begin() + a.rows.num_rows, 0.0),
                           a.rows.num_entries()};
  comm.sum(counts);
  facts.zero_diagonal = as_index(counts[0]);
  facts.negative_diagonal = as_index(counts[1]);
  facts.dominant_rows = as_index(counts[2]);
  facts.strict_rows = as_index(counts[3]);
  facts.finite = counts[4] == 0;
  MatrixStats& stats = facts.stats;
  stats.num_rows = stats.num_cols = as_index(a.parts.num_rows());
  stats.empty_rows = as_index(counts[5]);
  stats.empty_cols = as_index(counts[6]);
  stats.num_entries = counts[7];
  const Csr<T> local = split(a.rows).local;
  // Blocks of one size on all ranks that have rows.
  const auto block = static_cast<std::int64_t>(a.rows.num_rows > 0 ? find_blocks(local).size : 0);
  std::int64_t blocks[] = {block, a.rows.num_rows > 0 ? -block : std::numeric_limits<std::int64_t>::min()};
  comm.max(blocks);
  stats.block_size = blocks[0] == -blocks[1] ? static_cast<Index>(blocks[0]) : 1;
  if (!facts.finite) return facts;
  const SymmetryOverRanks symmetry = symmetry_of(comm, a, local);
  facts.asymmetry = symmetry.pattern_share > 0.5 ? symmetry.asymmetry : 1;
  facts.hermitian = facts.asymmetry <= max_asymmetry || symmetry.hermitian;
  stats.pattern_symmetric = symmetry.pattern;
  stats.pattern_symmetry = symmetry.pattern_share;
  stats.numerically_symmetric = symmetry.numerical;
  stats.hermitian = symmetry.hermitian;
  const Scaling scaling = measure_scaling(a.rows, facts.hermitian, other_ranks(comm, columns));
  facts.spread = std::min(scaling.row_spread, scaling.col_spread);
  return facts;
}

template <class T>
FormatChoice choose_format(const Comm& comm, const HaloRows<T>& a, Device device) {
  const std::vector<Offset> entries = comm.gather(a.rows.num_entries());
  const auto largest = static_cast<int>(std::ranges::max_element(entries) - entries.begin());
  FormatChoice choice;
  together(comm, [&] {
    if (comm.rank() == largest) choice = choose_format(compute_stats(split(a.rows).local), device);
  });
  return {comm.broadcast(choice.format, largest), comm.broadcast(choice.reason, largest)};
}

#define MILLRACE_INSTANTIATE(T)                                              \
  template SymmetryOverRanks find_symmetry(const Comm&, const HaloRows<T>&); \
  template SystemFacts system_facts(const Comm&, const HaloRows<T>&);        \
  template FormatChoice choose_format(const Comm&, const HaloRows<T>&, Device);
MILLRACE_INSTANTIATE(float)
MILLRACE_INSTANTIATE(double)
MILLRACE_INSTANTIATE(std::complex<float>)
MILLRACE_INSTANTIATE(std::complex<double>)
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
