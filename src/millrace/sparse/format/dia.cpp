// DIA: what its text asks for, and what it holds.
#include "millrace/sparse/format/dia.hpp"

#include <algorithm>

namespace millrace {
namespace {

// How many positions of these diagonals lie inside the matrix.
Offset inside(Index num_rows, Index num_cols, std::span<const Index> offsets) {
  Offset count = 0;
  for (const Offset offset : offsets)
    count += std::min<Offset>(num_rows, num_cols - offset) - std::max<Offset>(0, -offset);
  return count;
}

}  // namespace

template <class T>
Index Dia<T>::asked_tile(const FormatSpec& spec) {
  check_parameters(spec, 1, {}, "dia takes the rows of a tile, as in dia-8");
  if (spec.parameters.empty()) return Dia{}.tile;
  require(spec.parameters[0] >= 1 && spec.parameters[0] <= max_tile, "dia: C = ", spec.parameters[0], "; 1 to ",
          max_tile, " rows per tile are accepted");
  return static_cast<Index>(spec.parameters[0]);
}

template <class T>
Footprint Dia<T>::footprint() const {
  return {entries, vals.size() - entries, offsets.bytes() + vals.bytes() + real.bytes(),
          offsets.bytes() + entries * static_cast<std::int64_t>(sizeof(T))};
}

template <class T>
std::string Dia<T>::details() const {
  const Offset possible = inside(num_rows, num_cols, offsets.to_vector());
  if (possible == 0) return "no diagonals";
  return join(num_diags(), num_diags() == 1 ? " diagonal, " : " diagonals, ", 100 * entries / possible, " % full");
}

template struct Dia<float>;
template struct Dia<double>;
template struct Dia<std::complex<float>>;
template struct Dia<std::complex<double>>;

}  // namespace millrace
