// The bake-off problems: what each solves, the warped mesh it is solved on, and the solution that is known. With
// p-multigrid, on Kershaw's mesh, they are those that compare preconditioners (BPS).
#pragma once

#include <string>

#include "millrace/fem/p_multigrid.hpp"

namespace millrace::bench {

struct BpRequest {
  int problem = 1;  // 1..6
  int order = 4;
  double dofs = 1e6;  // about as many unknowns
  Cell cell = Cell::hex;
  int geometry_order = 0;  // 0: 2 for warped tets, which would be affine with 1; else 1
  bool ceed = false;       // the official variant: BP1 and BP2 without boundary conditions, Jacobi
  double kershaw = 0;      // epsilon of Kershaw's mesh; 0: the warped one
  bool random = false;     // right-hand side, instead of that of a known solution
  bool recompute = false;  // geometry in every application instead of stored factors
  Accumulation sum = Accumulation::deterministic;
  Evaluation evaluation = Evaluation::fused;
};

/// 1, 2: mass; 3, 4: diffusion; 5, 6: diffusion with the points on the nodes. Even ones have three components.
bool is_mass(int problem);
int num_comps(int problem);
std::string name_of(int problem);

/// A unit cube of cells moved by a smooth map that keeps its outline, or Kershaw's.
Mesh make_bp_mesh(const BpRequest& request);
ElementOptions make_bp_options(const BpRequest& request, const Space& space);

template <class T>
ElementOperator<T> make_bp_operator(const BpRequest& request, const Mesh& mesh, const Space& space);

/// p-multigrid for it, where the queue is.
template <class T>
PMultigrid<T> make_bp_p_multigrid(Queue& queue, const BpRequest& request, const Mesh& mesh, const Space& space,
                                  const PMultigridOptions& options = {});

/// The right-hand side, integrated or random, with 0 at constrained nodes.
template <class T>
std::vector<T> make_bp_load(Queue& queue, const BpRequest& request, const Mesh& mesh, const Space& space);

/// The largest distance from the known solution at a node, over the largest value of that.
template <class T>
double bp_error(const Space& space, const std::vector<T>& u);

}  // namespace millrace::bench
