// Electrons and lattice modes of a ring of sites: what the Holstein-Hubbard matrix is made of.
#pragma once

#include <cstdint>
#include <vector>

#include "millrace/base/scalar.hpp"

namespace millrace::gallery {

/// cos(2 pi k / n) and sin(2 pi k / n), to an ulp or two, from exactly rounded operations only.
double cos_of_turn(std::int64_t k, std::int64_t n);
double sin_of_turn(std::int64_t k, std::int64_t n);

/// The real orthonormal modes of a ring other than the uniform one: for k = 1, 2, ... a cosine and a sine,
/// and for an even number of sites the alternating one last. [num_sites - 1, num_sites]
std::vector<std::vector<double>> ring_modes(int num_sites);

/// Electrons of one spin on the ring.
struct SpinSector {
  struct Hop {
    Index state;
    double sign;
  };
  std::vector<std::uint32_t> states;   // occupied sites as bits, ascending
  std::vector<std::vector<Hop>> hops;  // [num_states], states one hop away, ascending, with the fermion sign
};

/// Two neighbouring sites have one bond: a ring of two sites has a single one. Operators act on sites in
/// ascending order, so the hop around the end gets the sign of passing all other electrons.
SpinSector make_spin_sector(int num_sites, int num_electrons);

/// n over k; exact while it is below 2^53, and never an overflow.
double binomial(int n, int k);

/// All ways to put at most max_quanta quanta into the modes, the last mode counting fastest.
struct PhononBasis {
  int num_modes = 0, max_quanta = 0;
  Index num_states = 0;
  std::vector<std::uint8_t> quanta;  // [num_states, num_modes]
  std::vector<std::uint8_t> total;   // [num_states]
  std::vector<Index> fewer, more;    // [num_states, num_modes], the state with one quantum less or more, or -1
};
PhononBasis make_phonon_basis(int num_modes, int max_quanta);

}  // namespace millrace::gallery
