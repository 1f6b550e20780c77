// Launches the fused kernel of hexahedra, and adds what elements gave to the nodes they share.
#pragma once

#include "millrace/base/dispatch.hpp"
#include "millrace/base/dot_cuda.cuh"
#include "millrace/base/occupancy.cuh"
#include "millrace/fem/hex/kernel.cuh"
#include "millrace/fem/physics/gpu_forms.hpp"

namespace millrace::cuda {

/// y = beta y, before atomic sums.
template <class T>
void scale(Queue& queue, std::int64_t n, T beta, T* y);
/// y = (sum of the contributions of each shared node) + beta y there, and alpha x + beta y at constrained nodes; contributions null:
/// alpha x + y at the constrained ones alone, for `scale` was there before. block_sums, if not null, gets what
/// constrained nodes add to <x, y>: [num_sum_blocks].
template <class T>
void sum_contributions(Queue& queue, const ElementData<T>& data, const T* contributions, T alpha, const T* x, T beta, T* y,
               T* block_sums = nullptr);
template <class T>
unsigned num_sum_blocks(const ElementData<T>& data) {
  const std::int64_t shared = data.accumulation == Accumulation::atomic ? 0 : data.shared.num_nodes();
  return num_blocks(shared + data.constrained.size(), dot_threads);
}

/// Does the kernel of hexes leave the dot product that is asked for?
template <class T>
bool fuses_dot(const ElementData<T>& data, const ApplyRequest<T>& r) {
  return data.hex.computes_dot && r.dot == DotWith::x && is_zero(r.beta) && r.y.num == 1;
}

/// The part of prepare_elements for tets: their factors, tables and surface.
template <class T>
void prepare_tets(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics);
/// One vector of one component on tets (tet/launch.cuh).
template <class T, class Physics>
void apply_tets(Queue& queue, const ElementData<T>& data, const Physics& physics, T alpha, const T* x, T beta, T* y);

/// Are factors recomputed from the maps of hexes with straight edges? prepare_elements leaves those in data.factors:
/// [num_elem, hex_map_size], at order 1 [num_elem / whole_threads, hex_map_size, whole_threads].
inline bool has_hex_maps(const ElementFacts& data) {
  return data.kind == GeometricFactors::recomputed && data.map.num_nodes() == 8;
}
/// Of order 1: a thread takes a whole element, as with stored factors.
inline bool has_whole_maps(int P, const ElementFacts& data) { return P == 2 && has_hex_maps(data); }
/// The operator on hexes whose factors are recomputed (recomputed.cuh).
template <bool curved, class T, class Physics>
void apply_recomputed(Queue& queue, const ElementData<T>& data, const Physics& physics, const ApplyRequest<T>& request);

/// Elements whose stored factors lie together.
constexpr int hex_group(int P, int Q, bool grad) {
  return hex_is_whole(P, Q, grad)    ? whole_threads
         : hex_in_planes(P, Q, grad) ? planes_per_warp(Q)
                                     : hex_elements(P, Q, grad);
}
/// Elements that may join: those of a warp; lines do not (a barrier more, and slower on an H200).
constexpr int hex_join_group(int P, int Q, bool grad) {
  return hex_is_whole(P, Q, grad) ? 32 : hex_in_planes(P, Q, grad) ? planes_per_warp(Q) : 1;
}

/// One vector of one component: launch(args, blocks) in the middle of what all kernels of hexes need. block_sums: null,
/// or parts of <x, y> of so many thread blocks, then of sum_contributions.
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
/// grad: does the physics use gradients?
template <class T, class Physics, class Launch>
void apply_hex_request(Queue& queue, const ElementData<T>& data, const Physics& physics, bool grad,
                       const ApplyRequest<T>& r, Launch&& launch) {
  const auto apply = [&]<int P, int Q>() {
    const bool stored = data.kind == GeometricFactors::stored;
    const bool as_stored = stored || has_whole_maps(P, data);
    const int elements = as_stored ? HexLaunch<T, P, Q>::of(grad).elements : hex_recomputed_elements(P, Q, grad);
    const unsigned blocks = num_blocks(data.num_elem, elements), sums = blocks + num_sum_blocks(data);  // a component
    std::optional<Scratch<T>> block_sums;
    if (fuses_dot(data, r)) block_sums.emplace(queue, std::int64_t{sums} * data.comps);
    for (int k = 0; k < r.y.num; ++k)
      for (int c = 0; c < data.comps; ++c)
        apply_hex_elements<P, Q>(queue, data, physics, r.alpha, r.x.data + k * r.x.stride + c * data.comp_stride,
                                 r.beta, r.y.data + k * r.y.stride + c * data.comp_stride,
                                 block_sums ? block_sums->data() + std::int64_t{c} * sums : nullptr, blocks, launch);
    if (block_sums) add_block_sums(queue, sums * static_cast<unsigned>(data.comps), block_sums->data(), r.dot_result);
  };
  dispatch<1, 2, 3, 4, 5, 6, 7, 8>("order of elements on a GPU", data.basis.order, [&]<int order>() {
    if (data.basis.tensor->on_nodes)
      apply.template operator()<order + 1, order + 1>();
    else
      apply.template operator()<order + 1, order + 2>();
  });
}

template <class T, class Physics>
void apply_elements(Queue& queue, const ElementData<T>& data, const PointKernel<T>& kernel, const ApplyRequest<T>& r) {
  if (data.basis.simplex) {
    for (int k = 0; k < r.y.num; ++k)
      for (int c = 0; c < data.comps; ++c)
        apply_tets(queue, data, Physics{}, r.alpha, r.x.data + k * r.x.stride + c * data.comp_stride, r.beta,
                   r.y.data + k * r.y.stride + c * data.comp_stride);
  } else if (data.kind == GeometricFactors::recomputed) {
    Physics physics;
    std::memcpy(static_cast<void*>(&physics), kernel.physics.data(), sizeof(Physics));
    if (has_hex_maps(data))
      apply_recomputed<false>(queue, data, physics, r);
    else
      apply_recomputed<true>(queue, data, physics, r);
  } else {
    const auto launch = [&]<int P, int Q>(const HexArgs<T, P, Q, Physics>& args, unsigned blocks) {
      constexpr auto how = HexLaunch<T, P, Q>::of(Physics::uses_grad);
      static_assert(how.shared_bytes <= 48 * 1024);
      apply_hexes<<<blocks, how.threads, how.shared_bytes, queue.stream()>>>(args);
      check_launch("apply_hexes", queue.stream());
    };
    apply_hex_request(queue, data, Physics{}, Physics::uses_grad, r, launch);
  }
}

}  // namespace millrace::cuda
