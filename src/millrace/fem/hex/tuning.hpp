// How the fused kernels of hexes are laid out and launched: every tuned number of theirs is here, and everybody else
// asks hex_tuning. NVRTC reads this file, too.
//
// All were chosen on one card, an NVIDIA H200; on others they are right, but may not be the fastest. Its times are in
//   [S] benchmarks/records/h200-bp.json             mass and diffusion with stored factors (BP1, BP3, BP5)
//   [R] benchmarks/records/h200-bp-recomputed.json  diffusion with recomputed factors (BP3)
// [spill]: without a record, chosen so that ptxas for sm_90 spills nothing.
#pragma once

#include "millrace/base/build.hpp"

namespace millrace::cuda {

/// What a thread has of an element: all of it, a plane of its nodes and points, or a line (whole.cuh, planes.cuh,
/// lines.cuh).
enum class HexLayout { whole, planes, lines };

/// What the choice depends on: P nodes and Q points per direction, and what the physics uses.
struct HexFacts {
  int P = 2, Q = 2;
  bool uses_value = true, uses_grad = false;
  bool recomputed = false, curved = false;  // factors are recomputed; and the elements are curved
  int num_stored = 1;                       // factors per point, where they are stored

  MILLRACE_HD constexpr bool on_nodes() const { return P == Q; }
  // More to keep in registers: value and gradient; and more factors than a built-in physics with a fused kernel has.
  MILLRACE_HD constexpr bool both() const { return uses_value && uses_grad; }
  MILLRACE_HD constexpr bool many_stored() const { return !recomputed && num_stored > 7; }
};

struct HexTuning {
  HexLayout layout = HexLayout::lines;
  int threads = 0;           // per thread block
  int elements = 0;          // per thread block
  int resident = 0;          // thread blocks per multiprocessor: bounds the registers of a thread
  int factor_group = 0;      // elements whose factors, or maps, lie together
  int merge_group = 1;       // elements in a row of which neighbours add up what they share before it is written
  bool prefetch = false;     // factors are asked for while the nodes are on their way
  int kept_tables = 0;       // tables of one direction in registers: 0 none, 1 the derivatives, 2 all
  bool keeps_nodes = false;  // numbers of nodes stay in registers from gather to scatter
};

inline constexpr int whole_threads = 128;  // per thread block of whole elements, and elements
/// Elements beside each other in a warp: planes take Q threads each; lines Q x Q, where at least two elements fit.
MILLRACE_HD constexpr int hex_planes_per_warp(int Q) { return 32 / Q; }
MILLRACE_HD constexpr bool hex_lines_in_warp(int Q) { return Q <= 4; }
MILLRACE_HD constexpr int hex_lines_per_warp(int Q) { return 32 / (Q * Q); }

/// One thread per element: order 1, and order 2 unless gradients are wanted at more points than there are nodes. Planes
/// where there is little to keep at a point: mass of order 3 to 5, diffusion of order 3 with points on the nodes. [S];
/// recomputed, straight edges of order 1 take one thread per element, all others lines. [R]
MILLRACE_HD constexpr HexLayout hex_layout(const HexFacts& f) {
  if (f.recomputed) return f.P == 2 && !f.curved ? HexLayout::whole : HexLayout::lines;
  if (f.P == 2 || (f.P == 3 && (f.on_nodes() || !f.uses_grad))) return HexLayout::whole;
  const bool planes = f.uses_grad ? f.P == 4 && f.Q == 4 : f.Q == f.P + 1 && f.P >= 4 && f.P <= 6;
  return planes ? HexLayout::planes : HexLayout::lines;
}

/// [S], [R]; with value and gradient, or many factors, [spill].
MILLRACE_HD constexpr int whole_resident(const HexFacts& f) {
  if (f.recomputed) return f.both() ? 2 : 3;
  if (f.P == 3) return f.many_stored() ? 2 : 3;
  if (f.many_stored()) return 3;
  if (!f.uses_grad) return 6;
  return f.Q == 2 && !f.uses_value ? 5 : 4;
}
MILLRACE_HD constexpr HexTuning whole_tuning(const HexFacts& f) {
  return {.layout = HexLayout::whole,
          .threads = whole_threads,
          .elements = whole_threads,
          .resident = whole_resident(f),
          .factor_group = whole_threads,
          .merge_group = 32};
}

/// [S]; with value and gradient, or many factors, [spill].
MILLRACE_HD constexpr int planes_resident(const HexFacts& f) {
  if (f.uses_grad) return f.uses_value || f.many_stored() ? 4 : 6;
  return f.P == 4 ? 5 : f.P == 5 ? 4 : 3;
}
MILLRACE_HD constexpr HexTuning planes_tuning(const HexFacts& f) {
  const int warps = f.uses_grad ? 2 : 4, per_warp = hex_planes_per_warp(f.Q);  // [S]
  return {.layout = HexLayout::planes,
          .threads = 32 * warps,
          .elements = warps * per_warp,
          .resident = planes_resident(f),
          .factor_group = per_warp,
          .merge_group = per_warp};
}

/// Elements per thread block in lines: few idle threads, and what was fastest. [S]; with recomputed factors idle
/// threads cost more, for arithmetic is the limit. [R]
MILLRACE_HD constexpr int lines_elements(const HexFacts& f) {
  constexpr int by_points[] = {0, 0, 32, 12, 8, 5, 4, 3, 1, 3, 2}, with_grad[] = {0, 0, 32, 12, 8, 5, 3, 3, 1, 1, 2};
  if (f.recomputed && f.P == 5 && f.Q == 6 && f.uses_grad) return 7;
  if (f.on_nodes()) return f.Q == 6 ? 4 : f.Q == 7 ? 2 : with_grad[f.Q];
  return f.uses_grad ? with_grad[f.Q] : by_points[f.Q];
}
/// Threads wanted per multiprocessor, so that each has enough registers. [S], [R]; with value and gradient, many
/// factors, and curved, [spill].
MILLRACE_HD constexpr int lines_threads_wanted(const HexFacts& f) {
  if (f.recomputed) {
    if (f.curved) return f.both() ? 384 : 512;
    if (f.both()) return f.Q <= 5 ? 640 : 512;
    return f.Q <= 7 ? 768 : f.Q == 8 ? 640 : 512;
  }
  if (f.both() || f.many_stored()) return 400;
  if (f.on_nodes()) return f.Q == 9 ? 850 : f.Q == 6 || f.Q == 7 ? 900 : 1024;
  return f.Q == 10 ? 512 : f.Q == 9 ? 700 : f.Q <= 5 ? 1024 : 768;
}
/// To prefetch pays where much is read and little computed before (order 3 to 5 with points on the nodes: 5 to 15 %),
/// and costs elsewhere. [S] Tables in registers where few points leave room beside the rest: a tenth of the
/// instructions less. [R] Lines do not merge: one more barrier, and slower. [S]
MILLRACE_HD constexpr HexTuning lines_tuning(const HexFacts& f) {
  const int Q = f.Q, elements = lines_elements(f);
  const int threads = hex_lines_in_warp(Q) ? elements / hex_lines_per_warp(Q) * 32 : elements * Q * Q;
  const int counted = f.recomputed ? (threads + 31) / 32 * 32 : threads;
  const int tables = Q <= 5 ? 2 : Q == 6 ? 1 : 0;
  return {.layout = HexLayout::lines,
          .threads = threads,
          .elements = elements,
          .resident = lines_threads_wanted(f) / counted,
          .factor_group = f.recomputed ? 1 : elements,
          .prefetch = !f.recomputed && f.uses_grad && f.on_nodes() && Q >= 4 && Q <= 6,
          .kept_tables = f.recomputed ? tables : 0,
          .keeps_nodes = !f.recomputed && !f.uses_grad && f.P <= 5};
}

MILLRACE_HD constexpr HexTuning hex_tuning(const HexFacts& f) {
  switch (hex_layout(f)) {
    case HexLayout::whole:
      return whole_tuning(f);
    case HexLayout::planes:
      return planes_tuning(f);
    case HexLayout::lines:
      break;
  }
  return lines_tuning(f);
}

/// Of a physics.
template <int P, int Q, class Physics>
MILLRACE_HD constexpr HexTuning stored_hex_tuning() {
  return hex_tuning({.P = P,
                     .Q = Q,
                     .uses_value = Physics::uses_value,
                     .uses_grad = Physics::uses_grad,
                     .num_stored = Physics::num_stored});
}
template <int P, int Q, class Physics, bool curved>
MILLRACE_HD constexpr HexTuning recomputed_hex_tuning() {
  return hex_tuning({.P = P,
                     .Q = Q,
                     .uses_value = Physics::uses_value,
                     .uses_grad = Physics::uses_grad,
                     .recomputed = true,
                     .curved = curved});
}

}  // namespace millrace::cuda
