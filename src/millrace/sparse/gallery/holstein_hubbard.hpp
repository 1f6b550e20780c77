// The Holstein-Hubbard model: electrons that hop on a ring of sites, repel each other on a site, and shake the
// lattice. With 6 sites, 3 + 3 electrons and 15 quanta it is the matrix HMEp of the pJDS paper (Kreutzer 2012).
#pragma once

#include "millrace/sparse/gallery.hpp"

namespace millrace::gallery {

/// H = -t sum (c+_i c_j + h.c.) + U sum n_up n_down - g w sum_m (b+_m + b_m) sum_j V_mj n_j + w sum_m b+_m b_m,
/// with V the orthonormal modes of the ring without the uniform one, which only shifts the energy. Real symmetric.
/// Row number: (up state, down state, phonon state), the last fastest. The diagonal is always stored.
/// Parameters: sites, up, down, quanta, U, t, g, omega, keep_zero_couplings, seed (without effect).
Csr<double> make_holstein_hubbard(const Values& values, const Progress& progress);

}  // namespace millrace::gallery
