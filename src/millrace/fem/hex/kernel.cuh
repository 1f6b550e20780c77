// The kernel of hexahedra: a thread has a whole element, a plane or a line of it, whichever is fastest. Compiled by
// nvcc for physics of the library, by NVRTC for others.
#pragma once

#include "millrace/fem/hex/planes.cuh"
#include "millrace/fem/hex/whole.cuh"

namespace millrace::cuda {

/// Shared memory of a thread block of apply_hexes.
template <class T, int P, int Q>
constexpr int hex_shared_bytes(bool grad) {
  constexpr int sums = whole_threads * int{sizeof(T)}, whole = whole_shared_bytes(P);
  const HexTuning tuning = hex_tuning({.P = P, .Q = Q, .uses_grad = grad});
  switch (tuning.layout) {
    case HexLayout::whole:
      return whole > sums ? whole : sums;
    case HexLayout::planes:
      return grad ? PlanesLayout<T, P, Q, true>::bytes : PlanesLayout<T, P, Q, false>::bytes;
    case HexLayout::lines:
      break;
  }
  return tuning.elements * hex_shared_size(P, Q, grad) * int{sizeof(T)};
}

// Mapping  lines: a thread block takes E elements, Q x Q threads each; planes: a warp takes 32 / Q elements, Q threads
//          each; whole elements: one thread each, and factors [num_elem / whole_threads, num_stored, Q, Q, Q,
//          whole_threads].
// Traffic  node numbers once or twice (the second time from a cache), factors once, x and y by element: neighbours
//          share cache lines.
// Shared   the values of an element at one or two of its passes; of whole elements the numbers of their nodes.
// Result   repeatable with contributions, which are added up in a fixed order; atomic sums take any order. The dot
//          product is repeatable: a fixed order in the thread block, then over the blocks.
template <class T, int P, int Q, class Physics>
__global__ void __launch_bounds__((stored_hex_tuning<P, Q, Physics>().threads),
                                  (stored_hex_tuning<P, Q, Physics>().resident))
    apply_hexes(const __grid_constant__ HexArgs<T, P, Q, Physics> args) {
  extern __shared__ __align__(16) char s_bytes[];
  T product{};
  constexpr HexLayout layout = stored_hex_tuning<P, Q, Physics>().layout;
  if constexpr (layout == HexLayout::whole)
    product = WholeHexes<T, P, Q, Physics>::make(args, s_bytes).apply();
  else if constexpr (layout == HexLayout::planes)
    product = HexPlanes<T, P, Q, Physics>::make(args, s_bytes).apply();
  else
    product = HexTeam<T, P, Q, Physics>::make(args, reinterpret_cast<T*>(s_bytes)).apply();
  if (args.block_sums) write_block_sum(args.alpha * product, reinterpret_cast<T*>(s_bytes), args.block_sums);
}

}  // namespace millrace::cuda
