// Strong connections on a GPU.
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/precond/multigrid/strong_rows.cuh"
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
  const T* const value = diagonal.value.data();
  const Index* const num_beside = diagonal.num_beside.data();
  Offset* const begin = g.begin.data();
  const Offset num_entries = a.num_entries(), n = g.num_nodes;
  Array<int> flag = steps.scratch<int>(1);
  int* const weak = flag.data();
  steps.for_each(1, [=] __device__(Offset) {
    begin[n] = num_entries;
    *weak = 0;
  });
  if (block == 1) {
    const Strengths<T> strengths{value, num_beside};
    const bool long_rows = has_long_rows(a);
    if (long_rows) g.weak = Array<std::uint8_t>(queue, num_entries);
    const GraphOutput out{begin, g.degree.data(), g.neighbours.data(), g.strength.data(), g.weak.data()};
    if (n == 0) return;
    if (long_rows)
      find_strong_in_long<<<num_blocks(n, 32), 256, 0, queue.stream()>>>(view, strengths, theta, n, out, weak);
    else
      find_strong_in_short<<<num_blocks(n, 128), 128, 0, queue.stream()>>>(view, strengths, theta, n, out, weak);
    check_launch("find_strong", queue.stream());
    g.complete = steps.read(weak) == 0;
    return;
  }
  Array<double> roots = steps.scratch<double>(a.num_rows);
  double* const root = roots.data();
  steps.for_each(a.num_rows, [=] __device__(Offset i) { root[i] = root_of_share(value[i], num_beside[i], block); });
  const RowPattern named = union_rows(queue, g.num_nodes, g.num_nodes, NamedNodes<T>{view, block});
  Array<std::uint16_t> strongest = steps.scratch<std::uint16_t>(named.num_entries());
  g.complete = run_all(steps, n,
                       StrongBlocks<T>{view, block, root, theta, named.view(), strongest.data(), begin, g.degree.data(),
                                       g.neighbours.data(), g.strength.data()});
}

template void find_strong(Queue&, const Csr<float>&, const Diagonal<float>&, Index, std::uint16_t, StrengthGraph&);
template void find_strong(Queue&, const Csr<double>&, const Diagonal<double>&, Index, std::uint16_t, StrengthGraph&);

}  // namespace millrace::cuda
