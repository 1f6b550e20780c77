// millrace convert: from any matrix file or gallery spec to any matrix file, reordered or rounded on the way.
#include <fmt/format.h>

#include "command.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/io/binary.hpp"
#include "millrace/io/matrix_market.hpp"
#include "millrace/sparse/stats.hpp"
#include "terminal/progress.hpp"
#include "verb.hpp"
#include "verbs/files.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

struct ConvertArguments {
  std::string input, output, precision, order = "none", symmetry = "general";
  std::int64_t max_memory = 0;
  bool rows_only = false, strict = false, lenient = false;
};

constexpr std::pair<const char*, MmSymmetry> symmetries[] = {{"general", MmSymmetry::general},
                                                             {"symmetric", MmSymmetry::symmetric},
                                                             {"skew-symmetric", MmSymmetry::skew_symmetric},
                                                             {"hermitian", MmSymmetry::hermitian}};

std::string symmetry_names() {
  std::string names;
  for (const auto& [name, value] : symmetries) names += std::string(name) + ' ';
  return names + "auto";
}

void check_symmetry(const std::string& text) {
  const bool known = text == "auto" || std::any_of(std::begin(symmetries), std::end(symmetries),
                                                   [&](const auto& pair) { return text == pair.first; });
  require(known, "unknown symmetry '", text, "'; there are: ", symmetry_names());
}

template <class T>
MmSymmetry symmetry_of(const Csr<T>& a, const std::string& asked) {
  if (asked != "auto") {
    for (const auto& [name, value] : symmetries)
      if (asked == name) return value;
  }
  const MatrixStats stats = compute_stats(a);
  if (stats.numerically_symmetric) return MmSymmetry::symmetric;
  if (stats.hermitian && is_complex<T>) return MmSymmetry::hermitian;
  return stats.skew ? MmSymmetry::skew_symmetric : MmSymmetry::general;
}

int convert(const ConvertArguments& arguments) {
  check_output(arguments.output);
  require(is_matrix_market(arguments.output) || arguments.symmetry == "general" || arguments.symmetry == "auto",
          "--symmetry ", arguments.symmetry, ": only Matrix Market files hold half of a matrix; ", arguments.output,
          " holds all of it");
  const AnyCsr any = reordered(read_or_make(arguments.input, arguments.strict, arguments.max_memory),
                               parse_ordering(arguments.order), arguments.rows_only);
  with_precision(precision_of(any, arguments.precision), [&]<class T>() {
    const Csr<T> a = in_precision<T>(any);
    Progress progress("writing " + arguments.output);
    if (is_binary(arguments.output)) return write_binary(arguments.output, a, progress.callback());
    WriteOptions options;
    options.symmetry = symmetry_of(a, arguments.symmetry);
    options.progress = progress.callback();
    write_matrix_market(arguments.output, a, options);
  });
  return exit_ok;
}

}  // namespace

Verb add_convert(CLI::App& root) {
  CLI::App* app = root.add_subcommand("convert", "Write a matrix in another file format, order or precision");
  auto arguments = std::make_shared<ConvertArguments>();
  app->add_option("A", arguments->input, "Matrix file or gallery spec")->required()->type_name("MATRIX");
  app->add_option("-o,--output", arguments->output, ".mtx, .mtx.gz, .mtx.xz or .mrx; replaced if it exists")
      ->required()
      ->type_name("FILE");
  add_precision(*app, arguments->precision, false);
  auto* order = add_order(*app, arguments->order);
  app->add_flag("--rows-only", arguments->rows_only, "Reorder the rows and leave the columns")->needs(order);
  app->add_option("--symmetry", arguments->symmetry, fmt::format("Of a .mtx file: {}", symmetry_names()))
      ->check(checked_by(check_symmetry))
      ->type_name("NAME")
      ->capture_default_str();
  add_max_memory(*app, arguments->max_memory);
  auto* strict = app->add_flag("--strict", arguments->strict, "Accept only what the Matrix Market format allows");
  app->add_flag("--lenient", arguments->lenient, "Accept common deviations, too (the default)")->excludes(strict);
  add_examples(*app,
               {{"millrace convert A.mtx.gz -o A.mrx", "to the binary format, which loads at the speed of the disk"},
                {"millrace convert A.mtx -o B.mtx --order rcm", "rows and columns reordered by reverse Cuthill-McKee"},
                {"millrace convert A.mrx -o A.mtx.xz --symmetry auto", "half of the entries if A is symmetric"}});
  return {app, [arguments] { return convert(*arguments); }};
}

}  // namespace millrace::command
