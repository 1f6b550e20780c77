// Rows of the prolongator are short: columns are found by looking through them.
#include "millrace/precond/multigrid/prolongator.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"

namespace millrace::multigrid {
namespace {

/// The different aggregates of a node and its neighbours, ascending.
class AggregatesAround {
 public:
  explicit AggregatesAround(const Aggregates& aggregates) : of_(aggregates.of.data()) {}

  /// The neighbours of a node are those of the places first .. last that node_at(place) names.
  template <class NodeAt>
  const std::vector<Index>& find(Index node, Offset first, Offset last, const NodeAt& node_at) {
    found_.clear();
    if (of_[node] < 0) return found_;
    found_.push_back(of_[node]);
    for (Offset s = first; s < last; ++s)
      if (const Index aggregate = of_[node_at(s)]; aggregate >= 0) insert(aggregate);
    if (std::ssize(found_) > few) {
      std::sort(found_.begin(), found_.end());
      found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    }
    return found_;
  }

 private:
  static constexpr std::ptrdiff_t few = 24;

  void insert(Index aggregate) {  // in order while there are few; all of them, to be sorted later, when there are more
    if (std::ssize(found_) > few) return found_.push_back(aggregate);
    std::size_t at = found_.size();
    while (at > 0 && found_[at - 1] > aggregate) --at;
    if (at > 0 && found_[at - 1] == aggregate) return;
    found_.insert(found_.begin() + static_cast<std::ptrdiff_t>(at), aggregate);
  }

  const Index* of_;
  std::vector<Index> found_;
};

/// Marks entries of A between nodes that are no strong neighbours.
template <class View>
void mark_weak(const View& a, const StrengthGraph& g, Index block, std::int64_t first, std::int64_t last,
               std::uint8_t* weak) {
  std::vector<Index> seen_by(to_size(g.num_nodes), -1);
  for (auto node = static_cast<Index>(first); node < last; ++node) {
    seen_by[to_size(node)] = node;
    for (Index k = 0; k < g.degree.data()[node]; ++k) seen_by[to_size(g.row(node)[k])] = node;
    for (Offset s = a.row_ptr[Offset{node} * block]; s < static_cast<Offset>(a.row_ptr[(Offset{node} + 1) * block]);
         ++s)
      weak[s] = seen_by[to_size(a.cols[s] / block)] != node;
  }
}

inline Index place_of(const Index* cols, Index length, Index wanted) {
  constexpr Index few = 16;
  if (length > few) return static_cast<Index>(std::lower_bound(cols, cols + length, wanted) - cols);
  Index at = 0;
  while (cols[at] != wanted) ++at;
  return at;
}

}  // namespace

template <class T>
Prolongator<T>::Prolongator(Queue& queue, const Csr<T>& a, StrengthGraph& graph, const Aggregates& aggregates,
                            Index block, Index num, Smoothing smoothing)
    : block(block), num(num) {
  if constexpr (build::cuda)
    if (!queue.device().on_host()) {
      cuda::make_prolongator(queue, a, graph, aggregates, smoothing, *this);
      return;
    }
  const int num_threads = queue.num_threads();
  const Index n = graph.num_nodes;
  const auto collect = [&](const auto& first, const auto& last, const auto& node_at) {
    pattern = collect_rows(num_threads, n, aggregates.num, [&] {
      return [&, around = AggregatesAround(aggregates)](Index node, std::vector<Index>& list) mutable {
        const std::vector<Index>& found = around.find(node, first(node), last(node), node_at);
        list.insert(list.end(), found.begin(), found.end());
      };
    });
  };
  const auto begin_of = [&](Index node) { return graph.begin.data()[node]; };
  const auto strong = [&](Offset s) { return graph.neighbours.data()[s]; };
  if (smoothing == Smoothing::none)
    collect(begin_of, begin_of, strong);
  else if (graph.complete || smoothing == Smoothing::filtered)
    collect(
        begin_of, [&](Index node) { return begin_of(node) + graph.degree.data()[node]; }, strong);
  else
    collect(
        begin_of, [&](Index node) { return begin_of(node + 1); },
        [&](Offset s) { return a.cols.data()[s] / this->block; });
  values = Array<T>(pattern.num_entries() * block * num);
  if (graph.complete || smoothing != Smoothing::filtered) return;
  weak = Array<std::uint8_t>(a.num_entries());
  a.visit_view([&](const auto& view) {
    parallel(threads_for(num_threads, n, {.flops = 64}), [&](int thread, int count) {
      const auto [begin, end] = even_part(n, thread, count);
      mark_weak(view, graph, this->block, begin, end, weak.data());
    });
  });
}

template <class T>
void Prolongator<T>::update(Queue& queue, const Csr<T>& a, const Diagonal<T>& diagonal, const Aggregates& aggregates,
                            const Tentative<T>& tentative, double omega) {
  if constexpr (build::cuda)
    if (!queue.device().on_host())
      return cuda::update_prolongator(queue, a, diagonal, aggregates, tentative, omega, *this);
  constexpr auto least = static_cast<T>(least_diagonal);
  const T* const p0 = tentative.values.empty() ? nullptr : tentative.values.data();
  const Index* const of = aggregates.of.data();
  a.visit_view([&](const auto& view) {
    parallel_for(queue.num_threads(), pattern.num_rows, [&](std::int64_t begin, std::int64_t end) {
      for (auto node = static_cast<Index>(begin); node < end; ++node) {
        const Index length = pattern.length(node);
        if (length == 0) continue;
        const Index* const cols = pattern.row(node);
        T* const rows = values.data() + pattern.row_ptr.data()[node] * block * num;  // [length, block, num]
        std::fill_n(rows, Offset{length} * block * num, T{0});
        for (Index c = 0; c < block; ++c) {
          const Index r = node * block + c;
          T own = 0;                                   // of A_F
          const auto add = [&](Index row, T factor) {  // factor times row `row` of P0
            T* const to = rows + (Offset{place_of(cols, length, of[row / block])} * block + c) * num;
            if (p0)
              for (Index k = 0; k < num; ++k) to[k] += factor * p0[Offset{row} * num + k];
            else
              to[row % block] += factor;
          };
          if (omega != 0) {
            for (Offset s = view.row_ptr[r]; s < static_cast<Offset>(view.row_ptr[r + 1]); ++s) {
              const Index col = !weak.empty() && weak.data()[s] ? node * block + view.cols[s] % block : view.cols[s];
              const T value = view.vals[s];
              if (col == r) own += value;
              if (of[col / block] >= 0) add(col, value);
            }
            const T whole = diagonal.value.data()[r];
            const T damped = static_cast<T>(-omega) / (own * whole > least * whole * whole ? own : whole);
            for (Index k = 0; k < length; ++k)
              for (Index j = 0; j < num; ++j) rows[(Offset{k} * block + c) * num + j] *= damped;
          }
          add(r, T{1});
        }
      }
    });
  });
}

template struct Prolongator<float>;
template struct Prolongator<double>;

}  // namespace millrace::multigrid
