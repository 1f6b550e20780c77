// millrace eig: eigenvalues of a symmetric matrix at the ends of its spectrum or near a number, and the density of all
// of them by the kernel polynomial method.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.hpp"
#include "millrace/bench/command_line.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/io/matrix_file.hpp"
#include "millrace/io/output_file.hpp"
#include "millrace/precond/direct.hpp"
#include "millrace/precond/eigen.hpp"
#include "millrace/tune/choose_format.hpp"
#include "terminal/progress.hpp"
#include "verb.hpp"
#include "verbs/eig/report.hpp"
#include "verbs/files.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

constexpr int max_tried = 2000;  // products of plain Lanczos before a factorisation is tried

struct EigArguments {
  std::string matrix, mass, method = "auto", start, format = "auto", precision, device = "cpu", vectors, density;
  int lowest = -1, highest = -1, num = -1, max_products = 10000, basis = 0, block = 0;
  int moments = 512, random_vectors = 8, num_threads = 0;
  double tolerance = 0;
  std::optional<double> near;
  bool json = false, unchecked = false;
  std::int64_t max_memory = 0;
  Drawing drawing = Drawing::automatic;
};

class Eig {
 public:
  explicit Eig(const EigArguments& arguments)
      : arguments_(arguments),
        queue_(parse_device(arguments.device), arguments.num_threads),
        style_(style_of_stdout(arguments.drawing)) {
    summary_.which = arguments.near ? "near" : arguments.highest >= 0 ? "highest" : "lowest";
    require((arguments.near ? 1 : 0) + (arguments.highest >= 0 ? 1 : 0) + (arguments.lowest >= 0 ? 1 : 0) <= 1,
            "eig: one of --lowest, --highest and --near can be asked for at a time");
    const int asked = arguments.highest >= 0  ? arguments.highest
                      : arguments.lowest >= 0 ? arguments.lowest
                                              : arguments.num;
    const bool density_alone = !arguments.density.empty() && !arguments.near && arguments.mass.empty();
    summary_.num = asked >= 0 ? asked : density_alone ? 0 : 4;
    if (arguments.near) summary_.near = *arguments.near;
    require(arguments.method != "lanczos" || (!arguments.near && arguments.mass.empty()),
            "--method lanczos: --near and --mass need a factorisation, so auto and invert are accepted with them");
    if (!arguments.vectors.empty()) check_output(arguments.vectors, {".mtx"});
    if (!arguments.density.empty()) check_output(arguments.density, {".svg", ".json"});
  }

  int operator()() {
    const AnyCsr any = read_or_make(arguments_.matrix, false, arguments_.max_memory);
    summary_.matrix = matrix_facts(arguments_.matrix, any);
    require(summary_.matrix.rows == summary_.matrix.cols, summary_.matrix.name, ": is ", summary_.matrix.rows, " x ",
            summary_.matrix.cols, "; eig takes square matrices only");
    require(summary_.matrix.rows > 0, summary_.matrix.name, ": has no rows, so it has no eigenvalues");
    require_symmetric(any, summary_.matrix.name);
    std::optional<AnyCsr> mass;
    if (!arguments_.mass.empty()) {
      mass = read_or_make(arguments_.mass);
      summary_.mass = matrix_facts(arguments_.mass, *mass);
      require(summary_.mass.rows == summary_.matrix.rows && summary_.mass.cols == summary_.matrix.cols,
              summary_.mass.name, ": is ", summary_.mass.rows, " x ", summary_.mass.cols, "; the matrix is ",
              summary_.matrix.rows, " x ", summary_.matrix.cols, ", so M must be");
      require_symmetric(*mass, summary_.mass.name);
    }
    summary_.precision = precision_of(any, arguments_.precision);
    with_precision(summary_.precision, [&]<class T>() {
      const Csr<T> m = mass ? sort_rows(in_precision<T>(*mass)) : Csr<T>();
      run(sort_rows(in_precision<T>(any)), mass ? &m : nullptr);
    });
    if (arguments_.json) write_json("-", eig_json(summary_));
    if (summary_.values.ok() && summary_.density.ok()) return exit_ok;
    std::fflush(stdout);
    fmt::print(stderr, "millrace: not solved: {}\n",
               summary_.values.ok() ? summary_.density.reason : summary_.values.reason);
    return exit_not_solved;
  }

 private:
  /// Rounding errors of an assembly are no asymmetry; the rule is that of `solve`.
  static void require_symmetric(const AnyCsr& any, const std::string& name) {
    std::visit(
        [&]<class T>(const Csr<T>& csr) {
          const double found = asymmetry(sort_rows(csr));
          require(found <= max_asymmetry, name, ": is not ", is_complex<T> ? "Hermitian" : "symmetric",
                  " (|A - A^H| is ", found, " of |A|, ", max_asymmetry,
                  " is accepted as rounding); eig takes symmetric and Hermitian ", "matrices");
        },
        any);
  }

