// TCOO: what its text asks for, and what it holds.
#include "millrace/sparse/format/tcoo.hpp"

namespace millrace {

template <class T>
Index Tcoo<T>::asked_tile_columns(const FormatSpec& spec) {
  check_parameters(spec, 1, {}, "tcoo takes the columns of a tile, as in tcoo-65536");
  if (spec.parameters.empty()) return max_tile_columns;
  require(spec.parameters[0] >= 1 && spec.parameters[0] <= max_tile_columns, "tcoo: W = ", spec.parameters[0],
          "; 1 to ", max_tile_columns, " columns per tile are accepted");
  return static_cast<Index>(spec.parameters[0]);
}

template <class T>
Footprint Tcoo<T>::footprint() const {
  const std::int64_t moved = part_ptr.bytes() + group_ptr.bytes() + rows.bytes() + cols.bytes() + vals.bytes();
  return {num_entries(), 0, moved + source.bytes() + cuts.bytes(), moved};
}

template <class T>
std::string Tcoo<T>::details() const {
  return join(num_tiles(), num_tiles() == 1 ? " tile of " : " tiles of ", tile_columns, " columns");
}

template struct Tcoo<float>;
template struct Tcoo<double>;
template struct Tcoo<std::complex<float>>;
template struct Tcoo<std::complex<double>>;

}  // namespace millrace
