// Strong connections on a GPU: one thread per node, or a warp where rows are long.
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/precond/multigrid/strength_step.hpp"
#include "millrace/precond/multigrid/union_rows.cuh"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

/// The nodes that the rows of a node name, itself not among them.
template <class T>
struct NamedNodes {
  MatrixView<T> a;
  Index block;

  __device__ Offset bound(Offset node) const { return a.begin((node + 1) * block) - a.begin(node * block); }
  template <class F>
  __device__ void visit(Offset node, int lane, int num_lanes, F&& f) const {
    const Offset end = a.begin((node + 1) * block);
    for (Offset s = a.begin(node * block) + lane; s < end; s += num_lanes)
      if (const Index other = a.column(s) / block; other != node) f(other);
  }
};

/// Keeps the strong ones of the named nodes; a thread has a node. True: none was left out.
template <class T>
struct StrongBlocks {
  MatrixView<T> a;
  Index block;
  const double* root;
  std::uint16_t theta;
  RowsView named;
  std::uint16_t* strongest;  // [entries of named]
  Offset* begin;             // as in StrengthGraph
  Index* degree;
  Index* neighbours;
  std::uint16_t* strength;

  __device__ bool operator()(Offset node) const {
    const Offset first = named.row_ptr[node], last = named.row_ptr[node + 1];
    for (Offset k = first; k < last; ++k) strongest[k] = 0;
    for (Offset r = node * block; r < (node + 1) * block; ++r)
      for (Offset s = a.begin(r); s < a.begin(r + 1); ++s) {
        const Index c = a.column(s), other = c / block;
        if (other == node) continue;
        const auto value = static_cast<double>(a.value(s));
        const std::uint16_t now = strength_in_steps((value < 0 ? -value : value) / (root[r] * root[c]));
        const Offset at = first_at_least(named.cols, first, last, other);
        if (now > strongest[at]) strongest[at] = now;
      }
    const Offset start = a.begin(node * block);
    begin[node] = start;
    Offset to = start;
    for (Offset k = first; k < last; ++k)
      if (strongest[k] > theta) {
        neighbours[to] = named.cols[k];
        strength[to++] = strongest[k];
      }
    degree[node] = static_cast<Index>(to - start);
    return to - start == last - first;
  }
};

// Mapping  one warp per row, 32 entries at a time; places of the strong ones are counted in the order of the entries.
// Traffic  A once, the roots of columns from caches; the graph once.
// Result   repeatable, that of StrengthStep; *weak becomes 1 where an entry is not strong.
template <class T>
__global__ void __launch_bounds__(256) find_strong_by_warps(StrengthStep<T> step, Offset num_rows, Offset* weak) {
  constexpr unsigned all = 0xffffffffu;
  const Offset r = blockIdx.x * Offset{8} + threadIdx.x / 32;
  if (r >= num_rows) return;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const Offset start = step.a.begin(r), end = step.a.begin(r + 1);
  Offset to = start;
  bool complete = true;
  for (Offset first = start; first < end; first += 32) {
    const Offset s = first + lane;
    const Index c = s < end ? step.a.column(s) : static_cast<Index>(r);
    const std::uint16_t steps = c == r ? std::uint16_t{0} : step.steps_of(r, s, c);
    const bool strong = c != r && steps > step.theta;
    const unsigned strong_lanes = __ballot_sync(all, strong);
    complete = complete && strong_lanes == __ballot_sync(all, c != r);
    if (strong) {
      const Offset at = to + __popc(strong_lanes & ((1u << lane) - 1));
      step.neighbours[at] = c;
      step.strength[at] = steps;
    }
    to += __popc(strong_lanes);
  }
  if (lane > 0) return;
  step.begin[r] = start;
  step.degree[r] = static_cast<Index>(to - start);
  if (!complete) *weak = 1;
}

/// Runs a step for all nodes. True: it said so for all.
template <class Step>
bool run_all(DeviceSteps& steps, Offset n, const Step& step) {
  return steps.sum(n, [=] __device__(Offset node) { return Offset{!step(node)}; }) == 0;
}

}  // namespace

template <class T>
void find_strong(Queue& queue, const Csr<T>& a, const Diagonal<T>& diagonal, Index block, std::uint16_t theta,
                 StrengthGraph& g) {
  DeviceSteps steps(queue);
  const MatrixView<T> view = view_of(a);
  Array<double> roots = steps.scratch<double>(a.num_rows);
  double* const root = roots.data();
  const T* const value = diagonal.value.data();
  const Index* const num_beside = diagonal.num_beside.data();
  steps.for_each(a.num_rows, [=] __device__(Offset i) { root[i] = root_of_share(value[i], num_beside[i], block); });
  Offset* const begin = g.begin.data();
  const Offset num_entries = a.num_entries(), n = g.num_nodes;
  steps.for_each(1, [=] __device__(Offset) { begin[n] = num_entries; });
  if (block == 1) {
    const StrengthStep<T> step{view, root, theta, begin, g.degree.data(), g.neighbours.data(), g.strength.data()};
    if (!has_long_rows(a)) {
      g.complete = run_all(steps, n, step);
      return;
    }
    Array<Offset> flag = steps.scratch<Offset>(1);
    Offset* const weak = flag.data();
    steps.for_each(1, [=] __device__(Offset) { *weak = 0; });
    find_strong_by_warps<<<num_blocks(n, 8), 256, 0, queue.stream()>>>(step, n, weak);
    check_launch("find_strong_by_warps", queue.stream());
    g.complete = steps.read(static_cast<const Offset*>(weak)) == 0;
    return;
  }
  const RowPattern named = union_rows(queue, g.num_nodes, g.num_nodes, NamedNodes<T>{view, block});
  Array<std::uint16_t> strongest = steps.scratch<std::uint16_t>(named.num_entries());
  g.complete = run_all(steps, n,
                       StrongBlocks<T>{view, block, root, theta, named.view(), strongest.data(), begin, g.degree.data(),
                                       g.neighbours.data(), g.strength.data()});
}

template void find_strong(Queue&, const Csr<float>&, const Diagonal<float>&, Index, std::uint16_t, StrengthGraph&);
template void find_strong(Queue&, const Csr<double>&, const Diagonal<double>&, Index, std::uint16_t, StrengthGraph&);

}  // namespace millrace::cuda
