// Formulas of a case file, and the names that they share.
#pragma once

#include <string_view>
#include <vector>

#include "millrace/io/case_file.hpp"
#include "millrace/io/expression.hpp"

namespace millrace {

/// Formulas of a key, one or as many as asked for; an Error has file, line and column of what is wrong in them.
/// `variables`: those that have a meaning in the case.
std::vector<Expression> parse_formulas(const CaseTable& table, std::string_view key, int count,
                                       const Expression::Names& names, std::string_view variables = "xyz");

/// Every key of the table as a name with its formula, besides `names`. They may use each other, in any order. `all`:
/// what cannot be understood is an Error; otherwise it is left out.
Expression::Names parse_constants(const CaseTable& table, Expression::Names names, bool all,
                                  std::string_view variables = "xyz");

}  // namespace millrace
