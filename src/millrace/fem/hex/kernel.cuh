// The kernel of hexahedra: a thread has a whole element, a plane or a line of it, whichever is fastest. Compiled by
// nvcc for physics of the library, by NVRTC for others.
#pragma once

#include "millrace/fem/hex/planes.cuh"
#include "millrace/fem/hex/whole.cuh"

namespace millrace::cuda {

/// How apply_hexes is launched.
template <class T, int P, int Q>
struct HexLaunch {
  int threads, elements, shared_bytes;  // of a thread block

  static constexpr HexLaunch of(bool grad) {
    constexpr int sums = whole_threads * int{sizeof(T)}, whole = whole_shared_bytes(P);
    if (hex_is_whole(P, Q, grad)) return {whole_threads, whole_threads, whole > sums ? whole : sums};
    if (!hex_in_planes(P, Q, grad)) {
      const int E = hex_elements(P, Q, grad);
      return {hex_block(P, Q, grad), E, E * hex_shared_size(P, Q, grad) * int{sizeof(T)}};
    }
    return {32 * planes_warps(grad), planes_warps(grad) * planes_per_warp(Q),
            grad ? PlanesLayout<T, P, Q, true>::bytes : PlanesLayout<T, P, Q, false>::bytes};
  }
};

/// Thread blocks wanted on a multiprocessor, which bounds the registers of a thread.
template <class T, int P, int Q, class Physics>
constexpr int hex_resident() {
  if (hex_is_whole(P, Q, Physics::uses_grad))
    return P == 3 ? 3 : !Physics::uses_grad ? 6 : Q == 2 && !Physics::uses_value ? 5 : 4;
  if (!hex_in_planes(P, Q, Physics::uses_grad)) return HexTeam<T, P, Q, Physics>::resident;
  return Physics::uses_grad ? (Physics::uses_value ? 4 : 6) : P == 4 ? 5 : P == 5 ? 4 : 3;
}

// Mapping  lines: a thread block takes E elements, Q x Q threads each; planes: a warp takes 32 / Q elements, Q threads
//          each; whole elements: one thread each, and factors [num_elem / whole_threads, num_stored, Q, Q, Q,
//          whole_threads].
// Traffic  node numbers once or twice (the second time from a cache), factors once, x and y by element: neighbours
//          share cache lines.
// Shared   the values of an element at one or two of its passes; of whole elements the numbers of their nodes.
// Result   repeatable with contributions, which sum_slots adds in a fixed order; without, atomic sums take any order. The dot
//          product is repeatable: a fixed order in the thread block, then over the blocks.
template <class T, int P, int Q, class Physics>
__global__ void __launch_bounds__((HexLaunch<T, P, Q>::of(Physics::uses_grad).threads),
                                  (hex_resident<T, P, Q, Physics>()))
    apply_hexes(const __grid_constant__ HexArgs<T, P, Q, Physics> args) {
  extern __shared__ __align__(16) char s_bytes[];
  T product{};
  if constexpr (hex_is_whole(P, Q, Physics::uses_grad))
    product = WholeHexes<T, P, Q, Physics>::of(args, s_bytes).apply();
  else if constexpr (hex_in_planes(P, Q, Physics::uses_grad))
    product = HexPlanes<T, P, Q, Physics>::of(args, s_bytes).apply();
  else
    product = HexTeam<T, P, Q, Physics>::of(args, reinterpret_cast<T*>(s_bytes)).apply();
  if (args.block_sums) leave_block_sum(args.alpha * product, reinterpret_cast<T*>(s_bytes), args.block_sums);
}

}  // namespace millrace::cuda
