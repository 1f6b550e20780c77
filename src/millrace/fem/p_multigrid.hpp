// p-multigrid for element operators: levels of the same physics with lower orders on the same mesh, none of them a
// matrix but the last, of order 1, which algebraic multigrid takes over. A preconditioner whose iterations hardly grow
// with the order and with the mesh.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "millrace/fem/element_operator.hpp"
#include "millrace/precond/amg.hpp"

namespace millrace {

/// What a smoother inverts before its polynomial is applied: the diagonal of A; or a brick in place of each element of
/// quads and hexes, which costs about as much as a product and smooths on long and squeezed cells, too. Automatic:
/// elements where there are quads or hexes and a physics with gradients, points elsewhere.
enum class PMultigridBlocks { automatic, points, elements };

/// How a p-multigrid preconditioner is made.
struct PMultigridOptions {
  /// Of the levels, from that of the space down; the last is assembled. Empty: halved until 1, such as 7, 3, 1; of
  /// simplices, where small steps pay, less a third or one: 8, 6, 4, 3, 2, 1.
  std::vector<int> orders{};
  PMultigridBlocks blocks = PMultigridBlocks::automatic;
  /// A polynomial in D^-1 A, with the operator's own diagonal D or with blocks, before and after the coarser level; not
  /// l1_jacobi or block_jacobi, which need the rows of a matrix.
  AmgSmoother smoother = AmgSmoother::chebyshev;
  int degree = 0;              // products of a smoother; 0: 3, from order 8 on, of simplices 3, 4
  std::vector<int> degrees{};  // or those of each level but the last, the finest first
  double ratio = 20;           // for AmgSmoother::chebyshev
  int eigenvalue_steps = 15;   // of Lanczos' method for the largest eigenvalue of D^-1 A
  /// single: the whole cycle in float, its operators and vectors; full: in T.
  Precision precision = Precision::single;
  /// Of the assembled level. Several unknowns a node become its blocks, and where the physics couples as many as there
  /// are dimensions, as elasticity does, rigid-body modes its near-null vectors; unless they are given here, with the
  /// unknowns of a node one after another.
  AmgOptions amg{.theta = 0.8};
};

/// What was made of one order.
struct PMultigridLevelReport {
  int order = 0;
  std::int64_t unknowns = 0, bytes = 0;  // bytes of the operator and of the transfer to the next level
  double largest_eigenvalue = 0;         // the bound of D^-1 A that the smoother takes; 0 where it is assembled
  bool by_elements = false;              // D is of blocks
};

/// What was made, and how long each part took in seconds.
struct PMultigridReport {
  std::vector<PMultigridLevelReport> levels{};  // the finest first
  AmgReport amg{};                              // of the last
  double spaces = 0, operators = 0, diagonals = 0, eigenvalues = 0, transfers = 0, assembly = 0, algebraic = 0;
  double total = 0;
  /// Some lines for a human.
  std::string text() const;
};

/// y = one V cycle for A y = x from y = 0, for the operator A of a physics on a space: a fixed linear map, symmetric
/// where A is, for CG where A is symmetric positive definite. Made of what an ElementOperator is made of, on the device
/// of a queue, of meshes with one kind of cells. Nothing waits for the host in a cycle. Traffic: that of all products.
template <class T>
class PMultigrid final : public Operator<T> {
 public:
  /// The cycle computes in W, float or T; `make_p_multigrid` writes the physics as its type.
  template <class W>
  PMultigrid(Queue& queue, const Mesh& mesh, const Space& space, const PointKernel<W>& physics,
             const ElementOptions& element = {}, PMultigridOptions options = {});
  ~PMultigrid() override;
  PMultigrid(PMultigrid&&) noexcept;
  PMultigrid& operator=(PMultigrid&&) noexcept;

  Shape shape() const override;
  Device device() const override { return device_; }
  bool fuses_dot() const override;
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  const PMultigridOptions& options() const { return options_; }
  const PMultigridReport& report() const { return report_; }

 private:
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;

  struct Levels;
  Device device_;
  PMultigridOptions options_;
  PMultigridReport report_;
  std::unique_ptr<Levels> levels_;
};

extern template class PMultigrid<float>;
extern template class PMultigrid<double>;
extern template PMultigrid<float>::PMultigrid(Queue&, const Mesh&, const Space&, const PointKernel<float>&,
                                              const ElementOptions&, PMultigridOptions);
extern template PMultigrid<double>::PMultigrid(Queue&, const Mesh&, const Space&, const PointKernel<float>&,
                                               const ElementOptions&, PMultigridOptions);
extern template PMultigrid<double>::PMultigrid(Queue&, const Mesh&, const Space&, const PointKernel<double>&,
                                               const ElementOptions&, PMultigridOptions);

/// p-multigrid for make_element_operator<T>(mesh, space, physics, element), on the device of the queue.
template <class T, fem::Physics P>
PMultigrid<T> make_p_multigrid(Queue& queue, const Mesh& mesh, const Space& space, const P& physics,
                               const ElementOptions& element = {}, PMultigridOptions options = {}) {
  const auto make = [&]<class W>(W) {
    PointKernel<W> kernel = make_point_kernel<W>(physics);
    set_gpu_functions(physics, kernel);
    return PMultigrid<T>(queue, mesh, space, kernel, element, std::move(options));
  };
  return options.precision == Precision::full ? make(T{}) : make(float{});
}

}  // namespace millrace
