// TOML texts as tables of our own; the one file that knows toml++.
#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/io/case_file.hpp"
#include "millrace/io/text_buffer.hpp"
#if MILLRACE_WITH_TOML
#include <toml++/toml.h>
#endif

namespace millrace {

#if MILLRACE_WITH_TOML
namespace {

std::string place_of(const std::string& file, const toml::source_position& at) {
  return join(file, ":", at.line, ":", at.column);
}

// Whatever is written otherwise (\t, three quotes) takes more columns than it has characters, and two.
bool is_verbatim(std::string_view text, const toml::source_region& at) {
  const auto columns = std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; });
  return at.begin.line == at.end.line && at.begin.column + columns + 2 == at.end.column;
}

CaseTable table_of(const std::string& file, const toml::table& from, const std::string& name, const std::string& place);

CaseValue value_of(const std::string& file, const toml::node& node, const std::string& name) {
  CaseValue value{.place = place_of(file, node.source().begin), .value = false};
  if (const auto* flag = node.as_boolean())
    value.value = flag->get();
  else if (const auto* whole = node.as_integer())
    value.value = whole->get();
  else if (const auto* number = node.as_floating_point())
    value.value = number->get();
  else if (const auto* text = node.as_string()) {
    value.value = text->get();
    value.verbatim = is_verbatim(text->get(), node.source());
  } else if (const auto* table = node.as_table())
    value.value = table_of(file, *table, name, value.place);
  else if (const auto* array = node.as_array()) {
    std::vector<CaseValue> entries;
    for (const toml::node& entry : *array) entries.push_back(value_of(file, entry, name));
    value.value = std::move(entries);
  } else {
    throw Error(
        join(value.place, ": '", name, "' is a date or a time; numbers, texts, arrays and tables are accepted"));
  }
  return value;
}

CaseTable table_of(const std::string& file, const toml::table& from, const std::string& name,
                   const std::string& place) {
  CaseTable table(name, place);
  for (const auto& [key, node] : from) {
    const std::string text(key.str());
    table.set(text, value_of(file, node, name.empty() ? text : name + "." + text));
  }
  return table;
}

}  // namespace

bool reads_cases() { return true; }

CaseTable parse_case(std::string_view text, const std::string& name) {
  try {
    return table_of(name, toml::parse(text, name), "", name);
  } catch (const toml::parse_error& error) {
    throw Error(join(place_of(name, error.source().begin), ": ", error.description()));
  }
}
#else
bool reads_cases() { return false; }

CaseTable parse_case(std::string_view, const std::string& name) {
  throw Unsupported(join(name,
                         ": this build reads no case files, for toml++ was not found (Debian: "
                         "libtomlplusplus-dev)"));
}
#endif

CaseTable read_case_file(const std::string& path) {
  const std::function<void(double)> nobody;
  return parse_case(load_text(path, {nobody}).text(), path);
}

}  // namespace millrace
