// The parts of a case file that read_pde_case puts together.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "millrace/io/case_formulas.hpp"
#include "verbs/pde/case.hpp"

namespace millrace::command {

/// What formulas of a case may use.
struct PdeWords {
  Expression::Names names;
  std::string variables;  // of "xyzt"
};

/// Names and tags of the physical groups of cells (dim of the mesh) or boundary faces (dim - 1) that the mesh has;
/// "#3" where group 3 has no name.
using GroupTags = std::vector<std::pair<std::string, std::int32_t>>;
GroupTags pde_groups(const Mesh& mesh, int group_dim);
/// The tag of a group that a key of `table` names; an Error lists those there are.
std::int32_t pde_tag(const CaseTable& table, const std::string& group, const GroupTags& groups, std::string_view of);

/// Coefficients that a table gives; what it does not name is as in `from`. [groups.NAME], and [equation] itself with
/// `is_first`, where some must be given.
PdeCoefficients read_coefficients(const CaseTable& table, const PdeCoefficients& from, const PdeCase& c,
                                  const PdeWords& words, bool is_first);
/// An Error where a coefficient has a value that the equation cannot have, at the centre of a cell.
void check_coefficients(const CaseTable& equation, const CaseTable& groups, const PdeCase& c);

/// [boundary.NAME] for the groups that have a condition.
std::vector<PdeCondition> read_pde_conditions(const CaseTable& boundary, const PdeCase& c, const PdeWords& words);

}  // namespace millrace::command
