// Couplings by one solution per block row, the order by a heap whose entries may be out of date: weights only fall.
#include "millrace/precond/order_mdf.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>

#include "millrace/base/dense.hpp"
#include "millrace/base/parallel.hpp"

namespace millrace {
namespace {

template <class A>
double square_of(const A& a) {
  if constexpr (is_complex<A>)
    return static_cast<double>(a.re) * static_cast<double>(a.re) +
           static_cast<double>(a.im) * static_cast<double>(a.im);
  else
    return static_cast<double>(a) * static_cast<double>(a);
}

/// A neighbour of a row k: the squares of C_ik and C_ki; 0 where that block is not stored.
struct Link {
  Index row;
  double in = 0, out = 0;
};

class DiscardedFill {
 public:
  explicit DiscardedFill(const BlockCouplings& c) : c_(c), first_(to_size(c.num_rows()) + 1, 0) {
    for (Index r = 0; r < c.num_rows(); ++r)
      for_row(r, [&](Index col, double) { ++first_[to_size(r) + 1], ++first_[to_size(col) + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    links_.resize(to_size(first_.back()));
    std::vector<Offset> next(first_.begin(), first_.end() - 1);
    for (Index r = 0; r < c.num_rows(); ++r)
      for_row(r, [&](Index col, double norm) {
        links_[to_size(next[to_size(r)]++)] = {.row = col, .out = norm * norm};
        links_[to_size(next[to_size(col)]++)] = {.row = r, .in = norm * norm};
      });
    last_.resize(to_size(c.num_rows()));
    for (Index r = 0; r < c.num_rows(); ++r) join_links(r);
  }

  std::span<const Link> links(Index row) const {
    return {links_.data() + first_[to_size(row)], to_size(last_[to_size(row)] - first_[to_size(row)])};
  }
  /// The row is eliminated: nobody's fill any more.
  void remove(Index row) {
    for (const Link& link : links(row)) {
      Offset& end = last_[to_size(link.row)];
      const auto gone = std::find_if(links_.begin() + first_[to_size(link.row)], links_.begin() + end,
                                     [&](const Link& other) { return other.row == row; });
      std::copy(gone + 1, links_.begin() + end--, gone);
    }
  }
  /// The square of what is thrown away when this row is eliminated now.
  double weight(Index row) const {
    double sum = 0;
    for (const Link& from : links(row))
      if (from.in > 0)
        for (const Link& to : links(row))
          if (from.row != to.row && to.out > 0 && !stored(from.row, to.row)) sum += from.in * to.out;
    return sum;
  }

 private:
  template <class F>
  void for_row(Index r, F&& f) const {
    for (Offset s = c_.row_ptr[to_size(r)]; s < c_.row_ptr[to_size(r) + 1]; ++s)
      f(c_.cols[to_size(s)], c_.norms[to_size(s)]);
  }
  /// One link per neighbour, ascending.
  void join_links(Index r) {
    const auto begin = links_.begin() + first_[to_size(r)], end = links_.begin() + first_[to_size(r) + 1];
    std::sort(begin, end, [](const Link& a, const Link& b) { return a.row < b.row; });
    auto to = begin;
    for (auto from = begin; from != end; ++from) {
      if (to != begin && (to - 1)->row == from->row) {
        (to - 1)->in += from->in;
        (to - 1)->out += from->out;
      } else {
        *to++ = *from;
      }
    }
    last_[to_size(r)] = to - links_.begin();
  }
  bool stored(Index row, Index col) const {
    const Index* cols = c_.cols.data();
    return std::binary_search(cols + c_.row_ptr[to_size(row)], cols + c_.row_ptr[to_size(row) + 1], col);
  }

  const BlockCouplings& c_;
  std::vector<Offset> first_, last_;  // [num_rows + 1], [num_rows]: of the links to rows that are left
  std::vector<Link> links_;
};

void require_couplings(const BlockCouplings& c) {
  require(!c.row_ptr.empty() && c.row_ptr[0] == 0 && c.row_ptr.back() == std::ssize(c.cols) &&
              c.cols.size() == c.norms.size() && std::is_sorted(c.row_ptr.begin(), c.row_ptr.end()),
          "order_mdf: row_ptr must rise from 0 to the number of couplings, ", c.cols.size(), " columns and ",
          c.norms.size(), " norms");
  for (Index r = 0; r < c.num_rows(); ++r)
    for (Offset s = c.row_ptr[to_size(r)]; s < c.row_ptr[to_size(r) + 1]; ++s) {
      const Index col = c.cols[to_size(s)];
      require(col >= 0 && col < c.num_rows() && col != r &&
                  (s == c.row_ptr[to_size(r)] || c.cols[to_size(s) - 1] < col) && std::isfinite(c.norms[to_size(s)]) &&
                  c.norms[to_size(s)] >= 0,
              "order_mdf: row ", r, " has column ", col, " with norm ", c.norms[to_size(s)],
              "; columns must ascend in a row, without the diagonal, and norms be finite and not negative");
    }
}

}  // namespace

std::vector<Index> order_mdf(const BlockCouplings& couplings) {
  require_couplings(couplings);
  using Candidate = std::pair<double, Index>;
  DiscardedFill fill(couplings);
  std::vector<double> weights(to_size(couplings.num_rows()));
  std::vector<Candidate> all;
  for (Index r = 0; r < couplings.num_rows(); ++r) all.emplace_back(weights[to_size(r)] = fill.weight(r), r);
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> heap({}, std::move(all));
  std::vector<Index> order;
  order.reserve(weights.size());
  constexpr double done = -1;
  while (!heap.empty()) {
    const auto [weight, row] = heap.top();
    heap.pop();
    if (weight != weights[to_size(row)]) continue;  // out of date
    weights[to_size(row)] = done;
    order.push_back(row);
    fill.remove(row);
    for (const Link& link : fill.links(row)) {
      const double now = fill.weight(link.row);
      if (now == weights[to_size(link.row)]) continue;
      weights[to_size(link.row)] = now;
      heap.emplace(now, link.row);
    }
  }
  return order;
}

template <class T>
BlockCouplings block_couplings(Queue& queue, const Dbf<T>& a) {
  using A = Arith<T>;
  require(a.device().on_host() && queue.device().on_host(), "order_mdf: the matrix lives on ", to_string(a.device()),
          ", the queue on ", to_string(queue.device()), "; both must be on the host");
  require(a.num_rows == a.num_cols, "order_mdf: the matrix is ", a.num_rows, " x ", a.num_cols, "; it must be square");
  const Index n = a.num_block_rows(), m = a.block;
  BlockCouplings c;
  c.row_ptr.assign(to_size(n) + 1, 0);
  a.visit_view([&](const auto& view) {
    for (Index f = 0; f < n; ++f) {
      const auto row = view.block_row(f);
      const Index own = row.first_row / m;
      require(std::binary_search(row.cols, row.cols + row.num_blocks, own), "order_mdf: block row ", own,
              " has no diagonal block");
      c.row_ptr[to_size(own) + 1] = row.num_blocks - 1;
    }
    std::partial_sum(c.row_ptr.begin(), c.row_ptr.end(), c.row_ptr.begin());
    c.cols.resize(to_size(c.row_ptr.back()));
    c.norms.resize(c.cols.size());
    const dense::TinyPivot<RealOf<A>> tiny{64 * std::numeric_limits<RealOf<A>>::epsilon(), 1};
    parallel_for(queue.num_threads(), n, [&](std::int64_t begin, std::int64_t end) {
      const Offset area = Offset{m} * m;
      std::vector<A> diagonal(to_size(area)), other(to_size(area));
      std::vector<Index> pivots(to_size(m));
      for (auto f = static_cast<Index>(begin); f < end; ++f) {
        const auto row = view.block_row(f);
        const Index own = row.first_row / m;
        const auto copy = [&](Offset k, std::vector<A>& to) {
          for (Index j = 0; j < m; ++j) std::copy_n(row.vals + (k * m + j) * row.stride, m, to.data() + Offset{j} * m);
        };
        copy(std::lower_bound(row.cols, row.cols + row.num_blocks, own) - row.cols, diagonal);
        const dense::Block<A> factors(diagonal.data(), m, m);
        bool finite = dense::factorise(factors, pivots.data(), tiny) >= 0;
        Offset to = c.row_ptr[to_size(own)];
        for (Index k = 0; k < row.num_blocks && finite; ++k) {
          if (row.cols[k] == own) continue;
          copy(k, other);
          dense::solve<A>(factors, pivots.data(), dense::Block<A>(other.data(), m, m));
          double square = 0;
          for (const A& value : other) square += square_of(value);
          finite = std::isfinite(square);
          c.cols[to_size(to)] = row.cols[k];
          c.norms[to_size(to++)] = std::sqrt(square);
        }
        require(finite, "order_mdf: block row ", own, " has numbers that are not finite, or grew beyond all bounds");
      }
    });
  });
  return c;
}

#define MILLRACE_INSTANTIATE(T) template BlockCouplings block_couplings(Queue&, const Dbf<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
