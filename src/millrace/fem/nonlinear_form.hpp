// NonlinearForm: the residual of an equation that is not linear, r = G^T B^T F(B G u), with F given point by point, and
// its exact derivative as an operator. Enough for Newton's method without a matrix.
#pragma once

#include "millrace/fem/element_sum.hpp"
#include "millrace/fem/linearise.hpp"

namespace millrace {

/// (F(u, grad u), (v, grad v)) for all v, over all blocks of cells, and its derivative in u.
template <class T>
class NonlinearForm {
 public:
  /// `make_nonlinear_form` writes both from the type of the physics.
  NonlinearForm(const Mesh& mesh, const Space& space, const PointKernel<T>& physics, const PointKernel<T>& derivative,
                const ElementOptions& options = {});

  /// A copy on that device, of a form on the host; with the state that it has. A GPU takes a physics that nvcc compiled
  /// (fem/user_physics_cuda.cuh).
  NonlinearForm to(Device device) const;

  Device device() const { return jacobian_.device(); }
  std::int64_t num_dofs() const { return jacobian_.shape().rows; }
  /// r = F(u). The values of u at constrained nodes count as all others; r is 0 there.
  void residual(Queue& queue, Vectors<const T> u, Vectors<T> r) const;
  /// The derivative at u, which stays that of this u until the next call. Constrained nodes act as the identity.
  const ElementSum<T>& linearise(Queue& queue, Vectors<const T> u);
  /// The derivative where linearise was called last, or else at 0.
  const ElementSum<T>& jacobian() const { return jacobian_; }
  /// ElementOperator::set_given, for the residual and its derivative.
  void set_given(Queue& queue, int first, const Space& space, Vectors<const T> values);

 private:
  NonlinearForm(ElementSum<T> form, ElementSum<T> jacobian) : form_(std::move(form)), jacobian_(std::move(jacobian)) {}

  ElementSum<T> form_;      // without constraints: it reads all nodes
  ElementSum<T> jacobian_;  // at the state that linearise has set
};

extern template class NonlinearForm<float>;
extern template class NonlinearForm<double>;

/// The form of a physics in physical coordinates, on a mesh, in a space of as many components. Factors are stored.
template <class T, class F>
NonlinearForm<T> make_nonlinear_form(const Mesh& mesh, const Space& space, const fem::Pointwise<F>& physics,
                                     const ElementOptions& options = {}) {
  return NonlinearForm<T>(mesh, space, make_point_kernel<T>(physics), make_point_kernel<T>(fem::linearise(physics)),
                          options);
}

}  // namespace millrace
