// Slices of 8 or 32 rows advance together in vector registers; in ELLPACK and jagged columns strips of rows do, with
// their sums in the first cache, so that memory is read in long runs.
#include "millrace/sparse/product/padded_host.hpp"

#include <array>
#include <cstring>

#include "millrace/base/simd.hpp"
#include "millrace/sparse/product/rows_host.hpp"

namespace millrace::host {
namespace {

constexpr int lanes = 8;  // rows that share a pack
template <class A>
using Numbers = simd::Pack<A, lanes>;

/// Are the offsets consecutive numbers? Then x is read without a gather.
template <class I>
[[gnu::always_inline]] inline bool is_run(const I* offsets) {
  constexpr int bits = 8 * sizeof(I), in_word = 8 / sizeof(I);
  std::uint64_t ones = 0, rising = 0;
  for (int i = 0; i < in_word; ++i) {
    ones |= std::uint64_t{1} << (bits * i);
    rising |= static_cast<std::uint64_t>(i) << (bits * i);
  }
  bool run = true;
  for (int at = 0; at < lanes; at += in_word) {
    std::uint64_t word;
    std::memcpy(&word, offsets + at, 8);
    run &= word - ones * (static_cast<std::uint64_t>(offsets[0]) + static_cast<std::uint64_t>(at)) == rising;
  }
  return run;
}

/// x at the columns of 8 slots from s, which are in one group of narrow columns.
template <class A, class I>
[[gnu::always_inline]] inline Numbers<A> gather(const ColumnsView<I>& cols, Offset s, const A* x) {
  const I* offsets = cols.offsets + s;
  if constexpr (!ColumnsView<I>::narrow) {
    return Numbers<A>::gather(x, [&](int i) { return offsets[i]; });
  } else {
    const Index base = cols.bases[s >> cols.log2_group];
    if (base < 0) [[unlikely]] {
      const Offset in_group = s & ((Offset{1} << cols.log2_group) - 1);
      const Index* wide = cols.wide + (static_cast<Offset>(~base) << cols.log2_group) + in_group;
      return Numbers<A>::gather(x, [&](int i) { return wide[i]; });
    }
    if (is_run(offsets)) return Numbers<A>::load(x + base + offsets[0]);
    return Numbers<A>::gather(x + base, [&](int i) { return offsets[i]; });
  }
}

/// x at the columns of 8 slots from s, wherever groups begin.
template <class A, class I>
[[gnu::always_inline]] inline Numbers<A> gather_anywhere(const ColumnsView<I>& cols, Offset s, const A* x) {
  if constexpr (ColumnsView<I>::narrow)
    if (s % lanes == 0) return gather(cols, s, x);
  return Numbers<A>::gather(x, [&](int i) { return cols(s + i); });
}

/// How the rows of a group of neighbours end: entries that all have, that the longest has, and whether it pays to
/// step over the ragged ends together (at least a quarter of the lanes are at work).
struct Ends {
  Index common, longest;
  bool together;
};

[[gnu::always_inline]] inline Ends ends_of(const Index* length, Index count) {
  Index low = length[0], high = length[0];
  Offset sum = 0;
  for (Index i = 0; i < count; ++i) {  // the compiler makes vector instructions of it
    low = std::min(low, length[i]);
    high = std::max(high, length[i]);
    sum += length[i];
  }
  const Offset rest = sum - static_cast<Offset>(count) * low;
  const bool exact = high < (1 << 24);  // lengths are compared as floats
  return {low, high, exact && 4 * rest >= static_cast<Offset>(count) * (high - low)};
}

/// What entries [begin, length) of a row add to its sum.
template <class V, class A>
A add_rest(const V& a, Index r, Index begin, Index length, const A* x, A sum) {
  for (Index k = begin; k < length; ++k) {
    const Offset s = a.slot(r, k);
    sum = multiply_add(a.value(s), x[a.column(s)], sum);
  }
  return sum;
}

/// Whole slices of R rows times K vectors, all sums in registers.
template <int R, int K, class V, class A>
void multiply_slices(const V& a, Index begin, Index end, A alpha, const Vectors<const A>& x, A beta,
                     const Vectors<A>& y) {
  constexpr std::size_t packs = R / lanes, num_vectors{K};
  const bool plain = alpha == A{1} && beta == A{0} && !a.row_of;
  for (Index r = begin; r < end; r += R) {
    const Index* length = a.row_len + r;
    const Ends ends = ends_of(length, R);
    Offset s = a.slice_ptr[a.slice_of(r)];
    std::array<std::array<Numbers<A>, packs>, num_vectors> sums{};
    const auto x_of = [&](std::size_t j) { return x.data + static_cast<Offset>(j) * x.stride; };
    Index k = 0;
    for (; k < ends.common; ++k)
      for (std::size_t p = 0; p < packs; ++p, s += lanes) {
        const Numbers<A> values = Numbers<A>::load(a.vals + s);
        for (std::size_t j = 0; j < num_vectors; ++j) sums[j][p].add_product(values, gather(a.cols, s, x_of(j)));
      }
    if (ends.together)
      for (; k < ends.longest; ++k)
        for (std::size_t p = 0; p < packs; ++p, s += lanes) {
          const Numbers<A> values = Numbers<A>::load(a.vals + s), limit = Numbers<A>::load(length + p * lanes);
          for (std::size_t j = 0; j < num_vectors; ++j)
            sums[j][p].add_product_below(limit, static_cast<A>(k), values, gather(a.cols, s, x_of(j)));
        }
    for (std::size_t j = 0; j < num_vectors; ++j) {
      A* out = y.data + static_cast<Offset>(j) * y.stride;
      for (std::size_t p = 0; p < packs; ++p) {
        const Index first = r + static_cast<Index>(p) * lanes;
        if (plain && k == ends.longest)
          sums[j][p].store(out + first);
        else
          sums[j][p].for_each([&](int i, A sum) {
            update(out[a.output_row(first + i)], alpha, add_rest(a, first + i, k, a.row_len[first + i], x_of(j), sum),
                   beta);
          });
      }
    }
  }
}

constexpr Index strip = 256;  // rows whose sums stay in the first cache

/// sums[0..count) += entry k of as many rows, which lie side by side from slot s. Without Ragged all of them have one.
template <bool Ragged, class V, class A>
[[gnu::always_inline]] inline void add_column(const V& a, Offset s, Index count, const Index* length, Index k,
                                              const A* x, A* sums) {
  Index i = 0;
  for (; i + lanes <= count; i += lanes) {
    Numbers<A> sum = Numbers<A>::load(sums + i);
    const Numbers<A> values = Numbers<A>::load(a.vals + s + i), xs = gather_anywhere(a.cols, s + i, x);
    if constexpr (Ragged)
      sum.add_product_below(Numbers<A>::load(length + i), static_cast<A>(k), values, xs);
    else
      sum.add_product(values, xs);
    sum.store(sums + i);
  }
  for (; i < count; ++i)
    if (!Ragged || length[i] > k) sums[i] = multiply_add(a.value(s + i), x[a.column(s + i)], sums[i]);
}

/// Rows in strips inside a slice, column after column.
template <class V, class A>
void multiply_strip(const V& a, Index r, Index count, A alpha, const A* x, A beta, A* y) {
  constexpr bool sorted = requires { a.col_start; };
  std::array<A, std::size_t{strip}> sums{};
  std::array<Index, std::size_t{strip}> length{};
  for (Index i = 0; i < count; ++i) length[static_cast<std::size_t>(i)] = a.length(r + i);
  const Ends ends = ends_of(length.data(), count);
  Index k = 0;
  for (; k < ends.common; ++k) add_column<false>(a, a.slot(r, k), count, length.data(), k, x, sums.data());
  if constexpr (sorted) {
    for (Index active = count; k < ends.longest; ++k) {
      while (length[static_cast<std::size_t>(active - 1)] <= k) --active;
      add_column<false>(a, a.slot(r, k), active, length.data(), k, x, sums.data());
    }
  } else if (ends.together && a.row_len) {
    for (; k < ends.longest; ++k) add_column<true>(a, a.slot(r, k), count, length.data(), k, x, sums.data());
  }
  for (Index i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    update(y[a.output_row(r + i)], alpha, add_rest(a, r + i, k, length[at], x, sums[at]), beta);
  }
}

/// Slices of R rows in registers, what is left of a smaller last slice by the generic code.
template <int R, class V, class A>
void multiply_by_slices(Team threads, const V& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  for_vector_groups(x, y, [&]<int K>(const Vectors<const A>& xs, const Vectors<A>& ys) {
    parallel(threads, [&](int thread, int count) {
      const Index begin = first_row_of(a, thread, count, R), end = first_row_of(a, thread + 1, count, R);
      const Index whole = begin + (end - begin) / R * R;
      if constexpr (K == 1 || R == bundle) {
        multiply_slices<R, K>(a, begin, whole, alpha, xs, beta, ys);
        multiply_rows<K>(a, whole, end, alpha, xs, beta, ys);
      } else {
        multiply_rows<K>(a, begin, end, alpha, xs, beta, ys);
      }
    });
  });
}

/// Strips of `rows` rows, which never cross the border of a slice.
template <class V, class A>
void multiply_by_strips(Team threads, const V& a, Index rows, A alpha, const Vectors<const A>& x, A beta,
                        const Vectors<A>& y) {
  parallel(threads, [&](int thread, int count) {
    const Index begin = first_row_of(a, thread, count, rows), end = first_row_of(a, thread + 1, count, rows);
    for (int v = 0; v < x.num; ++v)
      for (Index r = begin; r < end; r += rows)
        multiply_strip(a, r, std::min(rows, end - r), alpha, x.data + v * x.stride, beta, y.data + v * y.stride);
  });
}

}  // namespace

template <class A, class S, class I>
  requires(!is_complex<A> && !is_code<S>)
void multiply(int num_threads, const SlicedView<A, S, I>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y) {
  const Team threads = team_of_product(num_threads, a.num_entries + a.num_rows);
  if (a.row_len && a.log2_slice == 3)
    multiply_by_slices<8>(threads, a, alpha, x, beta, y);
  else if (a.row_len && a.log2_slice == 5)
    multiply_by_slices<32>(threads, a, alpha, x, beta, y);
  else if (a.stride >= 2 * lanes)
    multiply_by_strips(threads, a, std::min(a.log2_slice == 31 ? strip : a.stride, strip), alpha, x, beta, y);
  else
    multiply_generic(num_threads, a, alpha, x, beta, y);
}

template <class A, class S, class I>
  requires(!is_complex<A> && !is_code<S>)
void multiply(int num_threads, const JaggedView<A, S, I>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y) {
  multiply_by_strips(team_of_product(num_threads, a.num_entries + a.num_rows), a, strip, alpha, x, beta, y);
}

#define MILLRACE_INSTANTIATE(A, S, I)                                                                        \
  template void multiply(int, const SlicedView<A, S, I>&, A, const Vectors<const A>&, A, const Vectors<A>&); \
  template void multiply(int, const JaggedView<A, S, I>&, A, const Vectors<const A>&, A, const Vectors<A>&)
#define MILLRACE_INSTANTIATE_COLUMNS(A, S)   \
  MILLRACE_INSTANTIATE(A, S, Index);         \
  MILLRACE_INSTANTIATE(A, S, std::uint16_t); \
  MILLRACE_INSTANTIATE(A, S, std::uint8_t)
MILLRACE_INSTANTIATE_COLUMNS(float, float);
MILLRACE_INSTANTIATE_COLUMNS(double, double);
MILLRACE_INSTANTIATE_COLUMNS(double, float);

}  // namespace millrace::host