  template <class T>
  void run(const Csr<T>& csr, const Csr<T>* mass) {
    summary_.device = to_string(queue_.device());
    summary_.num_threads = queue_.device().on_host() ? queue_.num_threads() : 0;
    const bool plain = !arguments_.near && !mass && arguments_.method != "invert";
    std::optional<SparseMatrix<T>> a;
    if (plain || !arguments_.density.empty()) {
      const bool chosen = arguments_.format == "auto";
      FormatChoice format = chosen ? choose_format(compute_stats(csr), queue_.device())
                                   : FormatChoice{arguments_.format, ""},
                   made;
      a.emplace(make_matrix(queue_, csr, {.format = format.format, .or_csr = chosen}, &made));
      if (made.format != format.format) format = made;  // the one that was chosen cannot hold the matrix
      summary_.format = format.format;
      summary_.format_reason = format.reason;
    }
    require(summary_.num <= csr.num_rows, "--", summary_.which == "near" ? "num" : summary_.which, " ", summary_.num,
            ": the matrix has ", csr.num_rows, " eigenvalues");
    const Array<T> start = start_vector<T>(csr.num_rows);
    if (!arguments_.json) fmt::print("{}", eig_head(summary_, style_));
    std::fflush(stdout);
    if (summary_.num > 0) find_values(csr, plain ? &*a : nullptr, mass, start);
    if (!arguments_.density.empty()) find_density(*a);
    if (!arguments_.json) fmt::print("{}", eig_text(summary_, style_));
  }

  template <class T>
  void find_values(const Csr<T>& csr, const SparseMatrix<T>* a, const Csr<T>* mass, const Array<T>& begin) {
    EigenOptions options;
    options.end = summary_.which == "highest" ? SpectrumEnd::highest : SpectrumEnd::lowest;
    options.tolerance = arguments_.tolerance > 0 ? arguments_.tolerance : sizeof(RealOf<T>) == 4 ? 1e-5 : 1e-10;
    options.krylov_vectors = arguments_.basis;
    options.block = arguments_.block;
    options.verify = !arguments_.unchecked;
    Progress progress("lanczos");
    options.monitor = [&](int products, double residual) {
      progress.update(static_cast<double>(products) / options.max_iterations,
                      fmt::format("lanczos: {} products, residual {:.1e}", products, residual));
      return true;
    };
    const Vectors<const T> start = begin.empty() ? Vectors<const T>{} : Vectors<const T>(begin);
    Array<T> vectors(queue_.device(), arguments_.vectors.empty() ? 0 : std::int64_t{summary_.num} * csr.num_rows);
    const Vectors<T> room = vectors.empty() ? Vectors<T>{} : Vectors<T>(vectors, summary_.num);
    const bool either = arguments_.method == "auto" && can_factorise();
    summary_.method = "lanczos";
    if (a) {
      options.max_iterations = either ? std::min(max_tried, arguments_.max_products) : arguments_.max_products;
      summary_.values = lanczos(queue_, *a, summary_.num, options, room, start);
    }
    options.max_iterations = arguments_.max_products;
    if (!a || (either && summary_.values.end == SolveEnd::max_iterations)) invert(csr, mass, options, room, start);
    if (a && summary_.values.end == SolveEnd::max_iterations && summary_.method == "lanczos" &&
        summary_.values.iterations < arguments_.max_products)
      summary_.values = lanczos(queue_, *a, summary_.num, options, room, start);
    if (!vectors.empty())
      write_vectors<T>(arguments_.vectors, vectors.to_vector(), summary_.num,
                       {.comment = "eigenvectors, in the order of the eigenvalues"});
  }

  /// By a factorisation; after a plain try, one that does not fit leaves things as they are.
  template <class T>
  void invert(const Csr<T>& csr, const Csr<T>* mass, const EigenOptions& options, const Vectors<T>& room,
              const Vectors<const T>& start) {
    const bool after = !summary_.values.values.empty();
    const std::string tried = summary_.values.reason;
    try {
      const Csr<T> a = csr.to(queue_.device()), m = mass ? mass->to(queue_.device()) : Csr<T>();
      const FactorisedEigenReport found =
          arguments_.near
              ? eigen_near(queue_, a, *arguments_.near, summary_.num, options, mass ? &m : nullptr, room, start)
              : eigen_at_end(queue_, a, summary_.num, options, mass ? &m : nullptr, room, start);
      summary_.values = found;
      summary_.method = "invert";
      summary_.sigma = found.sigma;
      summary_.factorisation = found.factorisation;
      summary_.num_factorisations = found.num_factorisations;
      summary_.tried = tried;
    } catch (const Error& error) {
      if (!after) throw;
      summary_.tried = error.what();
    }
  }

  template <class T>
  Array<T> start_vector(Index n) {
    if (arguments_.start.empty()) return {};
    const std::vector<T> values = read_vector<T>(arguments_.start);
    require(std::ssize(values) == n, arguments_.start, ": has ", values.size(), " entries; the matrix has ", n,
            " rows, so as many are accepted");
    return Array<T>(std::span<const T>(values)).to(queue_.device());
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
  app->add_option("--threads", arguments->num_threads, "Host threads (default: OMP_NUM_THREADS, or one per core)")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("N");
  app->add_flag("--json", arguments->json, "The record as JSON on standard output instead of the text");
  add_max_memory(*app, arguments->max_memory);
  add_drawing(*app, arguments->drawing);
  add_examples(*app,
               {{"millrace eig A.mtx --lowest 4", "the four lowest eigenvalues, with residuals"},
                {"millrace eig K.mtx --mass M.mtx --near 1e4", "four modes near 1e4"},
                {"millrace eig holstein-hubbard --density density.svg", "how all eigenvalues lie, as a picture"}});
  return {app, [arguments] { return Eig(*arguments)(); }};
}

}  // namespace millrace::command
