// y = A x in each mode.
#include <algorithm>

#include "millrace/base/dot.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/dist/matrix_state.hpp"

namespace millrace {

template <class T>
void DistributedMatrix<T>::do_apply(Queue& queue, const ApplyRequest<T>& request) const {
  const std::lock_guard lock(state_->mutex);
  if (request.op == Op::none)
    state_->apply(queue, request, state_->mode);
  else
    state_->apply_transposed(queue, request);
}

/// vector: the halo, then one product with x and it side by side. overlap, task: the local part while it travels, then
/// the rows that need it. Traffic: that of the parts; vector copies x once more.
template <class T>
void DistributedMatrix<T>::State::apply(Queue& queue, const ApplyRequest<T>& request, Mode how) {
  if constexpr (build::cuda)
    if (!device.on_host()) return apply_on_gpu(queue, request, how);
  if (how == Mode::vector && whole) return apply_whole(queue, request);
  exchange->start(queue, request.x);
  if (how == Mode::vector) exchange->finish();
  if (how == Mode::task) courier.begin([this] { return exchange->test(); });
  ApplyRequest<T> inside = request;
  if (request.dot == DotWith::result) inside.dot = DotWith::none;
  try {
    local->apply(queue, inside);
  } catch (...) {
    if (how == Mode::task) courier.wait();  // the messages are under way
    throw;
  }
  if (how == Mode::task) courier.wait();
  add_nonlocal(queue, request, exchange->finish());
  if (request.dot == DotWith::result) dot<T>(queue, request.y, request.y, request.dot_result);
}

template <class T>
void DistributedMatrix<T>::State::apply_whole(Queue& queue, const ApplyRequest<T>& request) {
  const std::int64_t own = num_rows(), all = own + num_ghosts();
  const int num = request.x.num;
  exchange->start(queue, request.x);
  const Scratch<T> side_by_side = queue.scratch<T>(all * num);
  T* const x = side_by_side.data();
  parallel_for(queue.num_threads(), own, [&](std::int64_t begin, std::int64_t end) {
    for (int v = 0; v < num; ++v)
      std::copy(request.x.data + v * request.x.stride + begin, request.x.data + v * request.x.stride + end,
                x + v * all + begin);
  });
  const Vectors<const T> ghosts = exchange->finish();
  for (int v = 0; v < num; ++v) std::copy_n(ghosts.data + v * ghosts.stride, num_ghosts(), x + v * all + own);
  ApplyRequest<T> product = request;
  product.x = Vectors<const T>(Device::host(), x, all, num);
  product.dot = DotWith::none;
  whole->apply(queue, product);
}

/// The rows with columns of other ranks, and what they add to <x, y>.
template <class T>
void DistributedMatrix<T>::State::add_nonlocal(Queue& queue, const ApplyRequest<T>& request, Vectors<const T> ghosts) {
  const auto count = std::ssize(boundary_rows);
  if (count == 0) return;
  const int num = request.y.num;
  const Scratch<T> memory = queue.scratch<T>(count * num);
  T* const sums = memory.data();
  nonlocal->apply(queue, {.alpha = request.alpha, .x = ghosts, .y = Vectors<T>(Device::host(), sums, count, num)});
  T dot{};
  for (int v = 0; v < num; ++v) {
    T* const y = request.y.data + v * request.y.stride;
    const T* const x = request.x.data + v * request.x.stride;
    for (std::int64_t k = 0; k < count; ++k) {
      const Index row = boundary_rows[to_size(k)];
      y[row] += sums[v * count + k];
      if constexpr (is_complex<T>)
        dot += std::conj(x[row]) * sums[v * count + k];
      else
        dot += x[row] * sums[v * count + k];
    }
  }
  if (request.dot == DotWith::x) *request.dot_result += dot;
}

/// y = alpha A^T x + beta y: what a rank's rows have for other ranks goes to them, and is added there by rank.
template <class T>
void DistributedMatrix<T>::State::apply_transposed(Queue& queue, const ApplyRequest<T>& request) {
  if constexpr (build::cuda)
    if (!device.on_host()) return transpose_on_gpu(queue, request);
  const std::int64_t own = num_rows(), outside = num_ghosts();
  const int num = request.x.num;
  if (whole) {
    const std::int64_t all = own + outside;
    const Scratch<T> memory = queue.scratch<T>(all * num);
    T* const sums = memory.data();
    whole->apply(
        queue,
        {.alpha = request.alpha, .x = request.x, .y = Vectors<T>(Device::host(), sums, all, num), .op = request.op});
    for (int v = 0; v < num; ++v) {
      T* const y = request.y.data + v * request.y.stride;
      for (std::int64_t i = 0; i < own; ++i)
        y[i] = sums[v * all + i] + (request.beta == T{} ? T{} : request.beta * y[i]);
    }
    exchange->add_back(queue, Vectors<const T>(Device::host(), sums + own, outside, num, all), request.y);
    return;
  }
  local->apply(queue, request);
  const auto count = std::ssize(boundary_rows);
  const Scratch<T> memory = queue.scratch<T>((count + outside) * num);
  T *const rows = memory.data(), *const sums = rows + count * num;
  for (int v = 0; v < num; ++v)
    for (std::int64_t k = 0; k < count; ++k)
      rows[v * count + k] = request.x.data[v * request.x.stride + boundary_rows[to_size(k)]];
  nonlocal->apply(queue, {.alpha = request.alpha,
                          .x = Vectors<const T>(Device::host(), rows, count, num),
                          .y = Vectors<T>(Device::host(), sums, outside, num),
                          .op = request.op});
  exchange->add_back(queue, Vectors<const T>(Device::host(), sums, outside, num), request.y);
}

#define MILLRACE_INSTANTIATE(T)                                                       \
  template void DistributedMatrix<T>::do_apply(Queue&, const ApplyRequest<T>&) const; \
  template void DistributedMatrix<T>::State::apply(Queue&, const ApplyRequest<T>&, Mode how);
MILLRACE_INSTANTIATE(float)
MILLRACE_INSTANTIATE(double)
MILLRACE_INSTANTIATE(std::complex<float>)
MILLRACE_INSTANTIATE(std::complex<double>)
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
