// What `millrace flow` says of a case and of a saved state without running anything.
#pragma once

#include <string>

#include "millrace/hdg/case.hpp"
#include "terminal/terminal.hpp"

namespace millrace::command {

/// Groups of boundary faces with their conditions, and the time of a Newton step, of which parts are measured.
std::string check_text(Queue& queue, const hdg::Case& c, const Style& style);

/// Where a saved state stands.
std::string saved_text(const std::string& path, const hdg::SavedState& saved, const hdg::Case& c, const Style& style);

}  // namespace millrace::command
