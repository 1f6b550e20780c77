// Cases as texts, with pieces exchanged.
#pragma once

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

}  // namespace millrace::test
