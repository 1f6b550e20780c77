// Cases as texts, with pieces exchanged.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "millrace/hdg/case.hpp"
#include "millrace/io/case_file.hpp"
#include "temporary_folder.hpp"

namespace millrace::test {

using Exchanges = std::vector<std::pair<std::string, std::string>>;

/// The text with pieces exchanged; each must be there.
inline std::string exchanged(std::string text, const Exchanges& pieces) {
  for (const auto& [from, to] : pieces) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) throw std::runtime_error("the case has no '" + from + "'");
    text.replace(at, from.size(), to);
  }
  return text;
}

inline std::string text_of_example(const std::string& name) {
  std::ifstream file(std::string(MILLRACE_EXAMPLES) + "/flow/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The case of a text, as it would be read from the file "case.toml".
inline hdg::Case case_of(const std::string& text, std::optional<int> order = {}) {
  const TemporaryFolder folder("millrace-case");
  const std::string path = (folder.path() / "case.toml").string();
  std::ofstream(path) << text;
  return hdg::read_case(path, order);
}

/// Of a run that must converge.
inline hdg::CaseResult solved(const hdg::Case& c) {
  Queue queue;
  hdg::CaseResult result = hdg::run_case(queue, c);
  EXPECT_TRUE(result.converged) << result.reason;
  return result;
}

/// L2 errors of all components together, by the last order, where the case has an exact solution.
inline double whole_error(const hdg::CaseResult& result) {
  double square = 0;
  for (const double error : result.orders.back().errors) square += error * error;
  return std::sqrt(square);
}

}  // namespace millrace::test
