// How strong one row's connections are: the arithmetic of strength.hpp for nodes of one row, on every device.
#pragma once

#include "millrace/precond/multigrid/matrix_view.hpp"

namespace millrace::multigrid {

/// In steps of 1/256, as far as 16 bits go; what is not zero has one at least.
MILLRACE_HD inline std::uint16_t strength_in_steps(double strength) {
  constexpr double most = 65535;
  const double steps = strength * 256 + 0.5;
  if (!(strength > 0)) return 0;
  return static_cast<std::uint16_t>(steps < 1 ? 1 : steps < most ? steps : most);
}

/// Writes the strong neighbours of a row to where the matrix has the row. Columns that come twice are two neighbours.
template <class T>
struct StrengthStep {
  MatrixView<T> a;
  const double* root;   // [num_rows]: of the share of |a_ii| that a neighbour has
  std::uint16_t theta;  // more steps than these are strong
  Offset* begin;        // as in StrengthGraph
  Index* degree;
  Index* neighbours;
  std::uint16_t* strength;

  /// The strength of an entry, in column c.
  MILLRACE_HD std::uint16_t steps_of(Offset r, Offset s, Index c) const {
    const auto value = static_cast<double>(a.value(s));
    return strength_in_steps((value < 0 ? -value : value) / (root[r] * root[c]));
  }
  /// Were all entries strong?
  MILLRACE_HD bool operator()(Offset r) const {
    const Offset start = a.begin(r), end = a.begin(r + 1);
    begin[r] = start;
    bool all = true;
    Offset to = start;
    for (Offset s = start; s < end; ++s) {
      const Index c = a.column(s);
      if (c == r) continue;
      const std::uint16_t steps = steps_of(r, s, c);
      if (steps > theta) {
        neighbours[to] = c;
        strength[to++] = steps;
      } else {
        all = false;
      }
    }
    degree[r] = static_cast<Index>(to - start);
    return all;
  }
};

}  // namespace millrace::multigrid
