// The table [mesh] of a case file.
#pragma once

#include "millrace/io/case_file.hpp"
#include "millrace/io/expression.hpp"
#include "millrace/mesh/mesh.hpp"

namespace millrace::hdg {

/// From a file (beside the case) or a generator, and moved by the formulas of `map` where there are some.
Mesh make_case_mesh(const CaseTable& table, const std::string& case_path, const Expression::Names& names);

/// Formulas of a key, one or as many as asked for; an Error has the place.
std::vector<Expression> parse_formulas(const CaseTable& table, std::string_view key, int count,
                                       const Expression::Names& names);

}  // namespace millrace::hdg
