// Prolongators on a GPU. Patterns: the aggregates around a node. Values: a thread per row, or several where rows are
// long, with eight columns at a time in registers.
#include "millrace/precond/multigrid/around_rows.cuh"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/precond/multigrid/union_rows.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

/// Marks entries of A between nodes that are no strong neighbours; a thread has a node. Neighbours are ascending where
/// block > 1, else in the order of the entries.
template <class T>
struct MarkWeak {
  MatrixView<T> a;
  GraphView g;
  Index block;
  std::uint8_t* weak;

  __device__ void operator()(Offset node) const {
    Offset next = g.begin[node];
    const Offset first = next, last = first + g.degree[node];
    for (Offset s = a.begin(node * block); s < a.begin((node + 1) * block); ++s) {
      const Index other = a.column(s) / block;
      bool strong = other == node;
      if (!strong && block == 1) {
        strong = next < last && g.neighbours[next] == other;
        next += strong;
      } else if (!strong) {
        const Offset at = first_at_least(g.neighbours, first, last, other);
        strong = at < last && g.neighbours[at] == other;
      }
      weak[s] = !strong;
    }
  }
};

// Mapping  `Lanes` threads per row, vector by vector, each with every `Lanes`th entry.
// Traffic  A and P once for every eight columns of a row of P; of P0 a row per entry.
// Result   repeatable: a thread adds in the order of A's entries, then threads are added in a tree.
template <bool One, int Lanes, class T>
struct SmoothRow {
  MatrixView<T> a;
  const T* diagonal;         // [num_rows]
  const Index* of;           // [num_nodes]
  const T* tentative;        // [num_rows, num], or null
  const std::uint8_t* weak;  // [entries of A], or null
  RowsView pattern;
  Index own_block, own_num;
  T omega;
  T* values;  // [entries of the pattern, block, num]

  __device__ void operator()(Offset item) const {  // [num_rows, Lanes]
    for (Index k = 0; k < (One ? 1 : own_num); ++k)
      smooth(static_cast<Index>(item / Lanes), static_cast<int>(item % Lanes), k);
  }

 private:
  /// The sum over the threads of a row, which are neighbours in a warp.
  __device__ static T over_lanes(T part) {
    if constexpr (Lanes > 1) {
      const unsigned own = ((1u << Lanes) - 1) << (threadIdx.x % 32 / Lanes * Lanes);
#pragma unroll
      for (int offset = Lanes / 2; offset > 0; offset /= 2) part += __shfl_xor_sync(own, part, offset);
    }
    return part;
  }
  __device__ void smooth(Index r, int lane, Index k) const {  // vector k of row r
    constexpr int width = One ? 8 : 4, batch = One ? 4 : 1;
    constexpr auto least = static_cast<T>(least_diagonal);
    const Index block = One ? 1 : own_block, num = One ? 1 : own_num;
    const auto entry = [&](Index row) {  // of P0, and of vector k
      return tentative ? tentative[Offset{row} * num + k] : static_cast<T>(row % block == k);
    };
    const Index node = r / block, c = r - node * block;
    const Offset begin = pattern.row_ptr[node], end = pattern.row_ptr[node + 1];
    for (Offset at = begin; at < end; at += width) {
      Index cols[width];
      T sums[width];
#pragma unroll
      for (int w = 0; w < width; ++w) cols[w] = at + w < end ? pattern.cols[at + w] : -1, sums[w] = T{0};
      T own = 0;
      if (omega != 0) {
        const Offset last = a.begin(r + 1);
        for (Offset first = a.begin(r) + lane; first < last; first += batch * Lanes) {
          Index named[batch], aggregates[batch];
          T parts[batch];
#pragma unroll
          for (int b = 0; b < batch; ++b) {  // all on their way at once
            const Offset s = first + b * Lanes;
            if (s >= last) continue;
            const Index stored = a.column(s);
            named[b] = weak && weak[s] ? node * block + stored % block : stored;
            parts[b] = a.value(s);
          }
#pragma unroll
          for (int b = 0; b < batch; ++b) aggregates[b] = first + b * Lanes < last ? of[named[b] / block] : -1;
#pragma unroll
          for (int b = 0; b < batch; ++b) {
            if (first + b * Lanes >= last) continue;
            if (named[b] == r) own += parts[b];
            if (aggregates[b] < 0) continue;
            const T part = parts[b] * entry(named[b]);
#pragma unroll
            for (int w = 0; w < width; ++w)
              if (cols[w] == aggregates[b]) sums[w] += part;
          }
        }
        own = over_lanes(own);
        const T whole = diagonal[r];
        const T damped = -omega / (own * whole > least * whole * whole ? own : whole);
#pragma unroll
        for (int w = 0; w < width; ++w) sums[w] = over_lanes(sums[w]) * damped;
      }
      const Index aggregate = of[node];
      const T part = entry(r);
#pragma unroll
      for (int w = 0; w < width; ++w) {
        if (at + w >= end || lane != w % Lanes) continue;
        if (cols[w] == aggregate) sums[w] += part;
        values[((at + w) * block + c) * num + k] = sums[w];
      }
    }
  }
};

