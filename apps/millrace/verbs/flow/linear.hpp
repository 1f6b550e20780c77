// What `millrace flow` says of the linear solver and of memory.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "millrace/hdg/case.hpp"

namespace millrace::command {

/// The settings that a run begins with, in one line.
std::string linear_text(const hdg::Case& c);
nlohmann::ordered_json linear_json(const hdg::Case& c);
/// The line below that of a step in which settings were changed; else empty.
std::string changes_line(const hdg::NewtonStep& step);

/// "; memory 512 MB": at the peak of an order; empty where it is not known.
std::string peak_text(const hdg::OrderResult& order);
nlohmann::ordered_json memory_json(const hdg::OrderResult& order);

}  // namespace millrace::command
