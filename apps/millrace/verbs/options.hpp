// Options that several verbs share, and checks of their values by the library's own parsers, so that a bad
// value is a usage error with the library's text.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/terminal.hpp"

namespace millrace::command {

/// "a,b,c" in parts; empty parts are dropped.
std::vector<std::string> split(std::string_view text, char separator = ',');

/// Accepts what `parse` takes without throwing; of a comma list, every part, unless commas belong to the text.
CLI::Validator checked_by(std::function<void(const std::string&)> parse, bool list = true);

/// --precision, one name or (list) several; empty means: that of the matrix.
CLI::Option* add_precision(CLI::App& app, std::string& precision, bool list);
CLI::Option* add_order(CLI::App& app, std::string& order);
CLI::Option* add_device(CLI::App& app, std::string& device);

/// --threads, from `least` on, for all that the process does; 0, where it is allowed, is the default.
CLI::Option* add_threads(CLI::App& app, int& num_threads, int least = 1);

/// --max-memory, in bytes: what a reader or generator of matrices may take; 0 is the rule of the library.
CLI::Option* add_max_memory(CLI::App& app, std::int64_t& bytes);

/// Refuses NaN and infinities as values of all options of the verb but for names of files and matrices.
void refuse_infinite_values(CLI::App& verb);

/// --unicode and --ascii.
void add_drawing(CLI::App& app, Drawing& drawing);

/// A word or a line, and what it means.
using Meanings = std::vector<std::pair<std::string, std::string>>;

/// Words in a column and their meanings beside them, under a title, for the end of a verb's help.
std::string word_list(std::string_view title, const Meanings& words);

/// The end of a verb's help: lists of words, then the examples.
void add_examples(CLI::App& app, const Meanings& examples, const std::string& lists = "");

}  // namespace millrace::command
