// Makes the tables and lists of a transfer, and runs it on host threads.
#include "millrace/fem/multigrid/p_transfer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/basis/tabulate.hpp"
#include "millrace/fem/element/node_places.hpp"
#include "millrace/fem/multigrid/p_transfer_cuda.hpp"

namespace millrace::multigrid {
namespace {

/// Of one direction of tensor cells, of all of a simplex: the coarse functions at the fine nodes, [fine, coarse].
std::vector<double> transfer_table(Cell cell, int fine, int coarse) {
  const Cell part = is_tensor(cell) ? Cell::segment : cell;
  const std::vector<double> nodes = reference_nodes(part, fine, NodeKind::fem);
  std::vector<double> table = tabulate_nodes(part, coarse, NodeKind::fem, nodes).values;
  for (double& value : table)
    if (std::abs(value) < 1e-12) value = 0;  // where a node is on a side, or on a coarse node: exactly
  return table;
}

AnyPlan make_plan(Cell cell, int fine, int coarse) {
  return is_tensor(cell) ? AnyPlan::tensor(dim(cell), fine + 1, coarse + 1)
                         : AnyPlan::dense(num_nodes(cell, fine), num_nodes(cell, coarse));
}

std::vector<bool> marks(Index size, std::span<const Index> nodes) {
  std::vector<bool> marked(to_size(size));
  for (const Index n : nodes) marked[to_size(n)] = true;
  return marked;
}

template <class W>
Array<W> to_array(Device device, std::span<const double> values) {
  Array<W> array(std::ssize(values));
  for (std::size_t i = 0; i < values.size(); ++i) array.span()[i] = static_cast<W>(values[i]);
  return array.to(device);
}

}  // namespace

NodeLayout by_component(const Space& space) { return {1, space.num_nodes}; }
NodeLayout by_node(const Space& space) { return {space.comps, 1}; }

std::vector<Index> coarse_constrained(const Space& fine, const Space& coarse, std::span<const Index> constrained) {
  if (constrained.empty()) return {};
  const SpaceBlock &of_fine = fine.only_block(), &of_coarse = coarse.only_block();
  const AnyPlan plan = make_plan(of_fine.cell, fine.order, coarse.order);
  const std::vector<double> table = transfer_table(of_fine.cell, fine.order, coarse.order);
  const bool tensor = is_tensor(of_fine.cell);
  const int rows = tensor ? fine.order + 1 : plan.fine_nodes, cols = tensor ? coarse.order + 1 : plan.coarse_nodes;
  const auto vanishes = [&](int at, int function) {  // a coarse function at a fine node
    for (int k = 0; k < plan.count; ++k, at /= rows, function /= cols)
      if (table[to_size(at % rows * cols + function % cols)] == 0) return true;
    return false;
  };
  const std::vector<bool> held = marks(fine.num_nodes, constrained);
  const auto fine_of = [&](Index e) {
    return of_fine.restriction.offsets.span().subspan(to_size(Offset{e} * plan.fine_nodes), to_size(plan.fine_nodes));
  };
  std::vector<char> touched(to_size(of_fine.restriction.num_elem));  // elements with a constrained node, mostly few
  const Work each{.bytes = 8 * plan.fine_nodes};
  parallel_for(default_num_threads(), of_fine.restriction.num_elem, each, [&](std::int64_t begin, std::int64_t end) {
    for (auto e = static_cast<Index>(begin); e < end; ++e)
      touched[to_size(e)] = std::ranges::any_of(fine_of(e), [&](Index n) { return held[to_size(n)]; });
  });
  std::vector<std::vector<int>> functions(to_size(plan.fine_nodes));  // that do not vanish there, once asked for
  const auto functions_at = [&](int at) -> const std::vector<int>& {
    std::vector<int>& those = functions[to_size(at)];
    if (those.empty())
      for (int function = 0; function < plan.coarse_nodes; ++function)
        if (!vanishes(at, function)) those.push_back(function);
    return those;
  };
  std::vector<bool> found(to_size(coarse.num_nodes));
  for (Index e = 0; e < of_fine.restriction.num_elem; ++e) {
    if (!touched[to_size(e)]) continue;
    const Index* const nodes = of_coarse.restriction.offsets.data() + Offset{e} * plan.coarse_nodes;
    for (int at = 0; at < plan.fine_nodes; ++at) {
      if (!held[to_size(fine_of(e)[to_size(at)])]) continue;
      for (const int function : functions_at(at)) found[to_size(nodes[function])] = true;
    }
  }
  std::vector<Index> nodes;
  for (Index n = 0; n < coarse.num_nodes; ++n)
    if (found[to_size(n)]) nodes.push_back(n);
  return nodes;
}

template <class W>
PTransfer<W>::PTransfer(Device device, const Space& fine, const Space& coarse, std::span<const Index> fine_constrained,
                        std::span<const Index> coarse_constrained, NodeLayout coarse_layout)
    : plan_(make_plan(fine.only_block().cell, fine.order, coarse.order)),
      num_elem_(fine.only_block().restriction.num_elem),
      num_fine_(fine.num_nodes),
      num_coarse_(coarse.num_nodes),
      comps_(fine.comps),
      coarse_layout_(coarse_layout),
      table_(to_array<W>(device, transfer_table(fine.only_block().cell, fine.order, coarse.order))) {
  const Array<Index>& fine_nodes = fine.only_block().restriction.offsets;
  Array<Index> of_fine(fine_nodes.size());
  const Array<Index>& coarse_nodes = coarse.only_block().restriction.offsets;
  require<Unsupported>(coarse_nodes.size() <= std::numeric_limits<Index>::max(), "p-multigrid: ", num_elem_,
                       " elements with ", plan_.coarse_nodes,
                       " nodes each on a coarse level; at most 2^31 - 1 nodes of ", "all elements can be numbered");
  const int threads = default_num_threads();
  std::vector<char> taken(to_size(num_fine_));  // bytes, for threads have nodes of their own
  for (const Index n : fine_constrained) taken[to_size(n)] = 1;
  visit_nodes(fine_nodes.span(), num_fine_, threads, [&](Index n, std::size_t k) {
    of_fine.data()[k] = taken[to_size(n)] ? -1 : n;  // the first element that has it
    taken[to_size(n)] = 1;
  });
  const Array<Index> of_coarse = without_constrained(coarse_nodes, num_coarse_, coarse_constrained, threads);
  const NodePlaces<Index> found = find_node_places<Index>(of_coarse.span(), num_coarse_, 1, threads);
  fine_ = of_fine.to(device);
  coarse_ = of_coarse.to(device);
  first_ = Array<Index>(std::span<const Index>(found.first)).to(device);
  places_ = Array<Index>(std::span<const Index>(found.places)).to(device);
}

template <class W>
TransferView<W> PTransfer<W>::view() const {
  return {num_elem_, fine_.data(), coarse_.data(), table_.data(), num_fine_, coarse_layout_.node, coarse_layout_.comp};
}

/// Calls f(team, plan, first, count, comp, buffer) for all elements, some at a time, on the threads of the queue.
template <class F>
static void for_elements(Queue& queue, const AnyPlan& any, Index num_elem, int comps, std::size_t entry_bytes, F&& f) {
  with_plan(any, [&](const auto& plan) {
    const int at_once = elements_at_once(plan.fine_nodes);
    const std::int64_t groups = (std::int64_t{num_elem} + at_once - 1) / at_once;
    const Work each{.flops = 4 * plan.fine_nodes};
    parallel(threads_for(queue.num_threads(), std::int64_t{num_elem} * comps, each), [&](int thread, int num) {
      std::vector<std::byte> buffer(to_size(at_once * (plan.fine_nodes + plan.middle)) * entry_bytes);
      const auto [begin, end] = even_part(groups, thread, num);
      for (std::int64_t g = begin; g < end; ++g)
        for (int c = 0; c < comps; ++c) {
          const auto first = static_cast<Index>(g * at_once);
          f(HostTeam{}, plan, first, std::min<Index>(at_once, num_elem - first), c, buffer.data());
        }
    });
  });
}

template <class W>
void PTransfer<W>::prolong(Queue& queue, const W* coarse, W* fine) const {
  if (queue.device().on_host()) {
    for_elements(queue, plan_, num_elem_, comps_, sizeof(W),
                 [&](const auto& team, const auto& plan, Index first, int count, int c, std::byte* buffer) {
                   prolong_elements(team, plan, view(), table_.data(), first, count, c, coarse, fine,
                                    reinterpret_cast<W*>(buffer));
                 });
  } else if constexpr (build::cuda) {
    cuda::prolong(queue, plan_, view(), comps_, coarse, fine);
  }
}

template <class W>
void PTransfer<W>::restrict_to(Queue& queue, const W* b, const W* q, W* coarse) const {
  const std::int64_t size = coarse_.size();  // of one component
  const auto memory = queue.scratch<W>(size * comps_);
  W* const contributions = memory.data();
  if (queue.device().on_host()) {
    for_elements(queue, plan_, num_elem_, comps_, sizeof(W),
                 [&](const auto& team, const auto& plan, Index first, int count, int c, std::byte* buffer) {
                   restrict_elements(team, plan, view(), table_.data(), first, count, c, b, q,
                                     contributions + c * size + std::int64_t{first} * plan.coarse_nodes,
                                     reinterpret_cast<W*>(buffer));
                 });
    parallel_for(queue.num_threads(), num_coarse_, [&](std::int64_t begin, std::int64_t end) {
      for (auto n = static_cast<Index>(begin); n < end; ++n)
        for (int c = 0; c < comps_; ++c)
          coarse[view().coarse_entry(n, c)] = sum_at_node(sums(), n, contributions + c * size);
    });
  } else if constexpr (build::cuda) {
    cuda::restrict_to(queue, plan_, view(), sums(), comps_, b, q, contributions, coarse);
  }
}

template <class W>
double PTransfer<W>::prolong_bytes() const {
  return static_cast<double>(fine_.bytes() + coarse_.bytes()) +
         comps_ * static_cast<double>(sizeof(W)) * (2.0 * num_fine_ + num_coarse_);
}

template <class W>
double PTransfer<W>::restrict_bytes() const {
  return static_cast<double>(fine_.bytes() + first_.bytes() + places_.bytes()) +
         comps_ * static_cast<double>(sizeof(W)) *
             (2.0 * num_fine_ + num_coarse_ + 2.0 * static_cast<double>(coarse_.size()));
}

template <class W>
std::int64_t PTransfer<W>::bytes() const {
  return fine_.bytes() + coarse_.bytes() + first_.bytes() + places_.bytes() + table_.bytes();
}

template class PTransfer<float>;
template class PTransfer<double>;

}  // namespace millrace::multigrid
