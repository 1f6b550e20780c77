// Like the trace system of a hybridizable DG method: dense m x m blocks, one block row per face of the mesh,
// coupled to all faces of the one or two elements that share it.
#pragma once

#include "millrace/sparse/gallery.hpp"

namespace millrace::gallery {

/// A square of s x s squares, the most that `faces` allow; na = 5: each cut into two triangles, na = 7: as they are.
/// Boundary faces are padded with nearby faces, so every block row has na blocks. Parameters: m, na, faces, seed.
Csr<double> make_hdg(const Values& values, const Progress& progress);

/// A ring of a x b quadrilaterals, each cut into two triangles: a (3 b + 1) faces, of which the 2 a on the
/// boundary have 3 blocks and the others 5. Parameters: p, a, b, m (0: 4 (p + 1), four components), seed.
Csr<double> make_hdg_omesh(const Values& values, const Progress& progress);

}  // namespace millrace::gallery
