// How many thread blocks of a reduction run, as multiples of the multiprocessors of one card. Fixed on purpose:
// the tree of a sum, and so its bits, must not depend on the device. On cards with more or fewer multiprocessors the
// results are the same and the speed is near its best.
#pragma once

namespace millrace::cuda {

/// Of an H200 (and of an H100 with NVLink), for which benchmarks/records/h200-*.json chose the numbers below.
inline constexpr int reference_multiprocessors = 132;

/// Thread blocks of dot products: all resident, 8 per multiprocessor.
inline constexpr int dot_blocks = 8 * reference_multiprocessors;
/// Of a solver's sweep with sums: resident, and few, for each waits for its writes before it hands its sums on.
inline constexpr int sweep_blocks_with_sums = 4 * reference_multiprocessors;
/// Of products with a Krylov basis: one per multiprocessor.
inline constexpr int krylov_blocks = reference_multiprocessors;

}  // namespace millrace::cuda
