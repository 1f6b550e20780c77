// DIA on the host: strips of 8 neighbouring rows, whose sums stay in vector registers while all diagonals pass by.
// Every thread walks the two halves of its part in turns, because memory serves two streams better than one.
#include <array>

#include "millrace/base/dispatch.hpp"
#include "millrace/base/parallel.hpp"
#include "millrace/base/simd.hpp"
#include "millrace/sparse/format/dia.hpp"
#include "millrace/sparse/product/team_of_product.hpp"

namespace millrace::host {
namespace {

constexpr Index strip_rows = 8;  // rows of a strip; tiles of other sizes end with a smaller one

template <class A>
using StripNumbers = simd::Pack<A, strip_rows>;

template <class A>
Index num_strips(const DiaView<A>& a) {
  const Index whole = a.num_rows / a.tile, rest = a.num_rows % a.tile;
  return whole * ((a.tile + strip_rows - 1) / strip_rows) + (rest + strip_rows - 1) / strip_rows;
}

/// Walks strips in their order and keeps the diagonals they meet inside the matrix: [some, some_end) those that some
/// rows meet, [all, all_end) those that all rows do. With ascending rows these bounds fall.
template <class A>
class Walk {
 public:
  Walk(const DiaView<A>& a, Index strip) : a_(a) {
    const Index strips_per_tile = (a.tile + strip_rows - 1) / strip_rows;
    first_row = strip / strips_per_tile * a.tile;
    row = first_row + strip % strips_per_tile * strip_rows;
    some = all = all_end = some_end = a.num_diags;
    arrive();
  }

  Index row, count;         // of the strip
  Index first_row, stride;  // of its tile; from a diagonal to the next
  Index some, all, all_end, some_end;

  const A* vals() const { return a_.vals + static_cast<Offset>(first_row) * a_.num_diags + (row - first_row); }
  bool same_diagonals(const Walk& other) const { return all == other.all && all_end == other.all_end; }

  /// Strips from here on, of 8 rows in whole tiles, that meet the same diagonals with all rows.
  Index num_alike() const {
    if (a_.tile % strip_rows != 0 || stride != a_.tile || some != all || all_end != some_end) return 0;
    Offset end = a_.num_rows / a_.tile * a_.tile;
    if (all > 0) end = std::min<Offset>(end, -Offset{a_.offsets[all - 1]});
    if (all_end > all) end = std::min<Offset>(end, Offset{a_.num_cols} - a_.offsets[all_end - 1]);
    return static_cast<Index>((end - row) / strip_rows);
  }
  void advance(Index strips = 1) {
    row += strips == 1 ? count : strips * strip_rows;
    first_row = row - row % a_.tile;
    arrive();
  }

 private:
  void arrive() {
    stride = a_.tile_rows(first_row);
    count = std::min(strip_rows, first_row + stride - row);
    fall(some, 1 - row - count);
    fall(all, -row);
    fall(all_end, a_.num_cols - row - count + 1);
    fall(some_end, a_.num_cols - row);
  }
  void fall(Index& d, Index bound) const {
    while (d > 0 && a_.offsets[d - 1] >= bound) --d;
  }

  DiaView<A> a_;
};

/// All strips end here if there is more to do than to store: the compiler may fuse alpha sum + beta y in two ways.
template <class A>
[[gnu::noinline]] void update_rows(A* y, Index count, A alpha, const A* sums, A beta) {
  for (Index i = 0; i < count; ++i) update(y[i], alpha, sums[i], beta);
}

/// sums += diagonals [begin, end) of those rows of a strip that meet them inside the matrix.
template <class A>
void add_partly(const DiaView<A>& a, const Walk<A>& strip, Index begin, Index end, const A* x, A* sums) {
  for (Index d = begin; d < end; ++d) {
    const A* vals = strip.vals() + static_cast<Offset>(d) * strip.stride;
    const Offset column = Offset{strip.row} + a.offsets[d];
    const Offset stop = std::min<Offset>(strip.count, a.num_cols - column);
    for (Offset i = std::max<Offset>(0, -column); i < stop; ++i)
      sums[i] = multiply_add(vals[i], x[column + i], sums[i]);
  }
}

/// Any strip: before and after the diagonals that all of 8 rows meet come some that need a look at every row.
template <class A>
void multiply_strip(const DiaView<A>& a, const Walk<A>& strip, A alpha, const A* x, A beta, A* y) {
  std::array<A, std::size_t{strip_rows}> sums{};
  const Index end = strip.count == strip_rows ? std::max(strip.all, strip.all_end) : strip.all;
  add_partly(a, strip, strip.some, strip.all, x, sums.data());
  StripNumbers<A> together = StripNumbers<A>::load(sums.data());
  for (Index d = strip.all; d < end; ++d)
    together.add_product(StripNumbers<A>::load(strip.vals() + static_cast<Offset>(d) * strip.stride),
                         StripNumbers<A>::load(x + strip.row + a.offsets[d]));
  together.store(sums.data());
  add_partly(a, strip, end, strip.some_end, x, sums.data());
  update_rows(y + strip.row, strip.count, alpha, sums.data(), beta);
}

/// A strip on its way through the diagonals.
template <int K, class A>
struct Sums {
  std::array<StripNumbers<A>, std::size_t{K}> of{};

