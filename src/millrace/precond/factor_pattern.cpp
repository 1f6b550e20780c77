// The pattern of incomplete factors: rows in the order of their levels, columns ascending in that order.
#include "millrace/precond/factor_pattern.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace millrace {
namespace {

using Entry = FactorPattern::Entry;

/// Depends on every row and column, not on the order in which they are added.
template <class T>
std::uint64_t fingerprint_of(const Csr<T>& a) {
  std::atomic<std::uint64_t> total = 0;
  a.visit_view([&](const auto& view) {
    parallel_for(default_num_threads(), view.num_rows, [&](std::int64_t begin, std::int64_t end) {
      std::uint64_t sum = 0;
      for (std::int64_t r = begin; r < end; ++r)
        for (auto s = static_cast<Offset>(view.row_ptr[r]); s < static_cast<Offset>(view.row_ptr[r + 1]); ++s) {
          const auto where = (static_cast<std::uint64_t>(r) << 32) ^ static_cast<std::uint64_t>(view.cols[s]);
          std::uint64_t mixed = (where + static_cast<std::uint64_t>(s) * 0x632be59bd9b4e019u) * 0x9e3779b97f4a7c15u;
          mixed ^= mixed >> 29;
          sum += mixed * 0xbf58476d1ce4e5b9u;
        }
      total += sum;
    });
  });
  return total;
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

Entry find(const Triangle& triangle, Index row, Index column) {
  const Index *first = triangle.cols.data() + triangle.ptr.data()[row],
              *last = triangle.cols.data() + triangle.ptr.data()[row + 1];
  return static_cast<Entry>(std::lower_bound(first, last, column) - triangle.cols.data());
}

}  // namespace

template <class T>
FactorPattern::FactorPattern(const Csr<T>& a, Index block, bool hermitian)
    : block_(block), num_unknowns_(a.num_rows), hermitian_(hermitian), fingerprint_(fingerprint_of(a)) {
  const BlockPattern pattern = make_block_pattern("incomplete factors", a, block);
  auto found = std::make_shared<Levels>(find_levels(pattern, Offset{block} * block));
  levels_ = found;
  const std::span<const Index> order(found->order);
  std::vector<Index> place_of(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place_of[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  order_ = Array<Index>(order);
  Triangle lower = triangle_of(pattern, order, place_of, true);
  Triangle upper = hermitian ? mirrored(lower, mirror_) : triangle_of(pattern, order, place_of, false);
  places_ = Array<Offset>(a.num_entries());
  const Offset area = Offset{block} * block;
  a.visit_view([&](const auto& view) {
    parallel_for(default_num_threads(), a.num_rows, [&](std::int64_t begin, std::int64_t end) {
      for (auto r = static_cast<Index>(begin); r < end; ++r) {
        const Index i = place_of[static_cast<std::size_t>(r / block)];
        for (auto s = static_cast<Offset>(view.row_ptr[r]); s < static_cast<Offset>(view.row_ptr[r + 1]); ++s) {
          const Index c = view.cols[s], j = place_of[static_cast<std::size_t>(c / block)];
          const bool unused = hermitian && c / block > r / block;
          const Offset entry = j < i    ? Offset{find(lower, i, j)}
                               : j == i ? lower.cols.size() + upper.cols.size() + i
                                        : lower.cols.size() + Offset{find(upper, i, j)};
          places_.data()[s] = unused ? -1 : entry * area + c % block * block + r % block;
        }
      }
    });
  });
  lower_ptr_ = std::move(lower.ptr);
  lower_cols_ = std::move(lower.cols);
  upper_ptr_ = std::move(upper.ptr);
  upper_cols_ = std::move(upper.cols);
}

FactorPattern FactorPattern::to(Device target) const {
  FactorPattern copy;
  copy.block_ = block_;
  copy.num_unknowns_ = num_unknowns_;
  copy.hermitian_ = hermitian_;
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
  require(a.num_rows == num_unknowns_ && a.num_entries() == num_matrix_entries(), what,
          ": update_values needs the same pattern, ", num_unknowns_, " rows and ", num_matrix_entries(),
          " entries; this matrix has ", a.num_rows, " rows and ", a.num_entries(), " entries");
  require(!a.device().on_host() || fingerprint_of(a) == fingerprint_, what,
          ": update_values needs the same pattern; this matrix has entries at other places or in another order");
}

#define MILLRACE_INSTANTIATE(T)                                      \
  template FactorPattern::FactorPattern(const Csr<T>&, Index, bool); \
  template void FactorPattern::require_same(const char*, const Csr<T>&) const
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
