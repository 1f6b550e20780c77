// Launches a physics at all points of all elements: for the unfused operator, and for the fields that it keeps there.
#pragma once

#include "millrace/base/cuda.cuh"
#include "millrace/fem/element/gpu_functions.hpp"
#include "millrace/fem/physics/point_cuda.cuh"

namespace millrace::cuda {

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

/// GpuFunctions::set_fields.
template <class T, class Physics>
void set_fields_of(Queue& queue, const void* bytes, std::int64_t num_elem, int num_points, int first, int num,
                   const T* value, const T* grad, T* stored) {
  const std::int64_t size = num_elem * num_points;
  if (size == 0) return;
  const DeviceGuard guard(queue.device());
  set_fields_at_points<<<num_blocks(size, point_threads), point_threads, 0, queue.stream()>>>(
      physics_from_bytes<Physics>(bytes), size, num_points, first, num, value, grad, stored);
  check_launch("set_fields_at_points", queue.stream());
}

}  // namespace millrace::cuda
