// millrace eig: eigenvalues of a symmetric matrix at the ends of its spectrum or near a number, and the density of all
// of them by the kernel polynomial method.
#include <fmt/format.h>

#include "command.hpp"
#include "millrace/base/together.hpp"
#include "verb.hpp"
#include "verbs/eig/run.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

Verb add_eig(CLI::App& root) {
  CLI::App* app = root.add_subcommand("eig", "Eigenvalues of a symmetric matrix, or the density of all");
  auto arguments = std::make_shared<EigArguments>();
  app->add_option("A", arguments->matrix, "Matrix file, or a gallery spec such as holstein-hubbard")
      ->required()
      ->type_name("MATRIX");
  const auto count = [&](const char* name, int& value, const std::string& text) {
    app->add_option(name, value, text)->check(CLI::Range(0, 399).description(""))->type_name("K");
  };
  count("--lowest", arguments->lowest, "How many of the lowest (default: 4, or none with --density)");
  count("--highest", arguments->highest, "How many of the highest, the highest first");
  app->add_option("--near", arguments->near, "Those nearest to this number, by shift-and-invert: needs SuiteSparse")
      ->type_name("SIGMA");
  count("--num", arguments->num, "How many with --near (default: 4)");
  app->add_option("--mass", arguments->mass, "M of A x = e M x, positive definite: a matrix file or a gallery spec")
      ->type_name("MATRIX");
  app->add_option(
         "--method", arguments->method,
         fmt::format("lanczos, invert (shift-and-invert), or auto: lanczos, and after {} products invert", max_tried))
      ->check(CLI::IsMember({"auto", "lanczos", "invert"}).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  app->add_option("--tol", arguments->tolerance, "|A v - e v| over the largest |e| (default: 1e-10, in float 1e-5)")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("TOL");
  app->add_option("--max-products", arguments->max_products, "Products with A before it gives up")
      ->check(CLI::Range(1, 1 << 30).description(""))
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--basis", arguments->basis, "Vectors of the Krylov basis (default: what the count suggests)")
      ->check(CLI::Range(2, 400).description(""))
      ->type_name("N");
  app->add_option("--block", arguments->block, "Vectors that are multiplied at once (default: 2, on a GPU 4)")
      ->check(CLI::Range(1, 8).description(""))
      ->type_name("N");
  app->add_option("--start", arguments->start, "Start vector, a Matrix Market array (default: random)")
      ->type_name("FILE");
  app->add_flag("--no-check", arguments->unchecked, "Do not look for eigenvalues that were missed");
  app->add_option("--vectors", arguments->vectors, "Write the eigenvectors as a Matrix Market array")
      ->type_name("FILE");
  app->add_option("--density", arguments->density, "Write the density of eigenvalues as .svg or .json")
      ->type_name("FILE");
  app->add_option("--moments", arguments->moments, "Of the density: more show finer structure")
      ->check(CLI::Range(2, 1 << 20).description(""))
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--random-vectors", arguments->random_vectors, "Of the density: more make less noise")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--format", arguments->format, fmt::format("auto, or one of: {}", format_usage()))
      ->check(checked_by([](const std::string& text) {
        if (text != "auto") format_choices<double>({text});
      }))
      ->type_name("NAME")
      ->capture_default_str();
  add_precision(*app, arguments->precision, false);
  add_device(*app, arguments->device);
  add_threads(*app, arguments->num_threads);
  app->add_flag("--json", arguments->json, "The record as JSON on standard output instead of the text");
  add_max_memory(*app, arguments->max_memory);
  add_ranks(*app, arguments->ranks);
  add_drawing(*app, arguments->drawing);
  add_examples(*app, {{"millrace eig A.mtx --lowest 4", "the four lowest eigenvalues, with residuals"},
                      {"millrace eig K.mtx --mass M.mtx --near 1e4", "four modes near 1e4"},
                      {"millrace eig holstein-hubbard --density density.svg", "how all eigenvalues lie, as a picture"},
                      {"mpirun -n 4 millrace eig A.mtx --lowest 4", "on four ranks, none of which has all of A"}});
  return {app,
          [arguments] {
            auto eig = together(Comm::world(), [&] { return std::make_unique<Eig>(*arguments); });
            return (*eig)();
          },
          true};
}

}  // namespace millrace::command
