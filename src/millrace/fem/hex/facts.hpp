// What the tuning of hexes asks of an element operator.
#pragma once

#include "millrace/fem/element/data.hpp"
#include "millrace/fem/hex/tuning.hpp"

namespace millrace::cuda {

/// Are factors recomputed from the maps of hexes with straight edges? prepare_hexes writes those to data.factors:
/// [num_elem / E, hex_map_size, E] with E = factor_group of the tuning.
inline bool has_hex_maps(const ElementFacts& data) {
  return data.kind == GeometricFactors::recomputed && data.map.num_nodes() == 8;
}

inline HexFacts hex_facts(const ElementFacts& data, bool uses_value, bool uses_grad) {
  const bool recomputed = data.kind == GeometricFactors::recomputed;
  return {.P = data.basis.order + 1,
          .Q = data.basis.tensor->num_points,
          .uses_value = uses_value,
          .uses_grad = uses_grad,
          .recomputed = recomputed,
          .curved = recomputed && !has_hex_maps(data),
          .num_stored = data.num_stored};
}

}  // namespace millrace::cuda