  [[gnu::always_inline]] void add(const A* vals, const A* x, Offset stride) {
    const StripNumbers<A> values = StripNumbers<A>::load(vals);
    for (std::size_t j = 0; j < K; ++j)
      of[j].add_product(values, StripNumbers<A>::load(x + static_cast<Offset>(j) * stride));
  }
  [[gnu::always_inline]] void write(A alpha, A beta, A* y, Offset stride) const {
    for (std::size_t j = 0; j < K; ++j) {
      A* out = y + static_cast<Offset>(j) * stride;
      if (alpha == A{1} && beta == A{0}) {
        of[j].store(out);
      } else {
        std::array<A, std::size_t{strip_rows}> sums;
        of[j].store(sums.data());
        update_rows(out, strip_rows, alpha, sums.data(), beta);
      }
    }
  }
};

/// The address of strip after strip.
template <class A>
struct Place {
  const A* vals;
  Index row, in_tile;
  Index tile;
  Offset next_tile;  // from the end of a tile's first diagonal

  Place(const DiaView<A>& a, const Walk<A>& walk)
      : vals(walk.vals() + static_cast<Offset>(walk.all) * a.tile),
        row(walk.row),
        in_tile(walk.row - walk.first_row),
        tile(a.tile),
        next_tile(static_cast<Offset>(a.tile) * (a.num_diags - 1)) {}
  void advance() {
    row += strip_rows;
    vals += strip_rows;
    in_tile += strip_rows;
    if (in_tile == tile) {
      in_tile = 0;
      vals += next_tile;
    }
  }
};

/// `strips` strips from both places in turns, one vector; all meet diagonals [begin, end) with all their rows.
template <class A>
void multiply_pairs(const DiaView<A>& a, Place<A> p, Place<A> q, Index strips, Index begin, Index end, A alpha,
                    const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  const Index* offsets = a.offsets + begin;
  const Index num_diags = end - begin;
  for (Index i = 0; i < strips; ++i, p.advance(), q.advance()) {
    Sums<1, A> p_sums, q_sums;
    const A *p_vals = p.vals, *q_vals = q.vals, *p_x = x.data + p.row, *q_x = x.data + q.row;
    for (Index d = 0; d < num_diags; ++d, p_vals += a.tile, q_vals += a.tile) {
      p_sums.add(p_vals, p_x + offsets[d], 0);
      q_sums.add(q_vals, q_x + offsets[d], 0);
    }
    p_sums.write(alpha, beta, y.data + p.row, 0);
    q_sums.write(alpha, beta, y.data + q.row, 0);
  }
}

/// The same from one place, for K vectors: two places need more registers than there are.
template <int K, class A>
void multiply_strips(const DiaView<A>& a, Place<A> p, Index strips, Index begin, Index end, A alpha,
                     const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  const Index* offsets = a.offsets + begin;
  const Index num_diags = end - begin;
  for (Index i = 0; i < strips; ++i, p.advance()) {
    Sums<K, A> sums;
    const A *vals = p.vals, *in = x.data + p.row;
    for (Index d = 0; d < num_diags; ++d, vals += a.tile) sums.add(vals, in + offsets[d], x.stride);
    sums.write(alpha, beta, y.data + p.row, y.stride);
  }
}

template <int K, class A>
void multiply_part(const DiaView<A>& a, Index begin, Index end, A alpha, const Vectors<const A>& x, A beta,
                   const Vectors<A>& y) {
  const Index half = (end - begin) / 2;
  Walk<A> p(a, begin), q(a, begin + half);
  const auto multiply_one = [&](const Walk<A>& strip) {
    for (int j = 0; j < K; ++j) multiply_strip(a, strip, alpha, x.data + j * x.stride, beta, y.data + j * y.stride);
  };
  for (Index i = 0; i < half;) {
    const Index strips = std::min({p.num_alike(), q.num_alike(), half - i});
    if (K == 1 && strips > 0 && p.same_diagonals(q)) {
      multiply_pairs(a, Place<A>(a, p), Place<A>(a, q), strips, p.all, p.all_end, alpha, x, beta, y);
    } else if (strips > 0) {
      multiply_strips<K>(a, Place<A>(a, p), strips, p.all, p.all_end, alpha, x, beta, y);
      multiply_strips<K>(a, Place<A>(a, q), strips, q.all, q.all_end, alpha, x, beta, y);
    } else {
      multiply_one(p);
      multiply_one(q);
    }
    const Index done = std::max(strips, Index{1});
    p.advance(done);
    q.advance(done);
    i += done;
  }
  if (begin + 2 * half < end) multiply_one(q);
}

template <class A>
void multiply_diagonals(int num_threads, const DiaView<A>& a, A alpha, const Vectors<const A>& x, A beta,
                        const Vectors<A>& y) {
  const Offset work = static_cast<Offset>(a.num_rows) * (a.num_diags + 1);
  parallel(team_of_product(num_threads, work), [&](int thread, int count) {
    const auto [begin, end] = even_part(num_strips(a), thread, count);
    for (int v = 0; v < x.num; v += 4) {
      dispatch<1, 2, 3, 4>("vectors", std::min(4, x.num - v), [&, b = begin, e = end]<int K>() {
        const Vectors<const A> in(x.device, x.data + v * x.stride, x.size, K, x.stride);
        const Vectors<A> out(y.device, y.data + v * y.stride, y.size, K, y.stride);
        multiply_part<K>(a, static_cast<Index>(b), static_cast<Index>(e), alpha, in, beta, out);
      });
    }
  });
}

}  // namespace

void multiply(int num_threads, const DiaView<float>& a, float alpha, const Vectors<const float>& x, float beta,
              const Vectors<float>& y) {
  multiply_diagonals(num_threads, a, alpha, x, beta, y);
}
void multiply(int num_threads, const DiaView<double>& a, double alpha, const Vectors<const double>& x, double beta,
              const Vectors<double>& y) {
  multiply_diagonals(num_threads, a, alpha, x, beta, y);
}

}  // namespace millrace::host
