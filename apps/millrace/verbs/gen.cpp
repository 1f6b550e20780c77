// millrace gen: writes a matrix of the gallery to a file, or lists what there is.
#include <fmt/format.h>

#include "millrace/sparse/gallery.hpp"
#include "terminal/progress.hpp"
#include "verb.hpp"
#include "verbs/files.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

struct GenArguments {
  std::string spec, output;
  std::int64_t max_memory = 0;
  bool list = false;
};

void print_list() {
  const Style style = style_of_stdout();
  for (const gallery::Entry& entry : gallery::entries()) {
    fmt::print("{}\n    {}\n", bold(entry.name, style), entry.help);
    for (const gallery::Parameter& p : entry.parameters)
      fmt::print("    {:<22} {}\n", fmt::format("{}={}", p.name, p.default_value), p.help);
  }
}

void generate(const GenArguments& arguments) {
  check_output(arguments.output);
  gallery::find_entry(arguments.spec.substr(0, arguments.spec.find(':')));  // the names there are, if it is none
  const AnyCsr a = [&]() -> AnyCsr {
    Progress progress("generating " + arguments.spec);
    return gallery::make(arguments.spec, progress.callback(), 0, arguments.max_memory);
  }();
  Progress progress("writing " + arguments.output);
  WriteOptions options;
  options.comment = "millrace gen " + arguments.spec;
  options.progress = progress.callback();
  write_matrix(arguments.output, a, options);
}

}  // namespace

Verb add_gen(CLI::App& root) {
  CLI::App* app = root.add_subcommand("gen", "Write a matrix of the gallery to a file");
  auto arguments = std::make_shared<GenArguments>();
  auto* spec = app->add_option("NAME", arguments->spec, "A name of the list and its parameters: NAME:key=value,...");
  auto* output = app->add_option("-o,--output", arguments->output, ".mtx, .mtx.gz, .mtx.xz or .mrx")->type_name("FILE");
  auto* list = app->add_flag("--list", arguments->list, "All names with their parameters and defaults");
  add_max_memory(*app, arguments->max_memory);
  list->excludes(spec)->excludes(output);
  add_examples(*app, {{"millrace gen --list", "what there is"},
                      {"millrace gen poisson3d7:n=128 -o A.mrx", "a 7-point stencil on 128 x 128 x 128 points"},
                      {"millrace gen poisson2d5:n=500,seed=3 -o A.mtx.gz", "with other coefficients, compressed"}});
  return {app, [arguments] {
            if (arguments->list) {
              print_list();
              return exit_ok;
            }
            if (arguments->spec.empty() || arguments->output.empty())
              throw CLI::RequiredError(arguments->spec.empty() ? "NAME (or --list)" : "-o FILE");
            generate(*arguments);
            return exit_ok;
          }};
}

}  // namespace millrace::command
