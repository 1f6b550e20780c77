// Modes by name.
#include "millrace/dist/mode.hpp"

#include "millrace/base/error.hpp"

namespace millrace {
namespace {
constexpr std::pair<Mode, std::string_view> modes[] = {
    {Mode::vector, "vector"}, {Mode::overlap, "overlap"}, {Mode::task, "task"}, {Mode::choose, "auto"}};
}

Mode mode_of(std::string_view text) {
  for (const auto& [mode, name] : modes)
    if (name == text) return mode;
  throw Error(join("mode '", text, "' is unknown; accepted are: vector, overlap, task, auto"));
}

std::string_view to_text(Mode mode) {
  for (const auto& [each, name] : modes)
    if (each == mode) return name;
  return "";
}

}  // namespace millrace
