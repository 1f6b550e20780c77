// Names of boundary kinds.
#include "millrace/hdg/equation.hpp"

#include <algorithm>

namespace millrace::hdg {

int Equation::kind(std::string_view wanted) const {
  const auto found = std::find(kinds().begin(), kinds().end(), wanted);
  std::string list;
  for (const std::string_view one : kinds()) list += (list.empty() ? "" : " ") + std::string(one);
  require(found != kinds().end(), "unknown boundary condition '", wanted, "' of ", name(), "; there are: ", list);
  return static_cast<int>(found - kinds().begin());
}

}  // namespace millrace::hdg
