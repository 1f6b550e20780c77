// What `millrace flow` says: before, at every Newton step, and in the end.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "millrace/hdg/case.hpp"
#include "terminal/terminal.hpp"

namespace millrace::command {

std::string flow_head(const hdg::Case& c, int num_threads, const Style& style);
std::string flow_columns(const hdg::Case& c, const Style& style);
std::string flow_line(const hdg::Case& c, const hdg::CaseStep& step);
std::string flow_text(const hdg::Case& c, const hdg::CaseResult& result, const Style& style);
nlohmann::ordered_json flow_json(const hdg::Case& c, const hdg::CaseResult& result, int num_threads);

}  // namespace millrace::command
