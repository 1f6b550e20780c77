// Orders of the rows: longest first, or orders of rows and columns together that bring entries close to the
// diagonal (RCM) or keep factors sparse (AMD, METIS).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "millrace/sparse/csr.hpp"

namespace millrace {

/// How rows and columns can be ordered.
enum class Ordering {
  none,        // as it is
  descending,  // longest row first; rows of equal length keep their order
  amd,         // approximate minimum degree (Amestoy, Davis and Duff 1996), by SuiteSparse
  rcm,         // reverse Cuthill-McKee (George 1971) from a pseudo-peripheral start (George and Liu 1979)
  metis,       // nested dissection (METIS_NodeND of Karypis and Kumar 1998)
};

/// "none", "rcm", ...
std::string_view to_string(Ordering ordering);

/// The orderings that this build has: "none descending amd rcm metis".
std::string ordering_names();
/// From the name a user writes; an Error lists what there is, Unsupported names what this build lacks.
Ordering parse_ordering(std::string_view text);

/// New to old: row i of the reordered matrix is row p[i] of A. Use it with permute_rows(a, p) for the rows alone or
/// permute(a, p, p) for rows and columns. All but none and descending take the pattern of A + A^T and need a square
/// matrix. The same on every run. Host only.
template <class T>
std::vector<Index> make_ordering(const Csr<T>& a, Ordering ordering);

}  // namespace millrace
