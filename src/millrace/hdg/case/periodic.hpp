// The periodic sides of a case: those of the table [periodic], and those that the mesh file has.
#pragma once

#include "millrace/io/case_file.hpp"
#include "millrace/io/expression.hpp"
#include "millrace/mesh/mesh.hpp"

namespace millrace::hdg {

/// [periodic.GROUP] `partner` and `translation` become sides of the mesh. A side that the mesh file has stays one,
/// unless a group of it is in [periodic] or has a condition in [boundary]. An Error has the place of what does not fit.
void set_periodic_sides(const CaseTable& periodic, const CaseTable& boundary, const Expression::Names& names,
                        Mesh& mesh);

}  // namespace millrace::hdg
