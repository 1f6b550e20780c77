// Reads or makes a matrix; looks at the place of an output.
#include "verbs/files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "terminal/progress.hpp"

namespace millrace::command {

namespace fs = std::filesystem;

namespace {

bool has_ending(const fs::path& path, const std::vector<std::string>& endings) {
  const std::string name = path.filename().string();
  return std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) { return name.ends_with(ending); });
}

}  // namespace

AnyCsr read_or_make(const std::string& argument, bool strict, std::int64_t max_memory) {
  Progress progress((is_gallery_spec(argument) ? "generating " : "reading ") + argument);
  return load_matrix(argument, strict, progress.callback(), max_memory);
}

void check_square(const MatrixFacts& matrix, std::string_view verb, std::string_view nothing) {
  require(matrix.rows == matrix.cols, matrix.name, ": is ", matrix.rows, " x ", matrix.cols, "; ", verb,
          " takes square matrices only");
  require(matrix.rows > 0, matrix.name, ": has no rows, so ", nothing);
}

void check_output(const fs::path& path, const std::vector<std::string>& endings) {
  const auto& accepted = endings.empty() ? matrix_endings() : endings;
  require<IoError>(has_ending(path, accepted), path.string(), ": the name of this output must end in ",
                   fmt::format("{}", fmt::join(accepted, " ")));
  check_output_place(path);
}

void check_output_place(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  require<IoError>(fs::is_directory(folder), path.string(), ": there is no folder ", folder.string());
  require<IoError>(!fs::is_directory(path), path.string(), ": is a folder; an output is a file");
  require<IoError>(access(folder.c_str(), W_OK) == 0, path.string(), ": the folder ", folder.string(),
                   " cannot be written to");
}

bool is_matrix_market(const fs::path& path) { return has_ending(path, {".mtx", ".mtx.gz", ".mtx.xz"}); }
bool is_binary(const fs::path& path) { return has_ending(path, {".mrx"}); }

}  // namespace millrace::command
