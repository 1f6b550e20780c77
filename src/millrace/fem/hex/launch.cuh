// Launches the fused kernel of hexes, and adds up what elements contribute to the nodes they share.
#pragma once

#include <optional>

#include "millrace/fem/element/gpu_functions.hpp"
#include "millrace/fem/element/shared_nodes_cuda.cuh"
#include "millrace/fem/hex/facts.hpp"
#include "millrace/fem/hex/kernel.cuh"

namespace millrace::cuda {

/// Does the kernel of hexes compute the dot product that is asked for?
template <class T>
bool fuses_dot(const ElementData<T>& data, const ApplyRequest<T>& r) {
  return data.hex.computes_dot && r.dot == DotWith::x && is_zero(r.beta) && r.y.num == 1;
}

/// One vector of one component: launch(args, blocks) in the middle of what all kernels of hexes need. block_sums: null,
/// or parts of <x, y>, first of the `blocks` thread blocks, then of sum_contributions.
template <int P, int Q, class T, class Physics, class Launch>
void apply_hex_elements(Queue& queue, const ElementData<T>& data, const Physics& physics, T alpha, const T* x, T beta,
                        T* y, T* block_sums, unsigned blocks, Launch&& launch) {
  const TensorBasis& tables = *data.basis.tensor;
  const bool atomic = data.accumulation == Accumulation::atomic;
  std::optional<Scratch<T>> contributions;
  if (!atomic) contributions.emplace(queue, num_hex_contributions(P, data.num_elem));
  HexArgs<T, P, Q, Physics> args{.num_elem = data.num_elem,
                                 .offsets = data.offsets.data(),
                                 .entities = data.hex.entities.empty() ? nullptr : data.hex.entities.data(),
                                 .factors = data.factors.data(),
                                 .x = x,
                                 .y = y,
                                 .contributions = atomic ? nullptr : contributions->data(),
                                 .block_sums = block_sums,
                                 .alpha = alpha,
                                 .beta = atomic && data.hex.first_inner == data.num_nodes ? T{1} : beta,
                                 .merges = data.hex.merges.empty() ? nullptr : data.hex.merges.data(),
                                 .face_beta = !atomic || is_zero(beta) ? beta : T{1},
                                 .physics = physics,
                                 .interp = LineTable<T, Q, P, 1>::from(tables.interp.data()),
                                 .derive = LineTable<T, Q, Q, -1>::from(tables.collocated.data())};
  if (atomic) scale(queue, data.hex.first_inner, beta, y);  // nodes inside elements are written, not added to
  launch(args, blocks);
  sum_contributions(queue, data, static_cast<const T*>(args.contributions), alpha, x, beta, y,
                    block_sums ? block_sums + blocks : nullptr);
}

/// All vectors and components of a request on hexes; with <x, y> beside one vector, if that is asked for and beta is 0.
template <class Orders, class T, class Physics, class Launch>
void apply_hex_request(Queue& queue, const ElementData<T>& data, const PointKernel<T>& kernel, const Physics& physics,
                       const ApplyRequest<T>& r, Launch&& launch) {
  const int elements = hex_tuning(hex_facts(data, kernel.uses_value, kernel.uses_grad)).elements;
  const unsigned blocks = num_blocks(data.num_elem, elements), sums = blocks + num_sum_blocks(data);  // per component
  std::optional<Scratch<T>> block_sums;
  if (fuses_dot(data, r)) block_sums.emplace(queue, std::int64_t{sums} * data.comps);
  const auto apply = [&]<int P, int Q>() {
    for (int k = 0; k < r.y.num; ++k)
      for (int c = 0; c < data.comps; ++c)
        apply_hex_elements<P, Q>(queue, data, physics, r.alpha, r.x.data + k * r.x.stride + c * data.comp_stride,
                                 r.beta, r.y.data + k * r.y.stride + c * data.comp_stride,
                                 block_sums ? block_sums->data() + std::int64_t{c} * sums : nullptr, blocks, launch);
  };
  Orders::dispatch("order of hexes on a GPU", data.basis.order, [&]<int order>() {
    if (data.basis.tensor->on_nodes)
      apply.template operator()<order + 1, order + 1>();
    else
      apply.template operator()<order + 1, order + 2>();
  });
  if (block_sums) add_block_sums(queue, sums * static_cast<unsigned>(data.comps), block_sums->data(), r.dot_result);
}

template <class T, class Physics, class Orders>
void apply_hexes_stored(Queue& queue, const ElementData<T>& data, const PointKernel<T>& kernel,
                        const ApplyRequest<T>& r) {
  const auto launch = [&]<int P, int Q>(const HexArgs<T, P, Q, Physics>& args, unsigned blocks) {
    constexpr int threads = stored_hex_tuning<P, Q, Physics>().threads;
    constexpr int shared_bytes = hex_shared_bytes<T, P, Q>(Physics::uses_grad);
    static_assert(shared_bytes <= 48 * 1024);
    apply_hexes<<<blocks, threads, shared_bytes, queue.stream()>>>(args);
    check_launch("apply_hexes", queue.stream());
  };
  apply_hex_request<Orders>(queue, data, kernel, physics_from_bytes<Physics>(kernel.gpu_bytes()), r, launch);
}

}  // namespace millrace::cuda
