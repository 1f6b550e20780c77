// The table [time] of a case file.
#pragma once

#include <optional>

#include "millrace/hdg/time_steps.hpp"
#include "millrace/io/case_file.hpp"

namespace millrace::hdg {

/// Steps in time with the time they begin at.
struct CaseTime {
  double start = 0;
  TimeOptions options{};
};

/// None where the file has no such table.
std::optional<CaseTime> read_time(const CaseTable& file);

}  // namespace millrace::hdg
