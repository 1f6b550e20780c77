// The public edge of p-multigrid: checks, the type of the cycle, and vectors in and out of it.
#include "millrace/fem/p_multigrid.hpp"

#include <fmt/format.h>

#include "millrace/base/elapsed.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/fem/multigrid/p_cycle.hpp"
#include "millrace/precond/multigrid/apply_cycle.hpp"

namespace millrace {

using namespace multigrid;

/// In T, or in float.
template <class T>
struct PMultigrid<T>::Levels {
  std::unique_ptr<PCycle<T>> wide;
  std::unique_ptr<PCycle<float>> narrow;  // none where T is float
  std::int64_t num_dofs = 0;

  template <class F>
  decltype(auto) visit(F&& f) const {
    return wide ? f(*wide) : f(*narrow);
  }
};

namespace {

template <class W>
void check(const Mesh& mesh, const Space& space, const PointKernel<W>& physics, const ElementOptions& element,
           const PMultigridOptions& o) {
  require<Unsupported>(mesh.blocks.size() == 1 && space.blocks.size() == 1 && element.block <= 0,
                       "p-multigrid: the mesh has ", mesh.blocks.size(), " blocks of cells; one is accepted");
  require<Unsupported>(physics.store && physics.apply,
                       "p-multigrid: this physics was not compiled for the host, where the last level is assembled");
  require<Unsupported>(physics.num_fields == 0, "p-multigrid: this physics keeps ", physics.num_fields,
                       " nodal fields, such as the state of a linearised one; physics without them are accepted");
  require<Unsupported>(o.precision != Precision::bfloat16,
                       "p-multigrid: bfloat16 was asked for; operators of elements compute in float or in full");
  require<Unsupported>(
      o.smoother != AmgSmoother::l1_jacobi && o.smoother != AmgSmoother::block_jacobi,
      "p-multigrid: ", o.smoother == AmgSmoother::l1_jacobi ? "l1-Jacobi" : "block Jacobi",
      " was asked for, which needs the rows of a matrix; Chebyshev's polynomials of the first and the fourth kind are "
      "accepted");
  require<Unsupported>(o.blocks != PMultigridBlocks::elements || (is_tensor(mesh.blocks[0].cell) && physics.uses_grad),
                       "p-multigrid: blocks of elements were asked for, of ", name(mesh.blocks[0].cell),
                       physics.uses_grad ? "s" : "s with a physics without gradients",
                       "; quads and hexes with gradients are accepted");
  std::vector<int> degrees = o.degrees;
  if (degrees.empty() && o.degree != 0) degrees.push_back(o.degree);
  for (const int degree : degrees)
    require(degree >= 1 && (o.smoother != AmgSmoother::fourth_kind_optimal || degree <= 6),
            "p-multigrid: a smoother of ", degree, " products; 1 or more, with optimal weights up to 6, are accepted");
  require(o.ratio > 1 && o.eigenvalue_steps >= 1, "p-multigrid: a ratio of ", o.ratio, " and ", o.eigenvalue_steps,
          " steps for the largest eigenvalue; more than 1 and 1 or more are accepted");
}

std::vector<int> level_orders(const PMultigridOptions& o, int order, Cell cell) {
  if (o.orders.empty()) {
    std::vector<int> orders{order};
    const auto next = [&](int p) { return is_tensor(cell) ? p / 2 : p - std::max(1, p / 3); };
    while (orders.back() > 1) orders.push_back(next(orders.back()));
    return orders;
  }
  require(o.orders.front() == order, "p-multigrid: the first level has order ", o.orders.front(),
          ", the space has order ", order, "; both must be the same");
  for (std::size_t k = 1; k < o.orders.size(); ++k)
    require(o.orders[k] >= 1 && o.orders[k] < o.orders[k - 1], "p-multigrid: level ", k, " has order ", o.orders[k],
            " after ", o.orders[k - 1], "; orders of 1 and more that fall are accepted");
  return o.orders;
}

}  // namespace

template <class T>
template <class W>
PMultigrid<T>::PMultigrid(Queue& queue, const Mesh& mesh, const Space& space, const PointKernel<W>& physics,
                          const ElementOptions& element, PMultigridOptions options)
    : device_(queue.device()), options_(std::move(options)), levels_(std::make_unique<Levels>()) {
  const ThreadLimit limit(queue);
  check(mesh, space, physics, element, options_);
  options_.orders = level_orders(options_, space.order, space.only_block().cell);
  require(options_.degrees.empty() || options_.degrees.size() + 1 == options_.orders.size(),
          "p-multigrid: ", options_.degrees.size(), " degrees of smoothers for ", options_.orders.size(),
          " levels; one for each but the last, or none, are accepted");
  if constexpr (!std::is_same_v<T, W>) options_.precision = Precision::single;
  levels_->num_dofs = space.num_dofs();
  const auto begin = Clock::now();
  auto cycle = std::make_unique<PCycle<W>>(queue, mesh, space, physics, element, options_, report_);
  if constexpr (std::is_same_v<T, W>)
    levels_->wide = std::move(cycle);
  else
    levels_->narrow = std::move(cycle);
  report_.total = seconds_since(begin);
}

template <class T>
PMultigrid<T>::~PMultigrid() = default;
template <class T>
PMultigrid<T>::PMultigrid(PMultigrid&&) noexcept = default;
template <class T>
PMultigrid<T>& PMultigrid<T>::operator=(PMultigrid&&) noexcept = default;

template <class T>
Shape PMultigrid<T>::shape() const {
  const std::int64_t n = levels_ ? levels_->num_dofs : 0;
  return {n, n};
}

template <class T>
bool PMultigrid<T>::fuses_dot() const {
  return levels_ && levels_->visit([]<class W>(const PCycle<W>&) { return cycle_fuses_dot<W, T>; });
}

template <class T>
Traffic PMultigrid<T>::traffic(int num_vectors, bool reads_y) const {
  this->require_not_moved("p-multigrid");
  const Traffic one = levels_->visit([](const auto& cycle) { return cycle.traffic(); });
  return traffic_of_cycles<T>(one, levels_->num_dofs, num_vectors, reads_y);
}

template <class T>
void PMultigrid<T>::do_apply(Queue& queue, const ApplyRequest<T>& request) const {
  this->require_not_moved("p-multigrid");
  const std::int64_t n = levels_->num_dofs;
  if (n == 0) return;
  levels_->visit([&]<class W>(const PCycle<W>& cycle) {
    apply_cycle<W>(queue, n, request, [&](Queue& own, const W* b, W* x) { cycle.apply(own, b, x); });
  });
}

std::string PMultigridReport::text() const {
  std::string text;
  for (const PMultigridLevelReport& level : levels)
    text += fmt::format(
        "order {}: {} unknowns, {:.1f} MB{}\n", level.order, level.unknowns, 1e-6 * static_cast<double>(level.bytes),
        level.largest_eigenvalue > 0 ? fmt::format(", smoothed by {}, eigenvalues up to {:.3g}",
                                                   level.by_elements ? "elements" : "points", level.largest_eigenvalue)
                                     : ", assembled:");
  return text + amg.text() +
         fmt::format(
             "set-up {:.3g} s: spaces {:.3g}, operators {:.3g}, diagonals {:.3g}, eigenvalues {:.3g}, "
             "transfers {:.3g}, assembly {:.3g}, algebraic levels {:.3g}\n",
             total, spaces, operators, diagonals, eigenvalues, transfers, assembly, algebraic);
}

template class PMultigrid<float>;
template class PMultigrid<double>;
template PMultigrid<float>::PMultigrid(Queue&, const Mesh&, const Space&, const PointKernel<float>&,
                                       const ElementOptions&, PMultigridOptions);
template PMultigrid<double>::PMultigrid(Queue&, const Mesh&, const Space&, const PointKernel<float>&,
                                        const ElementOptions&, PMultigridOptions);
template PMultigrid<double>::PMultigrid(Queue&, const Mesh&, const Space&, const PointKernel<double>&,
                                        const ElementOptions&, PMultigridOptions);

}  // namespace millrace
