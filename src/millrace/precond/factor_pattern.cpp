// The pattern of incomplete factors: rows in the order of their levels, columns ascending in that order.
#include "millrace/precond/factor_pattern.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "millrace/sparse/dbf.hpp"

namespace millrace {
namespace {

using Entry = FactorPattern::Entry;

std::uint64_t mixed(std::int64_t row, Index column, Offset slot) {
  const auto where = (static_cast<std::uint64_t>(row) << 32) ^ static_cast<std::uint64_t>(column);
  std::uint64_t bits = (where + static_cast<std::uint64_t>(slot) * 0x632be59bd9b4e019u) * 0x9e3779b97f4a7c15u;
  bits ^= bits >> 29;
  return bits * 0xbf58476d1ce4e5b9u;
}

/// Depends on every row and column, not on the order in which they are added.
template <class T>
std::uint64_t fingerprint_of(const Csr<T>& a) {
  std::atomic<std::uint64_t> total = 0;
  a.visit_view([&](const auto& view) {
    parallel_for(default_num_threads(), view.num_rows, [&](std::int64_t begin, std::int64_t end) {
      std::uint64_t sum = 0;
      for (std::int64_t r = begin; r < end; ++r)
        for (auto s = static_cast<Offset>(view.row_ptr[r]); s < static_cast<Offset>(view.row_ptr[r + 1]); ++s)
          sum += mixed(r, view.cols[s], s);
      total += sum;
    });
  });
  return total;
}
template <class T>
std::uint64_t fingerprint_of(const Dbf<T>& a) {
  std::uint64_t sum = 0;
  a.visit_pattern([&](const auto& view) {
    for (Index f = 0; f < a.num_block_rows(); ++f) {
      const auto row = view.block_row(f);
      for (Index k = 0; k < row.num_blocks; ++k) sum += mixed(row.first_row, row.cols[k], view.blocks_before(f) + k);
    }
  });
  return sum;
}

Array<Entry> offsets_from(const std::vector<Offset>& lengths) {
  Array<Entry> ptr(std::ssize(lengths) + 1);
  Offset sum = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    ptr.data()[i] = static_cast<Entry>(sum);
    sum += lengths[i];
  }
  require<Unsupported>(sum <= std::numeric_limits<Entry>::max(), "incomplete factors: ", sum,
                       " entries in a triangle; up to 2^32 - 1 are accepted");
  ptr.data()[lengths.size()] = static_cast<Entry>(sum);
  return ptr;
}

struct Triangle {
  Array<Entry> ptr;
  Array<Index> cols;
};

/// Entries below (or above) the diagonal, in the new order. `place_of` is the inverse of the order.
Triangle triangle_of(const BlockPattern& pattern, std::span<const Index> order, std::span<const Index> place_of,
                     bool lower) {
  const Offset* ptr = pattern.block_ptr.data();
  const Index* cols = pattern.block_cols.data();
  const auto part_of = [&](Index r) {  // of the row's blocks, which ascend
    const Index *first = cols + ptr[r], *last = cols + ptr[r + 1];
    return lower ? std::pair(first, std::lower_bound(first, last, r))
                 : std::pair(std::upper_bound(first, last, r), last);
  };
  const auto for_rows = [&](auto&& f) {
    parallel_for(default_num_threads(), std::ssize(order), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) f(i, part_of(order[static_cast<std::size_t>(i)]));
    });
  };
  std::vector<Offset> lengths(order.size());
  for_rows([&](std::int64_t i, auto part) { lengths[static_cast<std::size_t>(i)] = part.second - part.first; });
  Triangle triangle{offsets_from(lengths), {}};
  triangle.cols = Array<Index>(triangle.ptr.data()[std::ssize(order)]);
  for_rows([&](std::int64_t i, auto part) {
    Index* to = triangle.cols.data() + triangle.ptr.data()[i];
    Index* end =
        std::transform(part.first, part.second, to, [&](Index c) { return place_of[static_cast<std::size_t>(c)]; });
    std::sort(to, end);
  });
  return triangle;
}

/// The transpose; `source` gets the entry that every entry came from.
Triangle mirrored(const Triangle& a, Array<Entry>& source) {
  const std::int64_t n = a.ptr.size() - 1;
  std::vector<Offset> lengths(static_cast<std::size_t>(n), 0);
  for (std::int64_t e = 0; e < a.cols.size(); ++e) ++lengths[static_cast<std::size_t>(a.cols.data()[e])];
  Triangle b{offsets_from(lengths), Array<Index>(a.cols.size())};
  source = Array<Entry>(a.cols.size());
  std::vector<Entry> next(b.ptr.data(), b.ptr.data() + n);
  for (std::int64_t i = 0; i < n; ++i)
    for (Entry e = a.ptr.data()[i]; e < a.ptr.data()[i + 1]; ++e) {
      const Entry to = next[static_cast<std::size_t>(a.cols.data()[e])]++;
      b.cols.data()[to] = static_cast<Index>(i);
      source.data()[to] = e;
    }
  return b;
}

