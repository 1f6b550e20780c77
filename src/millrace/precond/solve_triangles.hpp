// y = alpha (L D U)^-1 x + beta y on the host: exactly, level by level, or by a fixed number of Jacobi sweeps.
#pragma once

#include "millrace/precond/block_size.hpp"
#include "millrace/precond/factor_pattern.hpp"
#include "millrace/precond/narrow_array.hpp"

namespace millrace::host {

inline constexpr int max_factor_block = 1024;

/// sums -= row of a triangle times z, for numbers.
template <class A, class S>
A subtract_row(const Index* cols, const S* vals, FactorView::Entry begin, FactorView::Entry end, const A* z, A sum) {
  for (auto e = begin; e < end; ++e) sum = multiply_subtract(change_type<A>(vals[e]), z[cols[e]], sum);
  return sum;
}

/// r_sum += sign B z for one block of n x n, N x N where N is not 0, column by column.
template <int N, class A, class S>
void add_block(Index size, A sign, const S* block, const A* z, A* r_sum) {
  const Index n = N > 0 ? N : size;
  for (Index j = 0; j < n; ++j) {
    const A factor = sign * z[j];
    for (Index i = 0; i < n; ++i)
      r_sum[i] = multiply_add(change_type<A>(block[static_cast<Offset>(j) * n + i]), factor, r_sum[i]);
  }
}

/// One vector's solution. z holds num_rows * block numbers.
template <class A, class S>
struct TriangleSolver {
  FactorView v;
  const S* vals;
  const A* x;
  A alpha, beta;
  A* y;
  A* z;

  /// Complex numbers go through the block size of run time.
  template <class F>
  void with_size(F&& f) const {
    if constexpr (is_complex<A>)
      f.template operator()<0>();
    else
      factor::with_block_size(v.block, f);
  }
  void forward(Index begin, Index end) const {
    if (v.block > 1) return with_size([&]<int N>() { forward_blocks<N>(begin, end); });
    for (Index i = begin; i < end; ++i) z[i] = lower(i, z);
  }
  void backward(Index begin, Index end) const {
    if (v.block > 1) return with_size([&]<int N>() { backward_blocks<N>(begin, end); });
    for (Index i = end - 1; i >= begin; --i) {
      z[i] = upper(i, z[i], z);
      update(y[v.order[i]], alpha, z[i], beta);
    }
  }

  /// Entry i of x - L z, and of D^-1 right - U z.
  A lower(Index i, const A* from) const {
    return subtract_row(v.lower_cols, vals, v.lower_ptr[i], v.lower_ptr[i + 1], from, x[v.order[i]]);
  }
  A upper(Index i, A right, const A* from) const {
    return subtract_row(v.upper_cols, vals + v.num_lower, v.upper_ptr[i], v.upper_ptr[i + 1], from,
                        change_type<A>(vals[v.diagonal_slot(i)]) * right);
  }

  const S* block(Offset entry) const { return vals + entry * v.block * v.block; }
  Index rows_of(Index i) const { return std::min(v.block, v.num_unknowns - v.order[i] * v.block); }
  template <int N>
  void forward_blocks(Index begin, Index end) const {
    const Index n = v.block;
    const A minus = from_real<A>(RealOf<A>{-1});
    A r_sum[std::size_t{N > 0 ? N : max_factor_block}];
    for (Index i = begin; i < end; ++i) {
      const A* right = x + static_cast<Offset>(v.order[i]) * n;
      for (Index r = 0; r < n; ++r) r_sum[r] = r < rows_of(i) ? right[r] : A{};
      for (auto e = v.lower_ptr[i]; e < v.lower_ptr[i + 1]; ++e)
        add_block<N>(n, minus, block(e), z + static_cast<Offset>(v.lower_cols[e]) * n, r_sum);
      std::copy(r_sum, r_sum + n, z + static_cast<Offset>(i) * n);
    }
  }
  template <int N>
  void backward_blocks(Index begin, Index end) const {
    const Index n = v.block;
    const A minus = from_real<A>(RealOf<A>{-1});
    A r_sum[std::size_t{N > 0 ? N : max_factor_block}];
    for (Index i = end - 1; i >= begin; --i) {
      A *mine = z + static_cast<Offset>(i) * n, *to = y + static_cast<Offset>(v.order[i]) * n;
      std::fill(r_sum, r_sum + n, A{});
      add_block<N>(n, one<A>(), block(v.diagonal_slot(i)), mine, r_sum);
      for (auto e = v.upper_ptr[i]; e < v.upper_ptr[i + 1]; ++e)
        add_block<N>(n, minus, block(v.upper_slot(e)), z + static_cast<Offset>(v.upper_cols[e]) * n, r_sum);
      std::copy(r_sum, r_sum + n, mine);
      for (Index r = 0; r < rows_of(i); ++r) update(to[r], alpha, mine[r], beta);
    }
  }
};

/// The result has the same bits for any number of threads: a row is summed by one of them, in stored order.
template <class A, class S>
void solve_triangles(Queue& queue, const FactorPattern& pattern, const S* vals, A alpha, const Vectors<const A>& x,
                     A beta, const Vectors<A>& y) {
  const FactorView v = pattern.view();
  const Levels& levels = pattern.levels();
  const Team threads = levels.team(queue.num_threads());
  const auto z = queue.scratch<A>(static_cast<Offset>(v.num_rows) * v.block);
  for (int k = 0; k < y.num; ++k) {
    const TriangleSolver<A, S> solver{v, vals, x.data + k * x.stride, alpha, beta, y.data + k * y.stride, z.data()};
    run_levels(threads, levels.tasks, true, [&](Index begin, Index end) { solver.forward(begin, end); });
    run_levels(threads, levels.tasks, false, [&](Index begin, Index end) { solver.backward(begin, end); });
  }
}

/// z <- x - L z and w <- D^-1 z - U w, `sweeps` times each, from z = x and w = D^-1 z. Numbers only.
template <class A, class S>
void sweep_triangles(Queue& queue, const FactorPattern& pattern, const S* vals, int sweeps, A alpha,
                     const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  const FactorView v = pattern.view();
  const auto memory = queue.scratch<A>(Offset{3} * v.num_rows);
  for (int k = 0; k < y.num; ++k) {
    A *z = memory.data(), *w = z + v.num_rows, *spare = w + v.num_rows;
    const TriangleSolver<A, S> solver{v, vals, x.data + k * x.stride, alpha, beta, y.data + k * y.stride, nullptr};
    const auto for_rows = [&](auto&& f) {
      parallel_for(queue.num_threads(), v.num_rows, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<Index>(begin); i < end; ++i) f(i);
      });
    };
    for_rows([&](Index i) { z[i] = solver.x[v.order[i]]; });
    for (int s = 0; s < sweeps; ++s, std::swap(z, spare)) for_rows([&](Index i) { spare[i] = solver.lower(i, z); });
    for_rows([&](Index i) { w[i] = change_type<A>(vals[v.diagonal_slot(i)]) * z[i]; });
    for (int s = 0; s < sweeps; ++s, std::swap(w, spare))
      for_rows([&](Index i) { spare[i] = solver.upper(i, z[i], w); });
    for_rows([&](Index i) { update(solver.y[v.order[i]], alpha, w[i], beta); });
  }
}

}  // namespace millrace::host
