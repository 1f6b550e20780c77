// The kernel of hexahedra from order 2 on: planes or lines, whichever is faster. Compiled by nvcc for physics of the
// library, by NVRTC for others.
#pragma once

#include "millrace/fem/hex_planes_cuda.cuh"

namespace millrace::cuda {

/// How apply_hexes is launched.
template <class T, int P, int Q>
struct HexLaunch {
  int threads, elements, shared_bytes;  // of a thread block

  static constexpr HexLaunch of(bool grad) {
    if (!hex_in_planes(P, Q, grad)) {
      const int E = hex_elements(P, Q, grad);
      return {hex_block(P, Q, grad), E, E * hex_shared_size(P, Q, grad) * int{sizeof(T)}};
    }
    return {32 * planes_warps(grad), planes_warps(grad) * planes_a_warp(Q),
            grad ? PlanesLayout<T, P, Q, true>::bytes : PlanesLayout<T, P, Q, false>::bytes};
  }
};

/// Thread blocks wanted on a multiprocessor, which bounds the registers of a thread.
template <class T, int P, int Q, class Physics>
constexpr int hex_resident() {
  if (!hex_in_planes(P, Q, Physics::uses_grad)) return HexTeam<T, P, Q, Physics>::resident;
  return Physics::uses_grad ? (Physics::uses_value ? 4 : 6) : P == 3 ? 6 : P == 4 ? 5 : P == 5 ? 4 : 3;
}

// Mapping  lines: a thread block takes E elements, Q x Q threads each; planes: a warp takes 32 / Q elements, Q threads
//          each.
// Traffic  node numbers twice (the second time from a cache), factors once, x and y by element: neighbours share lines.
// Shared   the values of an element at one or two of its passes.
// Result   repeatable with slots, which sum_slots adds in a fixed order; without, atomic sums take any order. The dot
//          product is repeatable: a fixed order in the thread block, then over the blocks.
template <class T, int P, int Q, class Physics>
__global__ void __launch_bounds__((HexLaunch<T, P, Q>::of(Physics::uses_grad).threads),
                                  (hex_resident<T, P, Q, Physics>()))
    apply_hexes(const __grid_constant__ HexArgs<T, P, Q, Physics> args) {
  extern __shared__ __align__(16) char s_bytes[];
  T product{};
  if constexpr (hex_in_planes(P, Q, Physics::uses_grad))
    product = HexPlanes<T, P, Q, Physics>::of(args, s_bytes).apply();
  else
    product = HexTeam<T, P, Q, Physics>::of(args, reinterpret_cast<T*>(s_bytes)).apply();
  if (args.block_sums) leave_block_sum(args.alpha * product, reinterpret_cast<T*>(s_bytes), args.block_sums);
}

}  // namespace millrace::cuda