/// Position of a column in a row of a triangle, or -1.
Offset find(const Array<Entry>& ptr, const Array<Index>& cols, Index row, Index column) {
  const Index *first = cols.data() + ptr.data()[row], *last = cols.data() + ptr.data()[row + 1];
  const Index* found = std::lower_bound(first, last, column);
  return found == last || *found != column ? -1 : found - cols.data();
}

/// Rows and columns in that order, columns ascending; an empty order: as they are.
BlockPattern permuted(BlockPattern a, std::span<const Index> order) {
  if (order.empty()) return a;
  const Index n = a.num_block_rows();
  require(std::ssize(order) == n, "incomplete factors: an elimination order of ", order.size(),
          " rows; the matrix has ", n, " (block) rows");
  std::vector<Index> place_of(order.size(), -1);
  for (std::size_t k = 0; k < order.size(); ++k) {
    require(order[k] >= 0 && order[k] < n && place_of[static_cast<std::size_t>(order[k])] < 0,
            "incomplete factors: the elimination order has row ", order[k], " at place ", k,
            "; it must have each of 0..", n - 1, " once");
    place_of[static_cast<std::size_t>(order[k])] = static_cast<Index>(k);
  }
  BlockPattern b{a.size, Array<Offset>(std::int64_t{n} + 1, 0), Array<Index>(a.num_blocks())};
  for (Index k = 0; k < n; ++k) {
    const Index r = order[static_cast<std::size_t>(k)];
    const Offset begin = a.block_ptr.data()[r], end = a.block_ptr.data()[r + 1], to = b.block_ptr.data()[k];
    Index* cols = b.block_cols.data() + to;
    std::transform(a.block_cols.data() + begin, a.block_cols.data() + end, cols,
                   [&](Index c) { return place_of[static_cast<std::size_t>(c)]; });
    std::sort(cols, cols + (end - begin));
    b.block_ptr.data()[k + 1] = to + end - begin;
  }
  return b;
}

/// The blocks that are stored, without padding.
template <class T>
BlockPattern pattern_of(const Dbf<T>& a) {
  const Index n = a.num_block_rows();
  BlockPattern b{a.block, Array<Offset>(std::int64_t{n} + 1, 0), Array<Index>(a.num_real_blocks)};
  a.visit_pattern([&](const auto& view) {
    for (Index f = 0; f < n; ++f) {
      const auto row = view.block_row(f);
      b.block_ptr.data()[row.first_row / a.block + 1] = row.num_blocks;
    }
    std::partial_sum(b.block_ptr.data(), b.block_ptr.data() + n + 1, b.block_ptr.data());
    for (Index f = 0; f < n; ++f) {
      const auto row = view.block_row(f);
      std::copy_n(row.cols, row.num_blocks, b.block_cols.data() + b.block_ptr.data()[row.first_row / a.block]);
    }
  });
  return b;
}

}  // namespace

