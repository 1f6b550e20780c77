// G, B, D, B^T and G^T, each by itself.
#include "millrace/fem/element/reference.hpp"
#include "millrace/base/to_size.hpp"

#include <algorithm>

#include "millrace/fem/basis_actions.hpp"

namespace millrace {
namespace {

/// Calls f(i, entry of a vector of unknowns, or -1 where constrained) for every entry i of an element vector.
template <class T, class F>
void for_each_entry(const ElementData<T>& data, F&& f) {
  std::int64_t i = 0;
  for (Index e = 0; e < data.num_elem; ++e)
    for (int c = 0; c < data.comps; ++c)
      for (int n = 0; n < data.nodes(); ++n, ++i) {
        const Index node = data.offsets.data()[Offset{e} * data.nodes() + n];
        f(i, node < 0 ? -1 : node + c * data.comp_stride);
      }
}

/// The physics at the points of all elements: value [num_elem, comps, points], grad [num_elem, comps, dim, points].
template <class T>
void apply_physics(const ElementOperator<T>& a, std::vector<T>& value, std::vector<T>& grad) {
  const ElementData<T>& data = a.data();
  const PointKernel<T>& physics = a.physics();
  constexpr int L = num_lanes<T>;
  const Offset values = Offset{data.comps} * data.basis.num_points(), grads = values * data.basis.dim;
  std::vector<T> one_value(to_size(values * L)), one_grad(to_size(grads * L));
  BatchFactors<T> factors(data, physics);
  for (Index e = 0; e < data.num_elem; ++e) {  // the same element in every lane
    T *v = value.data() + e * values, *g = grad.data() + e * grads;
    for (Offset i = 0; i < values * L; ++i) one_value[to_size(i)] = v[i / L];
    for (Offset i = 0; i < grads * L; ++i) one_grad[to_size(i)] = g[i / L];
    physics.apply(physics.physics.data(), data.basis.num_points(), factors.batch(e, 1), one_value.data(),
                  one_grad.data());
    for (Offset i = 0; i < values; ++i) v[i] = one_value[to_size(i * L)];
    for (Offset i = 0; i < grads; ++i) g[i] = one_grad[to_size(i * L)];
  }
}

}  // namespace

template <class T>
void apply_unfused(Queue& queue, const ElementOperator<T>& a, Vectors<const T> x, Vectors<T> y) {
  require<Unsupported>(a.device().on_host(), "apply_unfused: runs on the host; the operator lives on ",
                       [&] { return to_string(a.device()); });
  const ElementData<T>& data = a.data();
  const std::int64_t n = data.num_dofs();
  require(x.size == n && y.size == n, "apply_unfused: the operator has ", n, " unknowns; x has ", x.size, ", y ",
          y.size);
  const ElementFields fields{data.num_elem, data.comps};
  const Offset an_elem = Offset{data.comps} * data.basis.num_points();
  std::vector<T> u(to_size(Offset{data.num_elem} * data.comps * data.nodes())), value(to_size(data.num_elem * an_elem)),
      gradient(to_size(data.num_elem * an_elem * data.basis.dim));
  for_each_entry(data, [&](std::int64_t i, std::int64_t from) { u[to_size(i)] = from < 0 ? T{0} : x.data[from]; });
  const auto with_basis = [&](auto&& f) {
    if (data.basis.tensor)
      f(TensorProduct{*data.basis.tensor, data.basis.dim});
    else
      f(*data.basis.simplex);
  };
  const bool uses_value = a.physics().uses_value, uses_grad = a.physics().uses_grad;
  with_basis([&](const auto& basis) {
    if (uses_value) interp<T>(queue, basis, fields, u, value);
    if (uses_grad) grad<T>(queue, basis, fields, u, gradient);
  });
  apply_physics(a, value, gradient);
  std::fill(u.begin(), u.end(), T{0});
  with_basis([&](const auto& basis) {
    if (uses_value) interp_transpose<T>(queue, basis, fields, value, u, Write::add);
    if (uses_grad) grad_transpose<T>(queue, basis, fields, gradient, u, Write::add);
  });
  std::fill(y.data, y.data + n, T{0});
  for (int c = 0; c < data.comps; ++c)
    for (const Index node : data.constrained.span()) {
      const std::int64_t i = node + c * data.comp_stride;
      y.data[i] = x.data[i];
    }
  for_each_entry(data, [&](std::int64_t i, std::int64_t to) {
    if (to >= 0) y.data[to] += u[to_size(i)];
  });
}

template void apply_unfused(Queue&, const ElementOperator<float>&, Vectors<const float>, Vectors<float>);
template void apply_unfused(Queue&, const ElementOperator<double>&, Vectors<const double>, Vectors<double>);

}  // namespace millrace
