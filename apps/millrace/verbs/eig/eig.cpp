// millrace eig: the lowest eigenvalues of a symmetric matrix by Lanczos, and the density of all of them by the kernel
// polynomial method.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/bench/command_line.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/io/output_file.hpp"
#include "millrace/tune/choose_format.hpp"
#include "terminal/progress.hpp"
#include "verb.hpp"
#include "verbs/eig/report.hpp"
#include "verbs/files.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

struct EigArguments {
  std::string matrix, format = "auto", precision, device = "cpu", vectors, density;
  int lowest = -1, max_products = 10000, moments = 512, random_vectors = 8, num_threads = 0;
  double tolerance = 0;
  bool json = false;
  Drawing drawing = Drawing::automatic;
};

/// [num, n] on the device, as a Matrix Market array of n x num.
template <class T>
void write_vectors(const std::string& path, const Array<T>& on_device, int num) {
  const std::vector<T> values = on_device.to_vector();
  OutputFile file(path);
  file.write(fmt::format("%%MatrixMarket matrix array {} general\n% eigenvectors, the lowest eigenvalue first\n{} {}\n",
                         is_complex<T> ? "complex" : "real", values.size() / static_cast<std::size_t>(num), num));
  for (const T& value : values) {
    if constexpr (is_complex<T>)
      file.write(fmt::format("{} {}\n", value.real(), value.imag()));
    else
      file.write(fmt::format("{}\n", value));
  }
  file.commit();
}

class Eig {
 public:
  explicit Eig(const EigArguments& arguments)
      : arguments_(arguments),
        queue_(parse_device(arguments.device), arguments.num_threads),
        style_(style_of_stdout(arguments.drawing)) {
    if (!arguments.vectors.empty()) check_output(arguments.vectors, {".mtx"});
    if (!arguments.density.empty()) check_output(arguments.density, {".svg", ".json"});
  }

  int operator()() {
    const AnyCsr any = read_or_make(arguments_.matrix);
    summary_.matrix = matrix_facts(arguments_.matrix, any);
    require(summary_.matrix.rows == summary_.matrix.cols, summary_.matrix.name, ": is ", summary_.matrix.rows, " x ",
            summary_.matrix.cols, "; eig takes square matrices only");
    require(summary_.matrix.rows > 0, summary_.matrix.name, ": has no rows, so it has no eigenvalues");
    summary_.precision = precision_of(any, arguments_.precision);
    with_precision(summary_.precision, [&]<class T>() { run(sort_rows(in_precision<T>(any))); });
    if (arguments_.json) write_json("-", eig_json(summary_));
    if (summary_.values.ok() && summary_.density.ok()) return exit_ok;
    std::fflush(stdout);
    fmt::print(stderr, "millrace: not solved: {}\n",
               summary_.values.ok() ? summary_.density.reason : summary_.values.reason);
    return exit_not_solved;
  }

 private:
  template <class T>
  void run(const Csr<T>& csr) {
    const MatrixStats stats = compute_stats(csr);
    require(is_complex<T> ? stats.hermitian : stats.numerically_symmetric, summary_.matrix.name, ": is not ",
            is_complex<T> ? "Hermitian" : "symmetric", " (", percent_text(stats.value_symmetry),
            " of the entries equal their partner); eig finds eigenvalues of symmetric and Hermitian matrices only");
    const bool chosen = arguments_.format == "auto";
    FormatChoice format = chosen ? choose_format(stats, queue_.device()) : FormatChoice{arguments_.format, ""}, made;
    const SparseMatrix<T> a = make_matrix(queue_, csr, {.format = format.format, .or_csr = chosen}, &made);
    if (made.format != format.format) format = made;  // the one that was chosen cannot hold the matrix
    summary_.format = format.format;
    summary_.format_reason = format.reason;
    summary_.device = to_string(queue_.device());
    summary_.num_threads = queue_.device().on_host() ? queue_.num_threads() : 0;
    if (!arguments_.json) fmt::print("{}", eig_head(summary_, style_));
    std::fflush(stdout);
    summary_.num = arguments_.lowest >= 0 ? arguments_.lowest : arguments_.density.empty() ? 4 : 0;
    if (summary_.num > 0) find_lowest(a);
    if (!arguments_.density.empty()) find_density(a);
    if (!arguments_.json) fmt::print("{}", eig_text(summary_, style_));
  }

