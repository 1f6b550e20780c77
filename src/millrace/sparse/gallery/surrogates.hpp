// Stand-ins for the matrices of two papers on sparse formats, which are not public or not at hand: the same
// number of rows, the same row lengths, a like pattern, at any scale. What each one meets is in docs/gallery.md.
#pragma once

#include "millrace/sparse/gallery.hpp"

namespace millrace::gallery {

// All take the parameters scale (1: the size of the original) and seed.

/// Oberhuber, Suzuki, Vacata 2010 (row-grouped CSR): Hohn/fd18, AMD/G2_circuit, IBM_EDA/trans4, Rajat/Raj1.
Csr<double> make_like_fd18(const Values& values, const Progress& progress);
Csr<double> make_like_g2(const Values& values, const Progress& progress);
Csr<double> make_like_trans4(const Values& values, const Progress& progress);
Csr<double> make_like_raj1(const Values& values, const Progress& progress);

/// Kreutzer et al. 2012 (padded jagged diagonals): sAMG, DLR1, DLR2, UHBR.
Csr<double> make_samg(const Values& values, const Progress& progress);
Csr<double> make_dlr1(const Values& values, const Progress& progress);
Csr<double> make_dlr2(const Values& values, const Progress& progress);
Csr<double> make_uhbr(const Values& values, const Progress& progress);

/// The number of points at the scale of the request; refuses fewer than at_least and more than there can be.
Index scaled_points(const Values& values, std::int64_t at_full_scale, Index block, Index at_least);

}  // namespace millrace::gallery
