// Prolongators on a GPU. Patterns: unions of the aggregates around a node. Values: a thread per row, or several where
// rows are long, with eight columns at a time in registers.
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/precond/multigrid/union_rows.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

/// The aggregates of a node and of the nodes at its places, which are neighbours in the graph, or entries of A.
struct AggregatesAround {
  const Index* of;      // [num_nodes]
  const Offset* begin;  // [num_nodes + 1]
  const Index* degree;  // [num_nodes]; null: all places up to the next node's
  const Index* nodes;   // [places]; null: none
  Index block;          // nodes[place] / block is the node

  __device__ Offset end(Offset node) const { return degree ? begin[node] + degree[node] : begin[node + 1]; }
  __device__ Offset bound(Offset node) const { return of[node] < 0 ? 0 : nodes ? 1 + end(node) - begin[node] : 1; }
  template <class F>
  __device__ void visit(Offset node, int lane, int num_lanes, F&& f) const {
    if (of[node] < 0) return;
    if (lane == 0) f(of[node]);
    if (!nodes) return;
    for (Offset s = begin[node] + lane, last = end(node); s < last; s += num_lanes)
      if (const Index aggregate = of[nodes[s] / block]; aggregate >= 0) f(aggregate);
  }
};

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

// Mapping  one warp per row, 32 entries at a time; strong neighbours are sought one after another.
// Traffic  columns of A and neighbours once, a byte per entry.
// Result   repeatable, that of MarkWeak for nodes of one unknown.
__global__ void __launch_bounds__(256)
    mark_weak_by_warps(convert::Rows a, GraphView g, Offset num_rows, std::uint8_t* weak) {
  constexpr unsigned all = 0xffffffffu;
  const Offset r = blockIdx.x * Offset{8} + threadIdx.x / 32;
  if (r >= num_rows) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  Offset next = g.begin[r];
  const Offset last = next + g.degree[r], end = a.begin(r + 1);
  for (Offset first = a.begin(r); first < end; first += 32) {
    const Offset s = first + lane;
    const Index c = s < end ? a.cols[s] : -1;
    bool strong = c == r;
    unsigned behind = all;  // lanes behind the last neighbour that was found
    while (next < last) {
      const unsigned found = __ballot_sync(all, c == g.neighbours[next]) & behind;
      if (found == 0) break;
      const int at = __ffs(static_cast<int>(found)) - 1;
      strong = strong || lane == at;
      behind = ~((2u << at) - 1);
      ++next;
    }
    if (s < end) weak[s] = !strong;
  }
}

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
    constexpr int width = One ? 8 : 4;
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
        for (Offset s = a.begin(r) + lane; s < a.begin(r + 1); s += Lanes) {
          const Index stored = a.column(s);
          const Index col = weak && weak[s] ? node * block + stored % block : stored;
          const T value = a.value(s);
          if (col == r) own += value;
          const Index aggregate = of[col / block];
          if (aggregate < 0) continue;
          const T part = value * entry(col);
#pragma unroll
          for (int w = 0; w < width; ++w)
            if (cols[w] == aggregate) sums[w] += part;
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

template <class Step>
void run_step(DeviceSteps& steps, Offset n, const Step& step) {
  steps.for_each(n, [=] __device__(Offset i) { step(i); });
}

}  // namespace

template <class T>
void make_prolongator(Queue& queue, const Csr<T>& a, const StrengthGraph& graph, const Aggregates& aggregates,
                      Smoothing smoothing, Prolongator<T>& p) {
  DeviceSteps steps(queue);
  const GraphView g = graph.view();
  const bool strong = graph.complete || smoothing == Smoothing::filtered;
  const AggregatesAround around{aggregates.of.data(), g.begin, strong ? g.degree : nullptr,
                                smoothing == Smoothing::none ? nullptr
                                : strong                     ? g.neighbours
                                                             : a.cols.data(),
                                strong ? 1 : p.block};
  p.pattern = union_rows(queue, g.num_nodes, aggregates.num, around);
  p.values = Array<T>(queue, p.pattern.num_entries() * p.block * p.num);
  if (graph.complete || smoothing != Smoothing::filtered) return;
  p.weak = Array<std::uint8_t>(queue, a.num_entries());
  if (p.block > 1 || !has_long_rows(a))
    return run_step(steps, g.num_nodes, MarkWeak<T>{view_of(a), g, p.block, p.weak.data()});
  mark_weak_by_warps<<<num_blocks(a.num_rows, 8), 256, 0, queue.stream()>>>(convert::rows_of(a), g, a.num_rows,
                                                                            p.weak.data());
  check_launch("mark_weak_by_warps", queue.stream());
}

template <class T>
void update_prolongator(Queue& queue, const Csr<T>& a, const Diagonal<T>& diagonal, const Aggregates& aggregates,
                        const Tentative<T>& tentative, double omega, Prolongator<T>& p) {
  DeviceSteps steps(queue);
  const Offset num_rows = Offset{p.pattern.num_rows} * p.block;
  const auto run = [&]<bool One, int Lanes>() {
    run_step(steps, num_rows * Lanes,
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
  template void make_prolongator(Queue&, const Csr<T>&, const StrengthGraph&, const Aggregates&, Smoothing,           \
                                 Prolongator<T>&);                                                                    \
  template void update_prolongator(Queue&, const Csr<T>&, const Diagonal<T>&, const Aggregates&, const Tentative<T>&, \
                                   double, Prolongator<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
