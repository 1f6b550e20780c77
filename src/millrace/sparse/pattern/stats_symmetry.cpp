// Symmetry: every entry above the diagonal looks for its partner below it.
#include <algorithm>
#include <complex>

#include "millrace/sparse/pattern/entry_parts.hpp"
#include "millrace/sparse/stats.hpp"

namespace millrace {
namespace {

struct Pairs {
  Offset below = 0, above = 0, diagonal = 0;                // entries
  Offset both = 0, equal = 0, conjugate = 0, opposite = 0;  // pairs stored on both sides, and how they compare
  Offset real_diagonal = 0, zero_diagonal = 0;

  void add(const Pairs& other) {
    below += other.below;
    above += other.above;
    diagonal += other.diagonal;
    both += other.both;
    equal += other.equal;
    conjugate += other.conjugate;
    opposite += other.opposite;
    real_diagonal += other.real_diagonal;
    zero_diagonal += other.zero_diagonal;
  }
};

template <class View>
void compare_with_partner(const View& a, Index i, Offset s, Pairs& pairs) {
  const Index j = a.cols[s];
  const Index* const begin = a.cols + a.row_ptr[j];
  const Index* const end = a.cols + a.row_ptr[j + 1];
  const Index* const partner = std::lower_bound(begin, end, i);
  if (partner == end || *partner != i) return;
  const auto value = a.vals[s], other = a.vals[partner - a.cols];
  ++pairs.both;
  pairs.equal += value == other;
  pairs.conjugate += value == conjugate(other);
  pairs.opposite += is_zero(value + other);
}

template <class View>
Pairs count_pairs(const View& a, int num_threads) {
  std::vector<Pairs> parts(static_cast<std::size_t>(num_threads));
  const bool square = a.num_rows == a.num_cols;
  for_entry_parts(a, num_threads, [&](int part, Offset begin, Offset end, Index row) {
    Pairs mine;
    for (Offset s = begin; s < end; ++s) {
      while (a.row_ptr[row + 1] <= s) ++row;
      const Index col = a.cols[s];
      mine.below += col < row;
      mine.above += col > row;
      if (col > row && square) compare_with_partner(a, row, s, mine);
      if (col == row) {
        ++mine.diagonal;
        mine.real_diagonal += a.vals[s] == conjugate(a.vals[s]);
        mine.zero_diagonal += is_zero(a.vals[s]);
      }
    }
    parts[static_cast<std::size_t>(part)] = mine;
  });
  Pairs total;
  for (const Pairs& part : parts) total.add(part);
  return total;
}

}  // namespace

template <class T>
Symmetry find_symmetry(const Csr<T>& sorted, int num_threads) {
  if (num_threads <= 0) num_threads = default_num_threads();
  const Pairs pairs = sorted.visit_view([&](const auto& view) { return count_pairs(view, num_threads); });
  Symmetry symmetry;
  symmetry.diagonal_entries = pairs.diagonal;
  if (sorted.num_rows != sorted.num_cols) return symmetry;

  symmetry.pattern = pairs.both == pairs.above && pairs.both == pairs.below;
  symmetry.numerical = symmetry.pattern && pairs.equal == pairs.both;
  symmetry.hermitian = symmetry.pattern && pairs.conjugate == pairs.both && pairs.real_diagonal == pairs.diagonal;
  symmetry.skew = symmetry.pattern && pairs.opposite == pairs.both && pairs.zero_diagonal == pairs.diagonal;
  const double off_diagonal = static_cast<double>(pairs.above + pairs.below);
  symmetry.pattern_share = off_diagonal > 0 ? 2.0 * static_cast<double>(pairs.both) / off_diagonal : 1;
  symmetry.value_share = off_diagonal > 0 ? 2.0 * static_cast<double>(pairs.equal) / off_diagonal : 1;
  return symmetry;
}

template Symmetry find_symmetry(const Csr<float>&, int);
template Symmetry find_symmetry(const Csr<double>&, int);
template Symmetry find_symmetry(const Csr<std::complex<float>>&, int);
template Symmetry find_symmetry(const Csr<std::complex<double>>&, int);

}  // namespace millrace