  template <class T>
  void find_lowest(const SparseMatrix<T>& a) {
    const auto n = static_cast<int>(a.shape().rows);
    require(summary_.num <= n, "--lowest ", summary_.num, ": the matrix has ", n, " eigenvalues");
    EigenOptions options;
    options.tolerance = arguments_.tolerance > 0 ? arguments_.tolerance : sizeof(RealOf<T>) == 4 ? 1e-5 : 1e-10;
    options.max_iterations = arguments_.max_products;
    Progress progress("lanczos");
    options.monitor = [&](int products, double residual) {
      progress.update(static_cast<double>(products) / options.max_iterations,
                      fmt::format("lanczos: {} products, residual {:.1e}", products, residual));
      return true;
    };
    Array<T> vectors(queue_.device(), arguments_.vectors.empty() ? 0 : std::int64_t{summary_.num} * n);
    const Vectors<T> room = vectors.empty() ? Vectors<T>{} : Vectors<T>(vectors, summary_.num);
    summary_.values = lanczos(queue_, a, summary_.num, options, room);
    if (!vectors.empty()) write_vectors(arguments_.vectors, vectors, summary_.num);
  }

  template <class T>
  void find_density(const SparseMatrix<T>& a) {
    KpmOptions options;
    options.num_moments = arguments_.moments;
    options.random_vectors = arguments_.random_vectors;
    options.block = std::min(options.block, options.random_vectors);
    Progress progress("kernel polynomial method");
    summary_.density = kpm(queue_, a, options);
    if (arguments_.density.ends_with(".json")) {
      write_json(arguments_.density, eig_json(summary_));
    } else {
      OutputFile file(arguments_.density);
      file.write(density_svg(summary_));
      file.commit();
    }
  }

  const EigArguments& arguments_;
  Queue queue_;
  Style style_;
  EigSummary summary_;
};

}  // namespace

Verb add_eig(CLI::App& root) {
  CLI::App* app = root.add_subcommand("eig", "The lowest eigenvalues of a symmetric matrix, or the density of all");
  auto arguments = std::make_shared<EigArguments>();
  app->add_option("A", arguments->matrix, "Matrix file, or a gallery spec such as holstein-hubbard")
      ->required()
      ->type_name("MATRIX");
  app->add_option("--lowest", arguments->lowest, "How many eigenvalues (default: 4, or none with --density)")
      ->check(CLI::Range(0, 1000).description(""))
      ->type_name("K");
  app->add_option("--tol", arguments->tolerance, "|A v - e v| over the largest |e| (default: 1e-10, in float 1e-5)")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("TOL");
  app->add_option("--max-products", arguments->max_products, "Products with A before it gives up")
      ->check(CLI::Range(1, 1 << 30).description(""))
      ->type_name("N")
      ->capture_default_str();
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
  app->add_option("--threads", arguments->num_threads, "Host threads (default: OMP_NUM_THREADS, or one per core)")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("N");
  app->add_flag("--json", arguments->json, "The record as JSON on standard output instead of the text");
  add_drawing(*app, arguments->drawing);
  add_examples(*app,
               {{"millrace eig A.mtx --lowest 4", "the four lowest eigenvalues, with residuals"},
                {"millrace eig holstein-hubbard --density density.svg", "how all eigenvalues lie, as a picture"}});
  return {app, [arguments] { return Eig(*arguments)(); }};
}

}  // namespace millrace::command
