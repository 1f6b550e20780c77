// Element operators apply a physics that is not linear as any other; what is special are their constrained nodes.
#include "millrace/fem/nonlinear_form.hpp"

#include "millrace/base/thread_limit.hpp"

namespace millrace {
namespace {

ElementOptions without_constraints(ElementOptions options) {
  options.constrained.clear();
  return options;
}

}  // namespace

template <class T>
NonlinearForm<T>::NonlinearForm(const Mesh& mesh, const Space& space, const PointKernel<T>& physics,
                                const PointKernel<T>& derivative, const ElementOptions& options)
    : form_(make_element_sum<T>(mesh, space, physics, without_constraints(options))),
      jacobian_(make_element_sum<T>(mesh, space, derivative, options)) {}

template <class T>
NonlinearForm<T> NonlinearForm<T>::to(Device target) const {
  return {form_.to(target), jacobian_.to(target)};
}

template <class T>
void NonlinearForm<T>::residual(Queue& queue, Vectors<const T> u, Vectors<T> r) const {
  const ThreadLimit limit(queue);
  form_.apply(queue, {.x = u, .y = r});
  const ElementData<T>& data = jacobian_.parts().front().data();  // the first has the identity there
  if (!device().on_host()) {
    if constexpr (build::cuda) cuda::clear_constrained(queue, data, r.data);
    return;
  }
  for (int c = 0; c < data.comps; ++c)
    for (const Index n : data.constrained.span()) r.data[n + c * data.comp_stride] = T{0};
}

template <class T>
const ElementSum<T>& NonlinearForm<T>::linearise(Queue& queue, Vectors<const T> u) {
  jacobian_.update(queue, u);
  return jacobian_;
}

template <class T>
void NonlinearForm<T>::set_given(Queue& queue, int first, const Space& space, Vectors<const T> values) {
  form_.set_given(queue, first, space, values);
  jacobian_.set_given(queue, first, space, values);
}

template class NonlinearForm<float>;
template class NonlinearForm<double>;

}  // namespace millrace
