// Numbers of boundary kinds and fields by their names.
#include "millrace/hdg/equation.hpp"

#include <algorithm>

namespace millrace::hdg {
namespace {

int number_of(std::string_view wanted, std::span<const std::string_view> names, std::string_view what,
              std::string_view equation) {
  const auto found = std::find(names.begin(), names.end(), wanted);
  std::string list;
  for (const std::string_view one : names) list += (list.empty() ? "" : " ") + std::string(one);
  require(found != names.end(), "unknown ", what, " '", wanted, "' of ", equation, "; there are: ", list);
  return static_cast<int>(found - names.begin());
}

}  // namespace

int Equation::kind(std::string_view wanted) const { return number_of(wanted, kinds(), "boundary condition", name()); }

int Equation::field_number(std::string_view wanted) const { return number_of(wanted, fields(), "field", name()); }

}  // namespace millrace::hdg
