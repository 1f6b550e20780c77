// SELL from CSR: sort the rows in windows, lay out the slices, fill them through the view.
#include "millrace/sparse/sell.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <vector>

#include "millrace/base/parallel.hpp"

namespace millrace {
namespace {

constexpr Index max_slice = 1024;

// The order of the rows: by falling length inside every window, equal lengths as they were.
template <class T>
std::vector<Index> sorted_rows(const Csr<T>& a, Index window) {
  std::vector<Index> order(static_cast<std::size_t>(a.num_rows));
  std::iota(order.begin(), order.end(), 0);
  if (window == 1) return order;
  for (std::int64_t begin = 0; begin < a.num_rows; begin += window) {
    const auto first = order.begin() + begin;
    const auto last = order.begin() + std::min<std::int64_t>(begin + window, a.num_rows);
    std::stable_sort(first, last, [&](Index p, Index q) { return a.row_length(p) > a.row_length(q); });
  }
  return order;
}

template <class T>
Sell<T> build_sell(const Csr<T>& a, Index slice, Index window, bool permuted_basis) {
  require(a.device().on_host(), "sell: the CSR matrix lives on ", to_string(a.device()),
          ", the conversion on the host");
  require(slice >= 1 && slice <= max_slice && std::has_single_bit(static_cast<unsigned>(slice)), "sell: C = ", slice,
          "; a power of two from 1 to ", max_slice, " is accepted");
  require(window >= 1, "sell: sigma = ", window, "; 1 (no sorting) or more is accepted");
  require(!permuted_basis || a.num_rows == a.num_cols, "sell: a permuted basis needs a square matrix; this one is ",
          a.num_rows, " x ", a.num_cols);
  const std::vector<Index> order = sorted_rows(a, window);
  const bool moved = !std::is_sorted(order.begin(), order.end());
  std::vector<Index> place;  // of every column in the permuted basis
  if (permuted_basis && moved) {
    place.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  }

  Sell<T> b;
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  b.slice = slice;
  b.window = window;
  b.entries = a.num_entries();
  b.permuted_basis = permuted_basis;
  const std::int64_t num_slices = (static_cast<std::int64_t>(a.num_rows) + slice - 1) / slice;
  b.slice_ptr = Array<Offset>(num_slices + 1);
  b.row_len = Array<Index>(a.num_rows);
  b.slice_ptr.data()[0] = 0;
  for (std::int64_t s = 0; s < num_slices; ++s) {
    Index longest = 0;
    for (std::int64_t r = s * slice; r < std::min<std::int64_t>((s + 1) * slice, a.num_rows); ++r) {
      const Index length = a.row_length(order[static_cast<std::size_t>(r)]);
      b.row_len.data()[r] = length;
      longest = std::max(longest, length);
    }
    b.slice_ptr.data()[s + 1] = b.slice_ptr.data()[s] + static_cast<Offset>(longest) * slice;
  }
  if (moved) b.row_of = Array<Index>(std::span<const Index>(order));
  b.cols = Array<Index>(b.slice_ptr.data()[num_slices], 0);
  b.vals = Array<T>(b.cols.size(), T{0});
  b.visit_view([&](const auto& view) {
    parallel_for(default_num_threads(), a.num_rows, [&](std::int64_t begin, std::int64_t end) {
      for (auto r = static_cast<Index>(begin); r < end; ++r) {
        Offset from = a.row_begin(order[static_cast<std::size_t>(r)]);
        for (Index k = 0; k < view.length(r); ++k, ++from) {
          const Offset s = view.slot(r, k);
          const Index c = a.cols.data()[from];
          b.cols.data()[s] = place.empty() ? c : place[static_cast<std::size_t>(c)];
          b.vals.data()[s] = a.vals.data()[from];
        }
      }
    });
  });
  return b;
}

}  // namespace

template <class T>
int Sell<T>::log2_slice() const {
  return std::countr_zero(static_cast<unsigned>(slice));
}

template <class T>
Sell<T> Sell<T>::from_csr(const Csr<T>& a, const FormatSpec& spec) {
  const auto& p = spec.parameters;
  constexpr std::int64_t most = std::numeric_limits<Index>::max();
  require(p.size() <= 2, "format '", spec.text(), "': sell takes C and sigma, as in sell-32-1024");
  for (const std::int64_t value : p)
    require(value >= 1 && value <= most, "format '", spec.text(), "': C and sigma run from 1 to ", most);
  const Sell defaults;
  return build_sell(a, p.empty() ? defaults.slice : static_cast<Index>(p[0]),
                    p.size() < 2 ? defaults.window : static_cast<Index>(p[1]), false);
}

template <class T>
Sell<T> Sell<T>::in_permuted_basis(const Csr<T>& a, Index slice, Index window) {
  return build_sell(a, slice, window, true);
}

template <class T>
Sell<T> Sell<T>::to(Device target) const {
  Sell b;
  b.num_rows = num_rows;
  b.num_cols = num_cols;
  b.slice = slice;
  b.window = window;
  b.entries = entries;
  b.permuted_basis = permuted_basis;
  b.slice_ptr = slice_ptr.to(target);
  b.row_len = row_len.to(target);
  b.cols = cols.to(target);
  b.vals = vals.to(target);
  b.row_of = row_of.to(target);
  return b;
}

template <class T>
Footprint Sell<T>::footprint() const {
  const bool reads_order = !row_of.empty() && !permuted_basis;
  const std::int64_t extra = slice_ptr.bytes() + row_len.bytes() + (reads_order ? row_of.bytes() : 0);
  const auto an_entry = static_cast<std::int64_t>(sizeof(Index) + sizeof(T));
  return {entries, vals.size() - entries,
          slice_ptr.bytes() + row_len.bytes() + row_of.bytes() + cols.bytes() + vals.bytes(),
          entries * an_entry + extra};
}

template struct Sell<float>;
template struct Sell<double>;
template struct Sell<std::complex<float>>;
template struct Sell<std::complex<double>>;

}  // namespace millrace
