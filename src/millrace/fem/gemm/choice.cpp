// The table of fastest products as text, where it is found, and the nearest of its entries.
#include "millrace/fem/gemm/choice.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "millrace/base/cache.hpp"
#include "millrace/base/environment.hpp"
#include "millrace/base/error.hpp"

namespace millrace {
namespace {

template <class N>
N positive(std::string_view what, std::string_view text, const std::string& place) {
  N value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require<IoError>(error == std::errc{} && end == text.data() + text.size() && value > 0, place, what, " is '", text,
                   "'; a number of 1 or more is expected");
  return value;
}

bool one_of(std::string_view word, std::string_view yes, std::string_view no, const std::string& place) {
  require<IoError>(word == yes || word == no, place, "'", word, "' stands where ", yes, " or ", no, " is expected");
  return word == yes;
}

GemmVariant parse_variant(const std::string& word, const std::string& place) {
  try {
    return parse_gemm_variant(word);
  } catch (const Error& error) {
    throw IoError(place + error.what());
  }
}

GemmEntry parse_entry(const std::vector<std::string>& words, const std::string& place) {
  require<IoError>(words.size() == 7, place, words.size(),
                   " words; an entry has 7: m k n plain|transposed double|float BEST BEST_OWN");
  GemmEntry entry;
  entry.m = positive<int>("m", words[0], place);
  entry.k = positive<int>("k", words[1], place);
  entry.n = positive<std::int64_t>("n", words[2], place);
  entry.transposed = one_of(words[3], "transposed", "plain", place);
  entry.scalar_bytes = one_of(words[4], "double", "float", place) ? 8 : 4;
  entry.best = parse_variant(words[5], place);
  entry.best_own = parse_variant(words[6], place);
  require<IoError>(entry.best_own.kernel == GemmVariant::Kernel::own, place, "the last word is '", words[6],
                   "'; a variant of our own is expected there, such as own or own/64");
  return entry;
}

/// Squares of distances in the logarithms: sizes matter by their ratio.
double distance(const GemmEntry& entry, const GemmShape& shape) {
  const auto square = [](double a, double b) {
    const double d = std::log(a / b);
    return d * d;
  };
  return square(entry.m, shape.m) + square(entry.k, shape.k) +
         square(static_cast<double>(entry.n), static_cast<double>(shape.n));
}

}  // namespace

std::string to_string(GemmVariant variant) {
  const std::string name = variant.kernel == GemmVariant::Kernel::library ? "cublas" : "own";
  return variant.eta > 0 ? join(name, '/', variant.eta) : name;
}

GemmVariant parse_gemm_variant(std::string_view text) {
  const std::size_t stroke = text.find('/');
  const std::string_view name = text.substr(0, stroke);
  GemmVariant variant;
  variant.kernel = name == "cublas" ? GemmVariant::Kernel::library : GemmVariant::Kernel::own;
  bool right = name == "cublas" || name == "own";
  if (right && stroke != text.npos) {
    const std::string_view eta = text.substr(stroke + 1);
    const auto [end, error] = std::from_chars(eta.data(), eta.data() + eta.size(), variant.eta);
    right = error == std::errc{} && end == eta.data() + eta.size() && variant.eta > 0;
  }
  require(right, "'", text, "' is no variant of a GEMM; accepted: cublas, own, and these with columns, such as own/64");
  return variant;
}

std::string gemm_table_text(const GemmTable& table) {
  std::string text = "# m k n, of the table, precision, fastest variant, fastest of our own\n";
  for (const GemmEntry& e : table)
    text += join(e.m, ' ', e.k, ' ', e.n, e.transposed ? " transposed " : " plain ",
                 e.scalar_bytes == 4 ? "float " : "double ", to_string(e.best), ' ', to_string(e.best_own), '\n');
  return text;
}

std::string gemm_table_source(const GemmTable& table, std::string_view device) {
  return join(
      "// The fastest products of tables of tets with many columns, as `millrace tune-gemm` timed them on ", device,
      ".\n#include \"millrace/fem/gemm.hpp\"\n\nnamespace millrace {\n\n",
      "GemmTable built_in_gemm_table() {\n  return parse_gemm_table(R\"(", gemm_table_text(table),
      ")\",\n                          \"the built-in table of GEMM variants\");\n}\n\n}  // namespace millrace\n");
}

GemmTable parse_gemm_table(std::string_view text, const std::string& name) {
  GemmTable table;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream stream(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (!words.empty()) table.push_back(parse_entry(words, join(name, ':', number, ": ")));
  }
  require<IoError>(!table.empty(), name, ": a table of GEMM variants without entries; `millrace tune-gemm` writes one");
  return table;
}

GemmTable read_gemm_table(const std::filesystem::path& file) {
  std::ifstream stream(file);
  require<IoError>(
      stream.good(), [&] { return file.string(); },
      ": a table of GEMM variants was asked for, but it cannot be read; `millrace tune-gemm -o FILE` writes one");
  std::ostringstream text;
  text << stream.rdbuf();
  return parse_gemm_table(text.str(), file.string());
}

std::filesystem::path gemm_table_file() {
  const std::filesystem::path folder = cache_folder();
  return folder.empty() ? folder : folder / "gemm-table.txt";
}

GemmTable find_gemm_table() {
  const std::string asked = environment("MILLRACE_GEMM_TABLE");
  if (!asked.empty()) return read_gemm_table(asked);
  const std::filesystem::path kept = gemm_table_file();
  std::error_code none;
  if (!kept.empty() && std::filesystem::exists(kept, none)) return read_gemm_table(kept);
  return built_in_gemm_table();
}

const GemmTable& gemm_table() {
  static const GemmTable table = find_gemm_table();
  return table;
}

GemmPolicy gemm_policy() {
  const std::string asked = environment("MILLRACE_GEMM");
  require(asked.empty() || asked == "select" || asked == "plain" || asked == "own", "MILLRACE_GEMM is '", asked,
          "'; accepted: select, plain (one GEMM of cuBLAS), own");
  return asked == "plain" ? GemmPolicy::plain : asked == "own" ? GemmPolicy::own : GemmPolicy::select;
}

GemmVariant choose_gemm(const GemmTable& table, const GemmShape& shape, int scalar_bytes, bool has_library,
                        GemmPolicy policy) {
  using Kernel = GemmVariant::Kernel;
  require<Unsupported>(policy != GemmPolicy::plain || has_library,
                       "choose_gemm: one GEMM of cuBLAS was asked for, but this build has no cuBLAS");
  if (policy == GemmPolicy::plain) return {Kernel::library, 0};
  const GemmEntry* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  constexpr double other_kind = 1e4;  // farther than any ratio of sizes
  for (const GemmEntry& entry : table) {
    const double far = distance(entry, shape) + (entry.transposed != shape.transposed ? other_kind : 0) +
                       (entry.scalar_bytes != scalar_bytes ? 2 * other_kind : 0);
    if (far < least) least = far, nearest = &entry;
  }
  if (!nearest) return {Kernel::own, 0};
  return has_library && policy == GemmPolicy::select ? nearest->best : nearest->best_own;
}

}  // namespace millrace
