// Rows of blocks whose size is known when this is compiled: the sums of a row of blocks stay in registers.
#include "millrace/precond/multigrid/dense_transfer.hpp"

#include <array>

#include "millrace/base/simd.hpp"

namespace millrace::multigrid {
namespace {

/// Calls f<block, num>() for constants of 2 and 3 unknowns, rigid-body modes in 2 and 3 dimensions, and the levels
/// below. False: there is none.
template <class F>
bool with_size(Index block, Index num, F&& f) {
  if (block == 2 && num == 2) return f.template operator()<2, 2>(), true;
  if (block == 2 && num == 3) return f.template operator()<2, 3>(), true;
  if (block == 3 && num == 3) return f.template operator()<3, 3>(), true;
  if (block == 3 && num == 6) return f.template operator()<3, 6>(), true;
  if (block == 6 && num == 6) return f.template operator()<6, 6>(), true;
  return false;
}

/// Row i of P: B entries of y, from N entries of x for each block.
template <int B, int N, class W>
[[gnu::always_inline]] inline void prolong_row(const RowsView& rows, const W* values, Offset i, W alpha, const W* x,
                                               W beta, W* y) {
  using Row = simd::Pack<W, N>;
  std::array<Row, std::size_t{B}> sums{};
  for (Offset s = rows.row_ptr[i]; s < rows.row_ptr[i + 1]; ++s) {
    const Row from = Row::load(x + Offset{rows.cols[s]} * N);
    for (int c = 0; c < B; ++c) sums[to_size(c)].add_product(Row::load(values + (s * B + c) * N), from);
  }
  for (int c = 0; c < B; ++c) {
    std::array<W, std::size_t{N}> parts;
    sums[to_size(c)].store(parts.data());
    W sum{};
    for (const W part : parts) sum += part;
    update(y[i * B + c], alpha, sum, beta);
  }
}

/// Row g of P^T: N entries of y, from B entries of x for each block.
template <int B, int N, class W>
[[gnu::always_inline]] inline void restrict_row(const RowsView& rows, const W* values, Offset g, W alpha, const W* x,
                                                W beta, W* y) {
  using Row = simd::Pack<W, N>;
  std::array<Row, std::size_t{B}> sums{};  // one for each row of the blocks, so that they need not wait for each other
  for (Offset s = rows.row_ptr[g]; s < rows.row_ptr[g + 1]; ++s) {
    const W* const from = x + Offset{rows.cols[s]} * B;
    for (int c = 0; c < B; ++c) sums[to_size(c)].add_scaled(Row::load(values + (s * B + c) * N), from[c]);
  }
  for (int c = 1; c < B; ++c) sums[0].add_scaled(sums[to_size(c)], W{1});
  std::array<W, std::size_t{N}> parts;
  sums[0].store(parts.data());
  for (int k = 0; k < N; ++k) update(y[g * N + k], alpha, parts[to_size(k)], beta);
}

/// row(i, x, y) for all rows of blocks and all vectors.
template <class W, class Row>
void for_all_rows(Queue& queue, const RowPattern& pattern, Index area, const ApplyRequest<W>& r, const Row& row) {
  const Offset length = pattern.num_entries() / std::max<Offset>(1, pattern.num_rows) + 1;
  const Work each{.bytes = 8 * length * area};
  parallel(threads_for(queue.num_threads(), pattern.num_rows, each), [&](int thread, int count) {
    const auto [begin, end] = even_part(pattern.num_rows, thread, count);
    for (int v = 0; v < r.y.num; ++v)
      for (Offset i = begin; i < end; ++i) row(i, r.x.data + v * r.x.stride, r.y.data + v * r.y.stride);
  });
}

template <class W>
Traffic traffic_of(const RowPattern& pattern, Index area, const Shape& shape, int num_vectors, bool reads_y) {
  const double values = static_cast<double>(pattern.num_entries()) * area * sizeof(W);
  Traffic traffic;
  traffic.matrix = values + static_cast<double>(pattern.bytes());
  traffic.vectors = static_cast<double>(shape.cols + shape.rows * (reads_y ? 2 : 1)) * sizeof(W) * num_vectors;
  traffic.minimum = values + traffic.vectors;
  return traffic;
}

}  // namespace

bool has_dense_transfer(Index block, Index num) {
  return with_size(block, num, []<int, int>() {});
}

template <class W>
Shape DenseProlongation<W>::shape() const {
  return {Offset{p_.pattern.num_rows} * p_.block, Offset{p_.pattern.num_cols} * p_.num};
}

template <class W>
Traffic DenseProlongation<W>::traffic(int num_vectors, bool reads_y) const {
  return traffic_of<W>(p_.pattern, p_.block * p_.num, shape(), num_vectors, reads_y);
}

template <class W>
void DenseProlongation<W>::do_apply(Queue& queue, const ApplyRequest<W>& r) const {
  with_size(p_.block, p_.num, [&]<int B, int N>() {
    const RowsView rows = p_.pattern.view();
    for_all_rows(queue, p_.pattern, B * N, r, [&, values = p_.values.data()](Offset i, const W* x, W* y) {
      prolong_row<B, N>(rows, values, i, r.alpha, x, r.beta, y);
    });
  });
}

template <class W>
DenseRestriction<W>::DenseRestriction(const Prolongator<W>& p, const Galerkin<W>& galerkin)
    : block_(p.block), num_(p.num), pattern_(galerkin.restriction()), values_(p.values.size()) {}

template <class W>
void DenseRestriction<W>::update(Queue& queue, const Prolongator<W>& p, const Galerkin<W>& galerkin) {
  const Offset area = Offset{block_} * num_;
  const Offset* const places = galerkin.entries().data();
  parallel_for(queue.num_threads(), pattern_.num_entries(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s)
      std::copy_n(p.values.data() + places[s] * area, area, values_.data() + s * area);
  });
}

template <class W>
Shape DenseRestriction<W>::shape() const {
  return {Offset{pattern_.num_rows} * num_, Offset{pattern_.num_cols} * block_};
}

template <class W>
Traffic DenseRestriction<W>::traffic(int num_vectors, bool reads_y) const {
  return traffic_of<W>(pattern_, block_ * num_, shape(), num_vectors, reads_y);
}

template <class W>
void DenseRestriction<W>::do_apply(Queue& queue, const ApplyRequest<W>& r) const {
  with_size(block_, num_, [&]<int B, int N>() {
    const RowsView rows = pattern_.view();
    for_all_rows(queue, pattern_, B * N, r, [&, values = values_.data()](Offset g, const W* x, W* y) {
      restrict_row<B, N>(rows, values, g, r.alpha, x, r.beta, y);
    });
  });
}

template class DenseProlongation<float>;
template class DenseProlongation<double>;
template class DenseRestriction<float>;
template class DenseRestriction<double>;

}  // namespace millrace::multigrid
