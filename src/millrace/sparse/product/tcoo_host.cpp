// TCOO on the host: every thread owns a range of rows and walks through all tiles, so x comes from the second cache and
// nobody else writes its part of y. Loops have no branch on rows: eight entries of a row at a time, then one by one.
#include <algorithm>

#include "millrace/base/parallel.hpp"
#include "millrace/sparse/format/tcoo.hpp"
#include "millrace/sparse/product/team_of_product.hpp"

namespace millrace::host {
namespace {

/// y += alpha value x; without alpha = 1, which would keep the compiler from fusing product and sum.
template <bool Scaled, class A>
[[gnu::always_inline]] inline void add(A& y, A alpha, A value, A x) {
  y = Scaled ? multiply_add(alpha, value * x, y) : multiply_add(value, x, y);
}

template <class A>
[[gnu::always_inline]] inline A sum_of_two(const A* vals, const std::uint16_t* cols, const A* x) {
  return multiply_add(vals[1], x[cols[1]], vals[0] * x[cols[0]]);
}
template <class A>
[[gnu::always_inline]] inline A sum_of_four(const A* vals, const std::uint16_t* cols, const A* x) {
  return sum_of_two(vals, cols, x) + sum_of_two(vals + 2, cols + 2, x);
}

/// Groups of eight entries of a row; alpha once per group.
template <bool Scaled, class A>
void add_groups(const Index* rows, const Index* end, const A* vals, const std::uint16_t* cols, A alpha, const A* x,
                A* y) {
  constexpr Index group = TcooView<A>::group;
  static_assert(group == 8);
  for (; rows != end; ++rows, vals += group, cols += group) {
    const A sum = sum_of_four(vals, cols, x) + sum_of_four(vals + 4, cols + 4, x);
    y[*rows] = Scaled ? multiply_add(alpha, sum, y[*rows]) : y[*rows] + sum;
  }
}

/// Entries one by one. Everything about four of them is read before y is written: the compiler cannot know that y is
/// other memory.
template <bool Scaled, class A>
void add_entries(const Index* rows, const Index* end, const A* vals, const std::uint16_t* cols, A alpha, const A* x,
                 A* y) {
  if constexpr (!is_complex<A>)
    for (; end - rows >= 4; rows += 4, vals += 4, cols += 4) {
      const A x0 = x[cols[0]], x1 = x[cols[1]], x2 = x[cols[2]], x3 = x[cols[3]];
      const A v0 = vals[0], v1 = vals[1], v2 = vals[2], v3 = vals[3];
      const Index r0 = rows[0], r1 = rows[1], r2 = rows[2], r3 = rows[3];
      add<Scaled>(y[r0], alpha, v0, x0);
      add<Scaled>(y[r1], alpha, v1, x1);
      add<Scaled>(y[r2], alpha, v2, x2);
      add<Scaled>(y[r3], alpha, v3, x3);
    }
  for (; rows != end; ++rows, ++vals, ++cols) add<Scaled>(y[*rows], alpha, *vals, x[*cols]);
}

/// Rows of y that a thread completes before it goes on: 4 MiB stay in the last cache while the tiles pass by.
/// From products of power-law and random matrices with 1 and 4 million rows on a Neoverse-V1.
template <class A>
constexpr Index band_rows = static_cast<Index>((std::size_t{4} << 20) / sizeof(A));

/// Rows [begin, end) of one vector.
template <bool Scaled, class A>
void multiply_band(const TcooView<A>& a, Index begin, Index end, A alpha, const A* x, A beta, A* y) {
  for (Index r = begin; r < end; ++r) y[r] = is_zero(beta) ? A{} : beta * y[r];
  for (Index part = 0; part < 2 * a.num_tiles; ++part) {
    const Index *all = a.rows + a.group_ptr[part], *all_end = a.rows + a.group_ptr[part + 1];
    const Index* first = begin == 0 ? all : std::lower_bound(all, all_end, begin);
    const Index* last = end == a.num_rows ? all_end : std::lower_bound(first, all_end, end);
    const Offset s = a.part_ptr[part] + (first - all) * a.group_size(part);
    const A* x_tile = x + static_cast<Offset>(part / 2) * a.tile_columns;
    if (part % 2 == 0)
      add_groups<Scaled>(first, last, a.vals + s, a.cols + s, alpha, x_tile, y);
    else
      add_entries<Scaled>(first, last, a.vals + s, a.cols + s, alpha, x_tile, y);
  }
}

}  // namespace

template <class A>
void multiply(int num_threads, const TcooView<A>& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  parallel(team_of_product(num_threads, a.num_entries + a.num_rows), [&](int thread, int count) {
    const auto cut = [&](int t) { return a.cuts[static_cast<Offset>(a.num_cuts) * t / count]; };
    const Offset stop = cut(thread + 1);
    for (int v = 0; v < x.num; ++v)
      for (Offset r = cut(thread); r < stop; r += band_rows<A>) {
        const auto begin = static_cast<Index>(r), end = static_cast<Index>(std::min(r + band_rows<A>, stop));
        const A* in = x.data + v * x.stride;
        A* out = y.data + v * y.stride;
        if (alpha == A{1})
          multiply_band<false>(a, begin, end, alpha, in, beta, out);
        else
          multiply_band<true>(a, begin, end, alpha, in, beta, out);
      }
  });
}

#define MILLRACE_INSTANTIATE(A) \
  template void multiply(int, const TcooView<A>&, A, const Vectors<const A>&, A, const Vectors<A>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(Complex<float>);
MILLRACE_INSTANTIATE(Complex<double>);

}  // namespace millrace::host
