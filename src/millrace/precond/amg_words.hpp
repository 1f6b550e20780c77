// The options of multigrid as a user writes them after its name: "theta=0.25,cycle=k".
#pragma once

#include <string>
#include <string_view>

#include "millrace/precond/amg.hpp"

namespace millrace {

/// What read_amg_words takes, for help: "theta=T block=N cycle=v|w|k ...".
std::string amg_words_usage();
/// `options` with those that the text names, KEY=VALUE joined by commas. An Error names the key, what was found and
/// what is accepted.
AmgOptions read_amg_words(std::string_view text, AmgOptions options = {});
/// The note of a set-up: levels, rows, complexity and seconds in one line.
std::string short_text(const AmgReport& report);

}  // namespace millrace
