// ElementOperator: G^T B^T D B G with a pointwise physics D, as an Operator. No matrix is stored: an application
// gathers the nodes of each element, evaluates there, applies the physics, and adds the result back.
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/fem/element/gpu_functions.hpp"
#include "millrace/fem/element/host.hpp"
#include "millrace/sparse/csr.hpp"

namespace millrace {

/// G^T B^T D B G: an operator on the nodes of a space that is applied element by element, without a matrix.
template <class T>
class ElementOperator final : public Operator<T> {
 public:
  /// On the host; `make_element_operator` writes the physics as its type.
  ElementOperator(const Mesh& mesh, const Space& space, PointKernel<T> physics, const ElementOptions& options = {});
  /// Made in place on a GPU, for a physics that only a GPU knows (source_physics.hpp).
  ElementOperator(Device device, const Mesh& mesh, const Space& space, PointKernel<T> physics,
                  const ElementOptions& options = {});

  /// A copy on that device, of an operator on the host. A GPU takes hexes and tets, order 1 to 8, on meshes with
  /// one block; it recomputes factors
  /// of hexes, for the built-in physics with constant coefficients. A physics that has no fused kernel there is applied
  /// unfused; `evaluation` tells.
  ElementOperator to(Device device) const;
  /// Another way to sum. An operator that came to a GPU with atomic sums keeps them: it has no lists for others.
  void set_accumulation(Accumulation accumulation);
  /// What `to` makes of it on a GPU; of an operator on the host.
  void set_evaluation(Evaluation evaluation);

  Shape shape() const override { return {data_.num_dofs(), data_.num_dofs()}; }
  Device device() const override { return data_.offsets.device(); }
  /// `matrix`: node numbers and stored factors, or the geometry they are recomputed from.
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override;
  bool can_transpose() const override { return physics_.symmetric; }
  /// On a GPU <x, A x> is a sum over points, where the kernels of most hexes have all of it in registers.
  bool fuses_dot() const override { return !device().on_host() && data_.hex.computes_dot; }
  /// On a GPU, how it is applied; on the host, how that was asked for.
  Evaluation evaluation() const { return data_.evaluation; }

  const ElementData<T>& data() const { return data_; }
  const PointKernel<T>& physics() const { return physics_; }
  /// Are the loops of this order compiled? Others run with their sizes as values.
  bool has_compiled_loops() const;

  /// The state of a linearised physics (fem/linearise.hpp): all of u, also where it is constrained. With stored
  /// factors; on a GPU, of a physics that was compiled for it (fem/user_physics_cuda.cuh).
  void update(Queue& queue, Vectors<const T> u);
  /// Nodal fields that a functor asks for (fem/pointwise.hpp): the components of a space of any order on this mesh
  /// become its given fields `first`, `first + 1`, ... They are 0 until then. Where `update` works.
  void set_given(Queue& queue, int first, const Space& space, Vectors<const T> values);

  /// y = the diagonal, 1 at constrained nodes. [num_dofs]; on a GPU, from stored factors.
  void diagonal(Queue& queue, Vectors<T> y) const;
  /// The matrix. Columns of a row ascend; rows and columns of constrained nodes hold the identity alone. Of a symmetric
  /// physics it is symmetric to the bit. On the host.
  Csr<T> assemble(Queue& queue) const;

 private:
  ElementOperator() = default;
  /// Facts, offsets and what factors are recomputed from, on the host.
  void set_up(const Mesh& mesh, const Space& space, const ElementOptions& options);
  /// Coefficients that are fields find their values at the points.
  void bind_fields(const CellBlock& block);
  void require_fields(const char* what, const Queue& queue, Vectors<const T> values, std::int64_t size) const;
  /// Brings the arrays, which lie on a GPU, into the order of its kernels; host_offsets: those of data_.
  void prepare_gpu(Queue& queue, std::span<const Index> host_offsets);
  void do_apply(Queue& queue, const ApplyRequest<T>& request) const override;

  bool skips_nodes_ = false;  // of the space: they are in other blocks, or constrained without the identity
  ElementData<T> data_;
  PointKernel<T> physics_;
  HostElements<T> host_;      // empty on a GPU
  FieldOwners field_owners_;  // of values that coefficients read where factors are recomputed
};

extern template class ElementOperator<float>;
extern template class ElementOperator<double>;

/// The operator of a physics (fem/physics.hpp, or one's own) on a mesh, in a space of as many components. On a mesh
/// with several blocks it is that of one block (ElementOptions::block); element_sum.hpp has the whole.
template <class T, fem::Physics P>
ElementOperator<T> make_element_operator(const Mesh& mesh, const Space& space, const P& physics,
                                         const ElementOptions& options = {}) {
  PointKernel<T> kernel = make_point_kernel<T>(physics);
  set_gpu_functions(physics, kernel);
  return ElementOperator<T>(mesh, space, std::move(kernel), options);
}

}  // namespace millrace
