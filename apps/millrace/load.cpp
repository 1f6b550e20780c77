// Tells files from gallery specs and reads or makes the matrix.
#include "load.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "millrace/sparse/gallery/gallery.hpp"
#include "progress.hpp"

namespace millrace::command {

namespace fs = std::filesystem;

namespace {

const std::vector<std::string> matrix_endings = {".mtx", ".mtx.gz", ".mtx.xz", ".mrx"};

bool has_ending(const fs::path& path, const std::vector<std::string>& endings) {
  const std::string name = path.filename().string();
  return std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) { return name.ends_with(ending); });
}

}  // namespace

AnyCsr load_matrix(const std::string& argument, bool strict) {
  if (!fs::exists(argument) && gallery::is_spec(argument)) {
    Progress progress("generating " + argument);
    return gallery::make(argument, progress.callback());
  }
  require<IoError>(fs::exists(argument), argument,
                   ": no such file, and no matrix of the gallery (millrace gen --list)");
  require<IoError>(!fs::is_directory(argument), argument, ": is a folder; a matrix is a file (",
                   fmt::format("{}", fmt::join(matrix_endings, " ")), ") or a matrix of the gallery");
  Progress progress("reading " + argument);
  ReadOptions options;
  options.strict = strict;
  options.progress = progress.callback();
  return read_matrix(argument, options);
}

std::string precision_of(const AnyCsr& a, const std::string& asked) {
  if (!asked.empty()) return asked;
  return std::visit([]<class T>(const Csr<T>&) { return std::string(scalar_name<T>()); }, a);
}

template <class T>
Csr<T> in_precision(const AnyCsr& a) {
  return std::visit([](const auto& matrix) { return convert_values<T>(matrix); }, a);
}
template Csr<float> in_precision(const AnyCsr&);
template Csr<double> in_precision(const AnyCsr&);
template Csr<std::complex<float>> in_precision(const AnyCsr&);
template Csr<std::complex<double>> in_precision(const AnyCsr&);

AnyCsr reordered(AnyCsr a, Ordering order, bool rows_only) {
  if (order == Ordering::none) return a;
  return std::visit(
      [&](const auto& matrix) -> AnyCsr {
        const std::vector<Index> rows = make_ordering(matrix, order);
        if (rows_only || matrix.num_rows != matrix.num_cols) return permute_rows(matrix, rows);
        return permute(matrix, rows, rows);
      },
      a);
}

void check_output(const fs::path& path, const std::vector<std::string>& endings) {
  const auto& accepted = endings.empty() ? matrix_endings : endings;
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
