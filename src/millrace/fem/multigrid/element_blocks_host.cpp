// Fast diagonalisation of a batch of elements: two contractions a direction, by the loop of the element operators.
#include "millrace/fem/multigrid/element_blocks_host.hpp"

#include <algorithm>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/element/contract.hpp"

namespace millrace::host {

using namespace multigrid;

namespace {

template <class W>
class Bricks {
 public:
  static constexpr int L = num_lanes<W>;

  Bricks(const BlockTable<W>& table, const BlocksView<W>& view, int dim)
      : view_(view), dim_(dim), P_(table.nodes), values_(table.values), contract_(find_contract<W>(P_, P_, false)) {
    for (int d = 0; d < dim; ++d) nodes_ *= P_;
    forward_.assign(table.vectors, table.vectors + P_ * P_);
    back_.resize(forward_.size());
    for (int row = 0; row < P_; ++row)
      for (int col = 0; col < P_; ++col) back_[to_size(col * P_ + row)] = forward_[to_size(row * P_ + col)];
  }
  int num_nodes() const { return nodes_; }
  std::int64_t work_size() const { return 2 * Offset{nodes_} * L; }

  /// `count` elements from `first` on, of component c.
  void solve(Index first, int count, int c, const BlockStep<W>& step, W* contributions, W* in, W* out) const {
    const std::int64_t at = c * std::int64_t{view_.num_elem} + first, before = c * view_.comp_stride;
    if (count < L) std::fill_n(in, nodes_ * L, W{0});
    for (int l = 0; l < count; ++l) {
      const W* const weights = view_.weights + (at + l) * nodes_;
      const Index* const mine = view_.nodes + (Offset{first} + l) * nodes_;
      for (int n = 0; n < nodes_; ++n) in[n * L + l] = weights[n] * step.r[before + mine[n]];
    }
    along_all(forward_, in, out);
    divide(at, count, in);
    along_all(back_, in, out);
    for (int l = 0; l < count; ++l) {
      const W* const weights = view_.weights + (at + l) * nodes_;
      const Index* const mine = view_.nodes + (Offset{first} + l) * nodes_;
      W* const to = contributions + (at + l) * nodes_;
      for (int n = 0; n < nodes_; ++n) {
        const W value = weights[n] * in[n * L + l];
        if (mine[n] < view_.num_outer)
          to[n] = value;
        else  // a weight of zero: constrained
          update_entry(step, before + mine[n], weights[n] == W{} ? step.r[before + mine[n]] : value);
      }
    }
  }

 private:
  /// The result is where `in` points to afterwards.
  void along_all(const std::vector<W>& table, W*& in, W*& out) const {
    for (int d = 0, before = nodes_ / P_, after = 1; d < dim_; ++d, before /= P_, after *= P_) {
      contract_(P_, P_, table.data(), in, out, before, after);
      std::swap(in, out);
    }
  }
  /// By the eigenvalues: the sum of those of the directions, each with its factor, and the mass.
  void divide(std::int64_t at, int count, W* in) const {
    W factors[4][unsigned(L)];
    for (int d = 0; d < 4; ++d)
      for (int l = 0; l < L; ++l) factors[d][l] = view_.directions[4 * (at + std::min(l, count - 1)) + d];
    const auto of = [&](int d) { return Lanes<W>::load(factors[d]); };
    for (int k = 0; k < (dim_ == 3 ? P_ : 1); ++k)
      for (int j = 0; j < P_; ++j) {
        Lanes<W> line = of(3);
        line.add_scaled(of(1), values_[j]);
        if (dim_ == 3) line.add_scaled(of(2), values_[k]);
        for (int i = 0; i < P_; ++i, in += L) {
          Lanes<W> sum = line;
          sum.add_scaled(of(0), values_[i]);
          (Lanes<W>::load(in) / sum).store(in);
        }
      }
  }

  BlocksView<W> view_;
  int dim_, P_, nodes_ = 1;
  const W* values_;
  Contract<W> contract_;
  std::vector<W> forward_, back_;  // [P, P]: sums over the row; S^T x and S x
};

}  // namespace

template <class W>
void step_blocks(Queue& queue, const BlockTable<W>& table, const BlocksView<W>& view, int dim, int comps,
                 W* contributions, const BlockStep<W>& step) {
  constexpr int L = Bricks<W>::L;
  const Bricks<W> bricks(table, view, dim);
  const std::int64_t batches = (std::int64_t{view.num_elem} + L - 1) / L;
  const Work each{.flops = 8 * bricks.num_nodes()};
  parallel(threads_for(queue.num_threads(), std::int64_t{view.num_elem} * comps, each), [&](int thread, int num) {
    std::vector<W> work(to_size(bricks.work_size()));
    const auto [begin, end] = even_part(batches, thread, num);
    for (std::int64_t b = begin; b < end; ++b)
      for (int c = 0; c < comps; ++c) {
        const auto first = static_cast<Index>(b * L);
        bricks.solve(first, std::min<Index>(L, view.num_elem - first), c, step, contributions, work.data(),
                     work.data() + std::ssize(work) / 2);
      }
  });
  const std::int64_t size = Offset{view.num_elem} * bricks.num_nodes();
  parallel_for(queue.num_threads(), view.num_outer, [&](std::int64_t begin, std::int64_t end) {
    for (int c = 0; c < comps; ++c)
      for (auto n = static_cast<Index>(begin); n < end; ++n) update_node(view, size, contributions, step, n, c);
  });
}

#define MILLRACE_INSTANTIATE(W) \
  template void step_blocks(Queue&, const BlockTable<W>&, const BlocksView<W>&, int, int, W*, const BlockStep<W>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::host
