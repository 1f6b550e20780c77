// Launches the fused kernel of hexahedra, and adds what elements gave to the nodes they share.
#pragma once

#include "millrace/base/dispatch.hpp"
#include "millrace/base/occupancy.cuh"
#include "millrace/fem/element_cuda.hpp"
#include "millrace/fem/hex_cuda.cuh"

namespace millrace::cuda {

/// y = beta y, before atomic sums.
template <class T>
void scale(Queue& queue, std::int64_t n, T beta, T* y);
/// y = alpha (sum of the slots of each shared node) + beta y there, and alpha x + beta y at constrained nodes; slots
/// null: alpha x + y at the constrained ones alone, for `scale` was there before.
template <class T>
void add_slots(Queue& queue, const ElementData<T>& data, const T* slots, T alpha, const T* x, T beta, T* y);

/// The part of prepare_elements for tets: their factors, tables and surface.
template <class T>
void prepare_tets(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics);
/// One vector of one component on tets (tet_cuda.cuh).
template <class T, class Physics>
void apply_tets(Queue& queue, const ElementData<T>& data, const Physics& physics, T alpha, const T* x, T beta, T* y);

/// The operator on hexes whose factors are recomputed (hex_recomputed_cuda.cuh).
template <class T, class Physics>
void apply_recomputed(Queue& queue, const ElementData<T>& data, const Physics& physics, const Apply<T>& request);

/// One vector of one component: launch(args) in the middle of what all kernels of hexes need.
template <int P, int Q, class T, class Physics, class Launch>
void apply_hex_elements(Queue& queue, const ElementData<T>& data, const Physics& physics, T alpha, const T* x, T beta,
                        T* y, Launch&& launch) {
  const TensorBasis& tables = *data.basis.tensor;
  const bool atomic = data.sum == Sum::atomic;
  std::optional<Scratch<T>> slots;
  if (!atomic) slots.emplace(queue, std::int64_t{data.num_elem} * num_surface(P));
  HexArgs<T, P, Q, Physics> args{.num_elem = data.num_elem,
                                 .offsets = data.offsets.data(),
                                 .factors = data.factors.data(),
                                 .x = x,
                                 .y = y,
                                 .slots = atomic ? nullptr : slots->data(),
                                 .alpha = alpha,
                                 .beta = beta,
                                 .physics = physics,
                                 .interp = LineTable<T, Q, P, 1>::from(tables.interp.data()),
                                 .derive = LineTable<T, Q, Q, -1>::from(tables.collocated.data())};
  if (atomic) scale(queue, data.num_nodes, beta, y);
  launch(args);
  add_slots(queue, data, static_cast<const T*>(args.slots), alpha, x, beta, y);
}

/// All vectors and components of a request on hexes.
template <class T, class Physics, class Launch>
void apply_hex_request(Queue& queue, const ElementData<T>& data, const Physics& physics, const Apply<T>& r,
                       Launch&& launch) {
  const bool on_nodes = data.basis.tensor->on_nodes;
  dispatch<1, 2, 3, 4, 5, 6, 7, 8>("order of elements on a GPU", data.basis.order, [&]<int order>() {
    for (int k = 0; k < r.y.num; ++k)
      for (int c = 0; c < data.comps; ++c) {
        const T* x = r.x.data + k * r.x.stride + c * data.comp_stride;
        T* y = r.y.data + k * r.y.stride + c * data.comp_stride;
        if (on_nodes)
          apply_hex_elements<order + 1, order + 1>(queue, data, physics, r.alpha, x, r.beta, y, launch);
        else
          apply_hex_elements<order + 1, order + 2>(queue, data, physics, r.alpha, x, r.beta, y, launch);
      }
  });
}

template <class T, class Physics>
void apply_elements(Queue& queue, const ElementData<T>& data, const PointKernel<T>& kernel, const Apply<T>& r) {
  if (data.basis.simplex) {
    for (int k = 0; k < r.y.num; ++k)
      for (int c = 0; c < data.comps; ++c)
        apply_tets(queue, data, Physics{}, r.alpha, r.x.data + k * r.x.stride + c * data.comp_stride, r.beta,
                   r.y.data + k * r.y.stride + c * data.comp_stride);
  } else if (data.kind == Factors::recomputed) {
    Physics physics;
    std::memcpy(static_cast<void*>(&physics), kernel.physics.data(), sizeof(Physics));
    apply_recomputed(queue, data, physics, r);
  } else {
    apply_hex_request(queue, data, Physics{}, r, [&]<int P, int Q>(const HexArgs<T, P, Q, Physics>& args) {
      using Team = HexTeam<T, P, Q, Physics>;
      constexpr std::size_t shared = std::size_t{Team::E} * Team::shared_size * sizeof(T);
      static_assert(shared <= 48 * 1024);
      apply_hexes<<<num_blocks(data.num_elem, Team::E), Team::threads, shared, queue.stream()>>>(args);
      check_launch("apply_hexes", queue.stream());
    });
  }
}

}  // namespace millrace::cuda
