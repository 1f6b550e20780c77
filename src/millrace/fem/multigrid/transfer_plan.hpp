// How values at the nodes of a coarse element become values at those of a fine one: one small table for each direction
// of quads and hexes (sum factorisation, S. A. Orszag 1980), one table for all of a simplex.
#pragma once

#include "millrace/base/scalar.hpp"

namespace millrace::multigrid {

/// out[o, r, i] = sum over c of table[r, c] in[o, c, i], i fastest; transposed, rows and cols change their parts.
struct TransferStage {
  int rows = 1, cols = 1, outer = 1, inner = 1;
};

/// Stages from coarse to fine of any element, with sizes as values. A simplex has one, with its whole table.
struct AnyPlan {
  TransferStage stages[3];
  int count = 0;
  int fine_nodes = 0, coarse_nodes = 0;  // of an element
  int middle = 0;                        // most entries between two stages

  template <int K>
  MILLRACE_HD TransferStage stage() const {
    return stages[K];
  }
  MILLRACE_HD int num_stages() const { return count; }
  MILLRACE_HD int table_size() const { return stages[0].rows * stages[0].cols; }

  /// F and C nodes a direction, in dim directions.
  static constexpr AnyPlan tensor(int dim, int F, int C) {
    AnyPlan plan;
    plan.count = dim;
    plan.fine_nodes = plan.coarse_nodes = plan.middle = 1;
    for (int k = 0; k < dim; ++k) {
      plan.stages[k] = {F, C, 1, 1};
      for (int before = 0; before < k; ++before) plan.stages[k].inner *= F;
      for (int after = k + 1; after < dim; ++after) plan.stages[k].outer *= C;
      plan.fine_nodes *= F, plan.coarse_nodes *= C, plan.middle *= k == 0 ? C : F;
    }
    return plan;
  }
  static constexpr AnyPlan dense(int fine_nodes, int coarse_nodes) {
    return {{{fine_nodes, coarse_nodes, 1, 1}, {}, {}}, 1, fine_nodes, coarse_nodes, 0};
  }
};

/// The same of hexes with F and C nodes a direction, known to the compiler.
template <int F, int C>
struct HexPlan {
  static constexpr int fine_nodes = F * F * F, coarse_nodes = C * C * C, middle = C * F * F;

  template <int K>
  MILLRACE_HD static constexpr TransferStage stage() {
    if constexpr (K == 0)
      return {F, C, C * C, 1};
    else if constexpr (K == 1)
      return {F, C, C, F};
    else
      return {F, C, 1, F * F};
  }
  MILLRACE_HD static constexpr int num_stages() { return 3; }
  MILLRACE_HD static constexpr int table_size() { return F * C; }
};

/// Calls f with the plan that the compiler knows, where it is that of halved orders; else with the plan itself.
template <class Function>
decltype(auto) with_plan(const AnyPlan& plan, Function&& f) {
  const auto is = [&](int F, int C) { return plan.count == 3 && plan.stages[0].rows == F && plan.stages[0].cols == C; };
  if (is(9, 5)) return f(HexPlan<9, 5>{});
  if (is(8, 4)) return f(HexPlan<8, 4>{});
  if (is(7, 4)) return f(HexPlan<7, 4>{});
  if (is(6, 3)) return f(HexPlan<6, 3>{});
  if (is(5, 3)) return f(HexPlan<5, 3>{});
  if (is(4, 2)) return f(HexPlan<4, 2>{});
  if (is(3, 2)) return f(HexPlan<3, 2>{});
  return f(plan);
}

/// Elements that a team takes at once, so that each of its threads has some entries.
MILLRACE_HD constexpr int elements_at_once(int fine_nodes) { return fine_nodes >= 256 ? 1 : 256 / fine_nodes; }

}  // namespace millrace::multigrid
