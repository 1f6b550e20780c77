// BSR from CSR, and what DBF shares with it: the size of the blocks, their pattern, and their values. Linear in the
// entries (but for a sort of the blocks of a block row whose rows differ), in parallel, for rows in any order.
#include "millrace/sparse/format/bsr.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/sparse/format/limits.hpp"

namespace millrace {
namespace {

Index num_block_rows(Index num_rows, Index size) {
  return static_cast<Index>((static_cast<Offset>(num_rows) + size - 1) / size);
}

/// Runs f(begin, end) over parts of the block rows that hold about equally many entries.
template <class View, class F>
void for_block_row_parts(const View& a, Index size, F&& f) {
  constexpr Offset work_per_thread = 1 << 15;
  const auto num_threads =
      static_cast<int>(std::clamp<Offset>(a.num_entries / work_per_thread, 1, default_num_threads()));
  parallel(num_threads, [&](int thread, int count) {
    const auto first_of = [&](int t) {
      if (t == count) return num_block_rows(a.num_rows, size);
      const auto* row = std::lower_bound(a.row_ptr, a.row_ptr + a.num_rows, a.num_entries / count * t);
      return static_cast<Index>(row - a.row_ptr) / size;
    };
    f(first_of(thread), first_of(thread + 1));
  });
}

/// The block columns of a block row into `found`, ascending.
template <class View>
void collect_blocks(const View& a, Index size, Index block_row, std::vector<Index>& found) {
  found.clear();
  const Index first = block_row * size, last = first + std::min(size, a.num_rows - first);
  std::size_t num_sorted = 0;  // found before; most rows add nothing to them
  for (Index r = first; r < last; ++r) {
    std::size_t at = 0;
    std::int64_t low = 0, high = 0;  // the columns of the block at hand
    for (Offset s = a.row_ptr[r]; s < a.row_ptr[r + 1]; ++s) {
      const Index c = a.cols[s];
      if (c >= low && c < high) continue;
      const Index block = c / size;
      low = static_cast<std::int64_t>(block) * size;
      high = low + size;
      while (at < num_sorted && found[at] < block) ++at;
      if (at == num_sorted || found[at] != block) found.push_back(block);
    }
    if (found.size() > 2 * num_sorted || r + 1 == last) {
      if (found.size() == num_sorted) break;
      if (!std::is_sorted(found.begin(), found.end())) std::sort(found.begin(), found.end());
      found.erase(std::unique(found.begin(), found.end()), found.end());
      num_sorted = found.size();
    }
  }
}

/// All blocks of that size, or some number above the limit.
template <class View>
Offset count_blocks(const View& a, Index size, Offset limit) {
  std::atomic<Offset> total = 0;
  const Offset often_enough = std::clamp<Offset>(limit / 16, 1, 1024);  // blocks between two looks at the total
  for_block_row_parts(a, size, [&](Index begin, Index end) {
    std::vector<Index> found;
    Offset mine = 0;
    for (Index b = begin; b < end; ++b) {
      collect_blocks(a, size, b, found);
      mine += std::ssize(found);
      if (mine < often_enough && b + 1 < end) continue;
      if ((total += mine) > limit) return;
      mine = 0;
    }
  });
  return total;
}

}  // namespace

double BlockPattern::stored_bytes(std::size_t value_bytes) const {
  return static_cast<double>(num_blocks()) * block_bytes(size, value_bytes) + static_cast<double>(block_ptr.bytes());
}

template <class T>
void require_distinct(std::string_view format, const Csr<T>& a) {
  parallel_for(default_num_threads(), a.num_rows, [&](std::int64_t begin, std::int64_t end) {
    std::vector<Index> sorted;
    for (auto r = static_cast<Index>(begin); r < end; ++r) {
      const Index *first = a.cols.data() + a.row_begin(r), *last = a.cols.data() + a.row_begin(r + 1);
      if (std::adjacent_find(first, last, std::greater_equal<>()) == last) continue;
      sorted.assign(first, last);
      std::sort(sorted.begin(), sorted.end());
      const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
      if (twice != sorted.end()) refuse_repeated(format, r, *twice);
    }
  });
}

template <class T>
Index choose_block_size(const Csr<T>& a, std::span<const Index> sizes) {
  return a.visit_view([&](const auto& view) {
    return choose_block_size(a.num_entries(), sizeof(T), sizes,
                             [&](Index size, Offset limit) { return count_blocks(view, size, limit); });
  });
}

template <class T>
BlockPattern find_pattern(const Csr<T>& a, Index size) {
  BlockPattern pattern{size, Array<Offset>(Offset{num_block_rows(a.num_rows, size)} + 1), {}};
  Offset* block_ptr = pattern.block_ptr.data();
  block_ptr[0] = 0;
  a.visit_view([&](const auto& view) {
    const auto for_each_block_row = [&](auto&& f) {
      for_block_row_parts(view, size, [&](Index begin, Index end) {
        std::vector<Index> found;
        for (Index b = begin; b < end; ++b) {
          collect_blocks(view, size, b, found);
          f(b, found);
        }
      });
    };
    for_each_block_row([&](Index b, const std::vector<Index>& found) { block_ptr[b + 1] = std::ssize(found); });
    std::partial_sum(block_ptr, block_ptr + pattern.block_ptr.size(), block_ptr);
    pattern.block_cols = Array<Index>(block_ptr[pattern.num_block_rows()]);
    for_each_block_row([&](Index b, const std::vector<Index>& found) {
      std::copy(found.begin(), found.end(), pattern.block_cols.data() + block_ptr[b]);
    });
  });
  return pattern;
}

template <class T>
void fill_blocks(const Csr<T>& a, const BlockPattern& pattern, std::span<const BlockPlace> places, Array<T>& vals,
                 Array<std::uint64_t>& real) {
  const Index size = pattern.size;
  // Block rows of two threads can share a word of bits.
  const auto mark = [&](Offset slot) {
    std::atomic_ref<std::uint64_t>(real.data()[slot / 64])
        .fetch_or(std::uint64_t{1} << (slot % 64), std::memory_order_relaxed);
  };
  const auto fill_row = [&](const auto& view, Index r) {
    const Index block_row = r / size;
    const Index *first = pattern.block_cols.data() + pattern.block_ptr.data()[block_row],
                *last = pattern.block_cols.data() + pattern.block_ptr.data()[block_row + 1], *at = first;
    const BlockPlace place = places[static_cast<std::size_t>(block_row)];
    std::int64_t low = 0, high = 0;  // the columns of the block at hand
    Offset in_row = 0;               // first slot of the row in that block
    for (Offset s = view.row_ptr[r]; s < view.row_ptr[r + 1]; ++s) {
      const Index c = view.cols[s];
      if (c < low || c >= high) {
        const Index block = c / size;
        if (*at != block) at = at + 1 != last && at[1] == block ? at + 1 : std::lower_bound(first, last, block);
        low = static_cast<std::int64_t>(block) * size;
        high = low + size;
        in_row = place.first + (at - first) * size * place.stride + r % size;
      }
      const Offset slot = in_row + (c - low) * place.stride;
      vals.data()[slot] = a.vals.data()[s];
      if (!real.empty()) mark(slot);
    }
  };
  a.visit_view([&](const auto& view) {
    for_block_row_parts(view, size, [&](Index begin, Index end) {
      const auto last = static_cast<Index>(std::min<Offset>(Offset{end} * size, a.num_rows));
      for (Index r = begin * size; r < last; ++r) fill_row(view, r);
    });
  });
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
Bsr<T> Bsr<T>::from_csr(const Csr<T>& a, const FormatSpec& spec) {
  check_parameters(spec, 1, {}, "bsr takes the size of its blocks, 1 to 32, as in bsr-5; bsr alone finds it");
  require(spec.parameters.empty() || spec.parameters[0] <= max_block, "bsr: blocks of ",
          spec.parameters.empty() ? 0 : spec.parameters[0], "; sizes from 1 to ", max_block,
          " are accepted (dbf takes up to 1024)");
  require(a.device().on_host(), "bsr: the CSR matrix lives on ", to_string(a.device()), ", the conversion on the host");
  require_distinct(name, a);
  Bsr b;
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  b.entries = a.num_entries();
  b.block = spec.parameters.empty()
                ? choose_block_size(a, std::span<const Index>(possible_sizes(a.num_rows, a.num_cols)))
                : static_cast<Index>(spec.parameters[0]);
  BlockPattern pattern = find_pattern(a, b.block);
  require_reasonable_blocks(a, pattern);
  const Offset area = Offset{b.block} * b.block, num_slots = pattern.num_blocks() * area;
  const bool full = num_slots == b.entries;
  b.vals = full ? Array<T>(num_slots) : Array<T>(num_slots, T{0});
  if (!full) b.real = Array<std::uint64_t>((num_slots + 63) / 64, 0);
  std::vector<BlockPlace> places;
  for (Index i = 0; i < pattern.num_block_rows(); ++i) places.push_back({pattern.block_ptr.data()[i] * area, b.block});
  fill_blocks(a, pattern, places, b.vals, b.real);
  b.block_ptr = std::move(pattern.block_ptr);
  b.block_cols = std::move(pattern.block_cols);
  return b;
}

template <class T>
Bsr<T> Bsr<T>::to(Device target) const {
  Bsr b;
  b.num_rows = num_rows;
  b.num_cols = num_cols;
  b.block = block;
  b.entries = entries;
  b.block_ptr = block_ptr.to(target);
  b.block_cols = block_cols.to(target);
  b.vals = vals.to(target);
  b.real = real.to(target);
  return b;
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

#define MILLRACE_INSTANTIATE(T)                                                                         \
  template struct Bsr<T>;                                                                               \
  template void require_reasonable_blocks(const Csr<T>&, const BlockPattern&);                          \
  template void require_distinct(std::string_view, const Csr<T>&);                                      \
  template Index choose_block_size(const Csr<T>&, std::span<const Index>);                              \
  template BlockPattern find_pattern(const Csr<T>&, Index);                                             \
  template void fill_blocks(const Csr<T>&, const BlockPattern&, std::span<const BlockPlace>, Array<T>&, \
                            Array<std::uint64_t>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
