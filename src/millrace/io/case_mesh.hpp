// The table [mesh] of a case file.
#pragma once

#include <string>

#include "millrace/io/case_file.hpp"
#include "millrace/io/expression.hpp"
#include "millrace/mesh/mesh.hpp"

namespace millrace {

/// Which cells generators make: triangles and tets by `dim`, or those that `cell` names.
enum class CaseCells { simplices, all };

/// From a file (beside the case) or a generator, and moved by the formulas of `map` where there are some.
Mesh make_case_mesh(const CaseTable& table, const std::string& case_path, const Expression::Names& names,
                    CaseCells cells = CaseCells::simplices);

}  // namespace millrace
