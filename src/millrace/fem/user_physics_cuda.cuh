// For who compiles a physics of one's own with nvcc: the function that takes it to a GPU, between actions through
// memory.
#pragma once

#include <cstring>

#include "millrace/base/cuda.cuh"
#include "millrace/fem/physics/point_cuda.cuh"

namespace millrace::cuda {

/// As basis_actions_cuda.hpp says.
template <class T, class Physics>
void apply_at_points(Queue& queue, const Physics& physics, std::int64_t num_elem, int comps, int num_points,
                     const T* stored, T* value, T* grad) {
  const std::int64_t size = num_elem * (comps / Physics::comps) * num_points;
  if (size == 0) return;
  const DeviceGuard guard(queue.device());
  apply_physics_at_points<<<num_blocks(size, point_threads), point_threads, 0, queue.stream()>>>(
      physics, size, comps / Physics::comps, num_points, stored, value, grad);
  check_launch("apply_physics_at_points", queue.stream());
}

/// PointKernel::apply_points_on_gpu of a physics.
template <class T, class Physics>
void apply_own_points(Queue& queue, const void* bytes, std::int64_t num_elem, int num_points, const T* stored, T* value,
                      T* grad) {
  Physics physics;
  std::memcpy(static_cast<void*>(&physics), bytes, sizeof(Physics));
  apply_at_points(queue, physics, num_elem, Physics::comps, num_points, stored, value, grad);
}

}  // namespace millrace::cuda
