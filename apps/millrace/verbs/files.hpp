// The files that verbs read and write: matrices with a progress bar, and outputs that are refused before any work.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "command.hpp"
#include "millrace/bench/load.hpp"
#include "millrace/bench/point.hpp"

namespace millrace::command {

/// As bench::load_matrix, with a progress bar.
AnyCsr read_or_make(const std::string& argument, bool strict = false, std::int64_t max_memory = 0);

/// Refuses a matrix that is not square, or has no rows, "so NOTHING".
void check_square(const MatrixFacts& matrix, std::string_view verb, std::string_view nothing);

/// Refuses an output that could not be written, before any work is done: a folder, or no folder to hold it.
void check_output_place(const std::filesystem::path& path);
/// ... and a name with none of the endings; those of a matrix file when none are given.
void check_output(const std::filesystem::path& path, const std::vector<std::string>& endings = {});

bool is_matrix_market(const std::filesystem::path& path);
bool is_binary(const std::filesystem::path& path);

}  // namespace millrace::command
