// Launches the fused kernels of tets: on tensor cores in double, by plain products in float.
#pragma once

#include <optional>

#include "millrace/base/occupancy.cuh"
#include "millrace/fem/element/gpu_functions.hpp"
#include "millrace/fem/element/shared_nodes_cuda.cuh"
#include "millrace/fem/tet/plain.cuh"
#include "millrace/fem/tet/tensor.cuh"

namespace millrace::cuda {

template <int P, class Physics>
void launch_tets(Queue& queue, const TetArgs<double, Physics>& args) {
  using Team = TetTeam<P, Physics>;
  constexpr std::size_t tile_bytes = Team::table_size * sizeof(double), room = 64 * 1024;  // for three blocks or more
  const bool whole = static_cast<std::size_t>(args.num_tiles) * tile_bytes <= room;
  const std::size_t shared = tile_bytes * static_cast<std::size_t>(whole ? args.num_tiles : 2);
  const auto kernel = apply_tets_by_tensor_cores<P, Physics>;
  allow_shared(kernel, shared);
  const unsigned needed = num_blocks(args.num_elem, Team::E * Team::warps);
  const auto fit = static_cast<unsigned>(num_resident(queue.device(), kernel, Team::threads, shared));
  kernel<<<std::min(needed, fit), Team::threads, shared, queue.stream()>>>(args, whole);
  check_launch("apply_tets_by_tensor_cores", queue.stream());
}

template <class Physics>
void launch_tets(Queue& queue, const TetArgs<float, Physics>& args, int num_nodes) {
  using Team = PlainTetTeam<float, Physics>;
  const std::size_t shared = static_cast<std::size_t>(Team::shared_size(num_nodes, args.num_tiles)) * sizeof(float);
  const auto kernel = apply_tets_plainly<float, Physics>;
  allow_shared(kernel, shared);
  kernel<<<num_blocks(args.num_elem, Team::E), Team::threads, shared, queue.stream()>>>(args, num_nodes);
  check_launch("apply_tets_plainly", queue.stream());
}

/// One vector of one component.
template <class Orders, class T, class Physics>
void apply_tets(Queue& queue, const ElementData<T>& data, const Physics& physics, T alpha, const T* x, T beta, T* y) {
  const bool atomic = data.accumulation == Accumulation::atomic;
  std::optional<Scratch<T>> contributions;
  if (!atomic) contributions.emplace(queue, std::int64_t{data.num_elem} * data.num_shared);
  const FactorLayout layout =
      tet_factor_layout<T>(data.basis.num_points(), Physics::num_stored, data.nodes(), tet_comps<Physics>);
  const TetArgs<T, Physics> args{.num_elem = data.num_elem,
                                 .num_points = layout.num_points,
                                 .num_tiles = layout.num_tiles(),
                                 .offsets = data.offsets.data(),
                                 .factors = data.factors.data(),
                                 .tables = data.tables.data(),
                                 .shared_number = data.shared_number.data(),
                                 .num_shared = data.num_shared,
                                 .x = x,
                                 .y = y,
                                 .contributions = atomic ? nullptr : contributions->data(),
                                 .alpha = alpha,
                                 .beta = beta,
                                 .physics = physics};
  if (atomic) scale(queue, data.num_nodes, beta, y);
  if (data.num_elem > 0) {
    if constexpr (std::is_same_v<T, double>)
      Orders::dispatch("order of tets on a GPU", data.basis.order,
                       [&]<int order>() { launch_tets<(order + 1) * (order + 2) * (order + 3) / 6>(queue, args); });
    else
      launch_tets(queue, args, data.nodes());
  }
  sum_contributions(queue, data, static_cast<const T*>(args.contributions), alpha, x, beta, y);
}

template <class T, class Physics, class Orders>
void apply_tets_stored(Queue& queue, const ElementData<T>& data, const PointKernel<T>& kernel,
                       const ApplyRequest<T>& r) {
  const Physics physics = physics_from_bytes<Physics>(kernel.gpu_bytes());
  for (int k = 0; k < r.y.num; ++k)
    for (int c = 0; c < data.comps; ++c)
      apply_tets<Orders>(queue, data, physics, r.alpha, r.x.data + k * r.x.stride + c * data.comp_stride, r.beta,
                         r.y.data + k * r.y.stride + c * data.comp_stride);
}

}  // namespace millrace::cuda
