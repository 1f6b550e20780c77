// Sum factorisation (S. A. Orszag 1980) over a batch of elements: interpolation to the points direction by direction,
// then derivatives along the points. Simplices use the whole tables instead.
#include "millrace/fem/element/batch.hpp"

#include <algorithm>

namespace millrace {

template <class T>
auto ElementBatch<T>::make_step(int n, int m, const std::vector<double>& rows, bool transpose) -> Step {
  Step step{n, m, find_contract<T>(n, m, false), find_contract<T>(n, m, true), {}};
  step.table.resize(rows.size());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j)
      step.table[static_cast<std::size_t>(i * m + j)] =
          static_cast<T>(rows[static_cast<std::size_t>(transpose ? j * n + i : i * m + j)]);
  return step;
}

template <class T>
ElementBatch<T>::ElementBatch(const ElementBasis& basis, const PointKernel<T>& physics)
    : tensor_(basis.tensor.has_value()),
      uses_value_(physics.uses_value),
      uses_grad_(physics.uses_grad),
      dim_(basis.dim),
      comps_(physics.comps),
      num_nodes_(basis.num_nodes),
      num_points_(basis.num_points()) {
  if (tensor_) {
    const TensorBasis& line = *basis.tensor;
    const int p = line.num_nodes(), q = line_points_ = line.num_points;
    on_nodes_ = line.on_nodes;
    interp_ = make_step(p, q, line.interp, true);
    interp_back_ = make_step(q, p, line.interp, false);
    grad_ = {make_step(q, q, line.collocated, true)};
    grad_back_ = {make_step(q, q, line.collocated, false)};
    return;
  }
  const SimplexBasis& all = *basis.simplex;
  interp_ = make_step(num_nodes_, num_points_, all.interp, true);
  interp_back_ = make_step(num_points_, num_nodes_, all.interp, false);
  const auto size = static_cast<std::ptrdiff_t>(all.interp.size());
  for (int d = 0; d < dim_; ++d) {
    const std::vector<double> part(all.grad.begin() + d * size, all.grad.begin() + (d + 1) * size);
    grad_.push_back(make_step(num_nodes_, num_points_, part, true));
    grad_back_.push_back(make_step(num_points_, num_nodes_, part, false));
  }
}

// Scratch: u and v [comps, nodes], value [comps, points], grad [comps, dim, points], and two buffers between
// directions.
template <class T>
std::int64_t ElementBatch<T>::work_size() const {
  const std::int64_t larger = std::max(num_nodes_, num_points_);
  const std::int64_t entries = std::int64_t{comps_} * num_nodes_ + std::int64_t{comps_} * (1 + dim_) * num_points_;
  return (entries + 2 * larger) * num_lanes<T>;
}

template <class T>
void ElementBatch<T>::along_all(const Step& step, const T* from, T* to, T* buffers) const {
  T* second = buffers + std::ptrdiff_t{std::max(num_nodes_, num_points_)} * num_lanes<T>;
  int before = dim_ == 3 ? step.n * step.n : step.n, after = 1;
  for (int d = 0; d < dim_; ++d, before /= step.n, after *= step.m) {
    T* next = d + 1 == dim_ ? to : (d == 0 ? buffers : second);
    step.set(step.n, step.m, step.table.data(), from, next, before, after);
    from = next;
  }
}

template <class T>
void ElementBatch<T>::to_points(const T* u, T* value, T* grad, T* other) const {
  const std::ptrdiff_t points = std::ptrdiff_t{num_points_} * num_lanes<T>;
  if (!tensor_) {
    if (uses_value_) interp_.set(interp_.n, interp_.m, interp_.table.data(), u, value, 1, 1);
    if (uses_grad_)
      for (int d = 0; d < dim_; ++d) {
        const Step& step = grad_[static_cast<std::size_t>(d)];
        step.set(step.n, step.m, step.table.data(), u, grad + d * points, 1, 1);
      }
    return;
  }
  if (on_nodes_)
    std::copy(u, u + points, value);
  else
    along_all(interp_, u, value, other);
  if (!uses_grad_) return;
  const int q = line_points_;
  for (int d = 0, before = num_points_ / q, after = 1; d < dim_; ++d, before /= q, after *= q)
    grad_[0].set(q, q, grad_[0].table.data(), value, grad + d * points, before, after);
}

template <class T>
void ElementBatch<T>::from_points(T* v, T* value, T* grad, T* other) const {
  const std::ptrdiff_t points = std::ptrdiff_t{num_points_} * num_lanes<T>;
  if (!tensor_) {
    if (uses_value_) interp_back_.set(interp_back_.n, interp_back_.m, interp_back_.table.data(), value, v, 1, 1);
    if (uses_grad_)
      for (int d = 0; d < dim_; ++d) {
        const Step& step = grad_back_[static_cast<std::size_t>(d)];
        const Contract<T> run = uses_value_ || d > 0 ? step.add : step.set;
        run(step.n, step.m, step.table.data(), grad + d * points, v, 1, 1);
      }
    return;
  }
  const int q = line_points_;
  if (uses_grad_)
    for (int d = 0, before = num_points_ / q, after = 1; d < dim_; ++d, before /= q, after *= q) {
      const Contract<T> run = uses_value_ || d > 0 ? grad_back_[0].add : grad_back_[0].set;
      run(q, q, grad_back_[0].table.data(), grad + d * points, value, before, after);
    }
  if (on_nodes_)
    std::copy(value, value + points, v);
  else
    along_all(interp_back_, value, v, other);
}

template <class T>
auto ElementBatch<T>::evaluate(T* work) const -> AtPoints {
  const std::ptrdiff_t nodes = std::ptrdiff_t{num_nodes_} * num_lanes<T>,
                       points = std::ptrdiff_t{num_points_} * num_lanes<T>;
  T *u = work, *value = u + comps_ * nodes, *grad = value + comps_ * points, *other = grad + comps_ * dim_ * points;
  for (int c = 0; c < comps_; ++c) to_points(u + c * nodes, value + c * points, grad + c * dim_ * points, other);
  return {value, grad};
}

template <class T>
void ElementBatch<T>::apply(const PointKernel<T>& physics, const T* stored, T* work) const {
  const std::ptrdiff_t nodes = std::ptrdiff_t{num_nodes_} * num_lanes<T>,
                       points = std::ptrdiff_t{num_points_} * num_lanes<T>;
  const auto [value, grad] = evaluate(work);
  T* other = grad + comps_ * dim_ * points;
  physics.apply(physics.physics.data(), num_points_, stored, value, grad);
  for (int c = 0; c < comps_; ++c) from_points(work + c * nodes, value + c * points, grad + c * dim_ * points, other);
}

template class ElementBatch<float>;
template class ElementBatch<double>;

}  // namespace millrace
