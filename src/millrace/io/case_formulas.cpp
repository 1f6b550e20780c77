// Formulas key by key; constants until none is left that can be understood.
#include "millrace/io/case_formulas.hpp"

#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/io/expression_program.hpp"

namespace millrace {
namespace {

// A formula must be able to write the name, and it must not take the place of another.
void check_name(const CaseTable& table, const std::string& name, std::string_view variables) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const bool written = !name.empty() && is_letter(name[0]) &&
                       std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  require(written, table.place(name), ": '", table.name(), ".", name,
          "' is no name for formulas; letters, digits and _ are accepted, with a letter first");
  const bool taken = name == "pi" || (name.size() == 1 && variables.find(name) != std::string_view::npos) ||
                     std::ranges::count(detail::formula_functions, name, &detail::FormulaFunction::name) > 0;
  require(!taken, table.place(name), ": '", table.name(), ".", name, "' has a meaning in formulas already");
}

}  // namespace

std::vector<Expression> parse_formulas(const CaseTable& table, std::string_view key, int count,
                                       const Expression::Names& names, std::string_view variables) {
  std::vector<Expression> found;
  for (const PlacedText& formula : table.formulas(key, count))
    found.push_back(Expression::parse(formula, names, variables));
  return found;
}

Expression::Names parse_constants(const CaseTable& table, Expression::Names names, bool all,
                                  std::string_view variables) {
  std::vector<std::string> left = table.keys();
  for (const std::string& key : left) check_name(table, key, variables);
  while (!left.empty()) {
    std::string first_error;
    const std::size_t before = left.size();
    std::erase_if(left, [&](const std::string& key) {
      try {
        names.insert_or_assign(key, parse_formulas(table, key, 1, names, variables)[0]);
        return true;
      } catch (const Error& error) {
        if (first_error.empty()) first_error = error.what();
        return false;
      }
    });
    require(left.size() < before || !all, first_error);
    if (left.size() == before) break;
  }
  return names;
}

}  // namespace millrace
