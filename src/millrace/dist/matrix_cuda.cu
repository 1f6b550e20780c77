// y = A x on a GPU in each mode: all in the order of the queue, so that a CUDA graph can hold it.
#include "millrace/base/dot.hpp"
#include "millrace/dist/halo_kernels.cuh"
#include "millrace/dist/matrix_state.hpp"

namespace millrace {

template <class T>
void DistributedMatrix<T>::State::make_on_gpu() {
  pinned = std::make_shared<PinnedExchange<T>>(comm, exchange->plan(), device);
  together(comm, [&] { rows_on_gpu = Array<Index>(std::span<const Index>(boundary_rows)).to(device); });
  if (comm.size() == 1) return;
  Queue queue(device);
  together(comm, [&] { queue.mailbox(); });
  queue.mailbox().sums(queue, comm);
  waits = queue.mailbox().details();
}

/// vector: the halo, then one product with x and it side by side. overlap: the halo travels during the local product.
/// task: and it comes to the GPU meanwhile. Traffic: that of the parts; vector copies x once more.
template <class T>
void DistributedMatrix<T>::State::apply_on_gpu(Queue& queue, const ApplyRequest<T>& request, Mode how) {
  if (how == Mode::vector && whole) return apply_whole_on_gpu(queue, request);
  const Scratch<T> memory = queue.scratch<T>(num_ghosts() * request.x.num);
  const Vectors<T> ghosts(device, memory.data(), num_ghosts(), request.x.num);
  pinned->start(queue, request.x);
  if (how == Mode::vector) pinned->finish(queue, ghosts);
  if (how == Mode::task) pinned->finish_aside(queue, ghosts);
  ApplyRequest<T> inside = request;
  if (request.dot == DotWith::result) inside.dot = DotWith::none;
  local->apply(queue, inside);
  if (how == Mode::overlap) pinned->finish(queue, ghosts);
  if (how == Mode::task) pinned->join(queue);
  add_nonlocal_on_gpu(queue, request, ghosts);
  if (request.dot == DotWith::result) dot<T>(queue, request.y, request.y, request.dot_result);
}

template <class T>
void DistributedMatrix<T>::State::apply_whole_on_gpu(Queue& queue, const ApplyRequest<T>& request) {
  const std::int64_t own = num_rows(), all = own + num_ghosts();
  const int num = request.x.num;
  const Scratch<T> side_by_side = queue.scratch<T>(all * num);
  T* const x = side_by_side.data();
  pinned->start(queue, request.x);
  for (int v = 0; v < num; ++v)
    copy_bytes(queue, device, x + v * all, device, request.x.data + v * request.x.stride,
               static_cast<std::size_t>(own) * sizeof(T));
  pinned->finish(queue, Vectors<T>(device, x + own, num_ghosts(), num, all));
  ApplyRequest<T> product = request;
  product.x = Vectors<const T>(device, x, all, num);
  product.dot = DotWith::none;
  whole->apply(queue, product);
}

/// The rows with columns of other ranks, and what they add to <x, y>.
template <class T>
void DistributedMatrix<T>::State::add_nonlocal_on_gpu(Queue& queue, const ApplyRequest<T>& request,
                                                      Vectors<const T> ghosts) {
  const auto count = std::ssize(boundary_rows);
  if (count == 0) return;
  const int num = request.y.num;
  const dim3 blocks = cuda::row_blocks(count, num);
  const Scratch<T> sums = queue.scratch<T>(count * num), parts = queue.scratch<T>(blocks.x);
  const auto arrived = queue.zeros(1);
  nonlocal->apply(queue, {.alpha = request.alpha, .x = ghosts, .y = Vectors<T>(device, sums.data(), count, num)});
  const cuda::DeviceGuard guard(device);
  T* const dot = request.dot == DotWith::x ? request.dot_result : nullptr;
  cuda::add_boundary_kernel<<<blocks, cuda::row_threads, 0, queue.stream()>>>(
      rows_on_gpu.data(), count, arith(sums.data()), arith(request.x.data), arith(request.y.data), request.y.stride,
      arith(dot), arith(parts.data()), arrived.data());
  cuda::check_launch("add_boundary_kernel", queue.stream());
}

/// y = alpha A^T x + beta y: what a rank's rows have for other ranks goes to them, and is added there by rank.
template <class T>
void DistributedMatrix<T>::State::transpose_on_gpu(Queue& queue, const ApplyRequest<T>& request) {
  const std::int64_t own = num_rows(), outside = num_ghosts();
  const int num = request.x.num;
  const cuda::DeviceGuard guard(device);
  const auto product = [&](const SparseMatrix<T>& part, Vectors<const T> x, Vectors<T> y) {
    part.apply(queue, {.alpha = request.alpha, .x = x, .y = y, .op = request.op});
  };
  if (whole) {
    const std::int64_t all = own + outside;
    const Scratch<T> sums = queue.scratch<T>(all * num);
    product(*whole, request.x, Vectors<T>(device, sums.data(), all, num));
    cuda::add_scaled_kernel<<<cuda::row_blocks(own, num), cuda::row_threads, 0, queue.stream()>>>(
        own, arith(sums.data()), all, arith(request.beta), arith(request.y.data), request.y.stride);
    cuda::check_launch("add_scaled_kernel", queue.stream());
    pinned->add_back(queue, Vectors<const T>(device, sums.data() + own, outside, num, all), request.y);
    return;
  }
  local->apply(queue, request);
  const auto count = std::ssize(boundary_rows);
  const Scratch<T> memory = queue.scratch<T>((count + outside) * num);
  T *const rows = memory.data(), *const sums = rows + count * num;
  cuda::gather_rows_kernel<<<cuda::row_blocks(count, num), cuda::row_threads, 0, queue.stream()>>>(
      rows_on_gpu.data(), count, arith(request.x.data), request.x.stride, arith(rows));
  cuda::check_launch("gather_rows_kernel", queue.stream());
  if (outside > 0)
    product(*nonlocal, Vectors<const T>(device, rows, count, num), Vectors<T>(device, sums, outside, num));
  pinned->add_back(queue, Vectors<const T>(device, sums, outside, num), request.y);
}

#define MILLRACE_INSTANTIATE(T)                                                                  \
  template void DistributedMatrix<T>::State::make_on_gpu();                                      \
  template void DistributedMatrix<T>::State::apply_on_gpu(Queue&, const ApplyRequest<T>&, Mode); \
  template void DistributedMatrix<T>::State::transpose_on_gpu(Queue&, const ApplyRequest<T>&);
MILLRACE_INSTANTIATE(float)
MILLRACE_INSTANTIATE(double)
MILLRACE_INSTANTIATE(std::complex<float>)
MILLRACE_INSTANTIATE(std::complex<double>)
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