/// From a pattern in the order of elimination, and that order in order_.
void FactorPattern::make_triangles(const BlockPattern& pattern) {
  auto found = std::make_shared<Levels>(find_levels(pattern, Offset{block_} * block_));
  const std::span<const Index> order(found->order);
  std::vector<Index> place_of(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place_of[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  Triangle lower = triangle_of(pattern, order, place_of, true);
  Triangle upper = hermitian_ ? mirrored(lower, mirror_) : triangle_of(pattern, order, place_of, false);
  lower_ptr_ = std::move(lower.ptr);
  lower_cols_ = std::move(lower.cols);
  upper_ptr_ = std::move(upper.ptr);
  upper_cols_ = std::move(upper.cols);
  if (!order_.empty())  // rows of the matrix, no longer steps of the elimination
    for (Index& row : found->order) row = order_.data()[row];
  order_ = Array<Index>(std::span<const Index>(found->order));
  levels_ = std::move(found);
}

std::vector<Index> FactorPattern::place_of_rows() const {
  std::vector<Index> place_of(static_cast<std::size_t>(order_.size()));
  for (Index i = 0; i < num_rows(); ++i) place_of[static_cast<std::size_t>(order_.data()[i])] = i;
  return place_of;
}

Offset FactorPattern::slot_of(Index i, Index j) const {
  if (j < i) return find(lower_ptr_, lower_cols_, i, j);
  if (j == i) return lower_cols_.size() + upper_cols_.size() + i;
  const Offset entry = find(upper_ptr_, upper_cols_, i, j);
  return entry < 0 ? -1 : lower_cols_.size() + entry;
}

template <class T>
FactorPattern::FactorPattern(const Csr<T>& a, Index block, bool hermitian, std::span<const Index> order)
    : block_(block), num_unknowns_(a.num_rows), hermitian_(hermitian), fingerprint_(fingerprint_of(a)), order_(order) {
  make_triangles(permuted(make_block_pattern("incomplete factors", a, block), order));
  places_ = places_of(a);
}

template <class T>
FactorPattern::FactorPattern(const Dbf<T>& a, std::span<const Index> order)
    : block_(a.block), num_unknowns_(a.num_rows), of_blocks_(true), fingerprint_(fingerprint_of(a)), order_(order) {
  make_triangles(permuted(pattern_of(a), order));
  places_ = Array<Offset>(a.neighbours.size(), -1);
  const std::vector<Index> place_of = place_of_rows();
  a.visit_pattern([&](const auto& view) {
    parallel_for(default_num_threads(), num_rows(), [&](std::int64_t begin, std::int64_t end) {
      for (auto f = static_cast<Index>(begin); f < end; ++f) {
        const auto row = view.block_row(f);
        const Index i = place_of[static_cast<std::size_t>(row.first_row / block_)];
        for (Index k = 0; k < row.num_blocks; ++k)
          places_.data()[view.blocks_before(f) + k] =
              slot_of(i, place_of[static_cast<std::size_t>(row.cols[k])]) * block_ * block_;
      }
    });
  });
}

template <class T>
Array<Offset> FactorPattern::places_of(const Csr<T>& a) const {
  Array<Offset> places(a.num_entries());
  const std::vector<Index> place_of = place_of_rows();
  a.visit_view([&](const auto& view) {
    parallel_for(default_num_threads(), a.num_rows, [&](std::int64_t begin, std::int64_t end) {
      for (auto r = static_cast<Index>(begin); r < end; ++r) {
        const Index i = place_of[static_cast<std::size_t>(r / block_)];
        for (auto s = static_cast<Offset>(view.row_ptr[r]); s < static_cast<Offset>(view.row_ptr[r + 1]); ++s) {
          const Index c = view.cols[s];
          const bool unused = hermitian_ && c / block_ > r / block_;
          const Offset slot = unused ? -1 : slot_of(i, place_of[static_cast<std::size_t>(c / block_)]);
          require(unused || slot >= 0, "incomplete factors: entry (", r, ", ", c,
                  ") is in none of their blocks; update_values needs the same pattern");
          places.data()[s] = unused ? -1 : slot * block_ * block_ + c % block_ * block_ + r % block_;
        }
      }
    });
  });
  return places;
}

FactorPattern FactorPattern::to(Device target) const {
  FactorPattern copy;
  copy.block_ = block_;
  copy.num_unknowns_ = num_unknowns_;
  copy.hermitian_ = hermitian_;
  copy.of_blocks_ = of_blocks_;
  copy.fingerprint_ = fingerprint_;
  copy.levels_ = levels_;
  copy.order_ = order_.to(target);
  copy.lower_ptr_ = lower_ptr_.to(target);
  copy.lower_cols_ = lower_cols_.to(target);
  copy.upper_ptr_ = upper_ptr_.to(target);
  copy.upper_cols_ = upper_cols_.to(target);
  copy.mirror_ = mirror_.to(target);
  copy.places_ = places_.to(target);
  return copy;
}

FactorView FactorPattern::view() const {
  return {num_rows(),
          block_,
          num_unknowns_,
          static_cast<Entry>(lower_cols_.size()),
          static_cast<Entry>(upper_cols_.size()),
          order_.data(),
          lower_ptr_.data(),
          lower_cols_.data(),
          upper_ptr_.data(),
          upper_cols_.data(),
          hermitian_ ? mirror_.data() : nullptr};
}

template <class T>
void FactorPattern::require_same(const char* what, const Csr<T>& a) const {
  if (of_blocks_) {  // places_of refuses entries outside the blocks
    require(a.num_rows == num_unknowns_, what, ": update_values needs the same pattern, ", num_unknowns_,
            " rows; this matrix has ", a.num_rows);
    return;
  }
  require(a.num_rows == num_unknowns_ && a.num_entries() == num_matrix_entries(), what,
          ": update_values needs the same pattern, ", num_unknowns_, " rows and ", num_matrix_entries(),
          " entries; this matrix has ", a.num_rows, " rows and ", a.num_entries(), " entries");
  require(!a.device().on_host() || fingerprint_of(a) == fingerprint_, what,
          ": update_values needs the same pattern; this matrix has entries at other places or in another order");
}

template <class T>
void FactorPattern::require_same(const char* what, const Dbf<T>& a) const {
  require(of_blocks_, what, ": update_values: these factors were made from entries (CSR), not from dense blocks (DBF)");
  require(a.num_rows == num_unknowns_ && a.block == block_ && a.neighbours.size() == places_.size(), what,
          ": update_values needs the same blocks, ", num_unknowns_, " rows in blocks of ", block_, ", ", places_.size(),
          " blocks with padding; this matrix has ", a.num_rows, ", ", a.block, " and ", a.neighbours.size());
  require(!a.device().on_host() || fingerprint_of(a) == fingerprint_, what,
          ": update_values needs the same blocks; this matrix has blocks at other places or in another order");
}

#define MILLRACE_INSTANTIATE(T)                                                              \
  template FactorPattern::FactorPattern(const Csr<T>&, Index, bool, std::span<const Index>); \
  template FactorPattern::FactorPattern(const Dbf<T>&, std::span<const Index>);              \
  template void FactorPattern::require_same(const char*, const Csr<T>&) const;               \
  template void FactorPattern::require_same(const char*, const Dbf<T>&) const;               \
  template Array<Offset> FactorPattern::places_of(const Csr<T>&) const
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