/// The pattern of a prolongator. Where it has rows of many columns, all are made as unions of any rows are.
RowPattern find_around(Queue& queue, Index num_nodes, Index num_aggregates, Offset num_places,
                       const AggregatesAround& around) {
  if (num_nodes == 0) return union_rows(queue, num_nodes, num_aggregates, around);
  DeviceSteps steps(queue);
  const unsigned blocks = num_blocks(num_nodes, around_rows);
  Array<std::uint8_t> lengths = steps.scratch<std::uint8_t>(num_nodes);
  Array<Index> columns = steps.scratch<Index>(Offset{blocks} * around_most);
  Array<Offset> nums = steps.scratch<Offset>(blocks);
  const auto collect = num_places > Offset{12} * num_nodes ? collect_around<8> : collect_around<1>;
  collect<<<blocks, around_rows, 0, queue.stream()>>>(around, num_nodes, lengths.data(), columns.data(), nums.data());
  check_launch("collect_around", queue.stream());
  steps.scan(nums.data(), blocks);
  const Offset num = steps.read(nums.data() + blocks - 1);
  if (num >= around_too_many) return union_rows(queue, num_nodes, num_aggregates, around);
  RowPattern made{num_nodes, num_aggregates, Array<Offset>(queue, Offset{num_nodes} + 1), Array<Index>(queue, num)};
  place_around<<<blocks, around_rows, 0, queue.stream()>>>(lengths.data(), columns.data(), nums.data(), num_nodes,
                                                           made.row_ptr.data(), made.cols.data());
  check_launch("place_around", queue.stream());
  return made;
}

}  // namespace

template <class T>
void make_prolongator(Queue& queue, const Csr<T>& a, StrengthGraph& graph, const Aggregates& aggregates,
                      Smoothing smoothing, Prolongator<T>& p) {
  DeviceSteps steps(queue);
  const GraphView g = graph.view();
  const bool strong = graph.complete || smoothing == Smoothing::filtered;
  const AggregatesAround around{aggregates.of.data(), g.begin, strong ? g.degree : nullptr,
                                smoothing == Smoothing::none ? nullptr
                                : strong                     ? g.neighbours
                                                             : a.cols.data(),
                                strong ? 1 : p.block};
  p.pattern = find_around(queue, g.num_nodes, aggregates.num, graph.neighbours.size(), around);
  p.values = Array<T>(queue, p.pattern.num_entries() * p.block * p.num);
  if (graph.complete || smoothing != Smoothing::filtered) return;
  if (!graph.weak.empty()) {
    p.weak = std::move(graph.weak);
    return;
  }
  p.weak = Array<std::uint8_t>(queue, a.num_entries());
  steps.for_each(g.num_nodes, MarkWeak<T>{view_of(a), g, p.block, p.weak.data()});
}

template <class T>
void update_prolongator(Queue& queue, const Csr<T>& a, const Diagonal<T>& diagonal, const Aggregates& aggregates,
                        const Tentative<T>& tentative, double omega, Prolongator<T>& p) {
  DeviceSteps steps(queue);
  const Offset num_rows = Offset{p.pattern.num_rows} * p.block;
  const auto run = [&]<bool One, int Lanes>() {
    steps.for_each(num_rows * Lanes,
                   SmoothRow<One, Lanes, T>{view_of(a), diagonal.value.data(), aggregates.of.data(),
                                            tentative.values.empty() ? nullptr : tentative.values.data(),
                                            p.weak.empty() ? nullptr : p.weak.data(), p.pattern.view(), p.block, p.num,
                                            static_cast<T>(omega), p.values.data()});
  };
  if (p.block != 1 || p.num != 1)
    run.template operator()<false, 1>();
  else if (has_long_rows(a))
    run.template operator()<true, 8>();
  else
    run.template operator()<true, 1>();
}

#define MILLRACE_INSTANTIATE(T)                                                                                       \
  template void make_prolongator(Queue&, const Csr<T>&, StrengthGraph&, const Aggregates&, Smoothing,                 \
                                 Prolongator<T>&);                                                                    \
  template void update_prolongator(Queue&, const Csr<T>&, const Diagonal<T>&, const Aggregates&, const Tentative<T>&, \
                                   double, Prolongator<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
