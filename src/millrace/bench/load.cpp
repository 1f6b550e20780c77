// Tells files from gallery specs and reads or makes the matrix.
#include "millrace/bench/load.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <utility>

#include "millrace/sparse/gallery.hpp"
#include "millrace/sparse/gallery/spec.hpp"

namespace millrace::bench {

namespace fs = std::filesystem;

const std::vector<std::string>& matrix_endings() {
  static const std::vector<std::string> endings = {".mtx", ".mtx.gz", ".mtx.xz", ".mrx"};
  return endings;
}

bool is_gallery_spec(const std::string& argument) { return !fs::exists(argument) && gallery::is_spec(argument); }

void check_matrix(const std::string& argument) {
  if (is_gallery_spec(argument)) {
    gallery::parse_values(gallery::find_entry(gallery::spec_name(argument)), argument, 1);
    return;
  }
  require<IoError>(fs::exists(argument), argument,
                   ": no such file, and no matrix of the gallery (millrace gen --list)");
  require<IoError>(!fs::is_directory(argument), argument, ": is a folder; a matrix is a file (",
                   fmt::format("{}", fmt::join(matrix_endings(), " ")), ") or a matrix of the gallery");
}

AnyCsr load_matrix(const std::string& argument, bool strict, std::function<void(double)> progress,
                   std::int64_t max_memory) {
  check_matrix(argument);
  if (is_gallery_spec(argument)) return gallery::make(argument, progress, 0, max_memory);
  ReadOptions options;
  options.max_memory = max_memory;
  options.strict = strict;
  options.progress = std::move(progress);
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

}  // namespace millrace::bench
