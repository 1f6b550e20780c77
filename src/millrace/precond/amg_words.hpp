// The options of multigrid as a user writes them after its name: "theta=0.25,cycle=k".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "millrace/precond/amg.hpp"

namespace millrace {

/// The keys that read_amg_words takes, each with its values, for help: "cycle", "v|w|k".
std::vector<std::pair<std::string, std::string>> amg_keys();
/// `options` with those that the text names, KEY=VALUE joined by commas. An Error names the key, what was found and
/// what is accepted.
AmgOptions read_amg_words(std::string_view text, AmgOptions options = {});
/// The note of a set-up: levels, rows, complexity and seconds in one line.
std::string short_text(const AmgReport& report);

}  // namespace millrace
