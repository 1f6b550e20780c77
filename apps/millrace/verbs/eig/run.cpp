// Eigenvalues on one rank; the checks and the files of both.
#include "verbs/eig/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "millrace/bench/command_line.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/io/output_file.hpp"
#include "millrace/precond/direct.hpp"
#include "millrace/precond/eigen.hpp"
#include "millrace/tune/choose_format.hpp"
#include "verb.hpp"
#include "verbs/files.hpp"

namespace millrace::command {

namespace {

double asymmetry_of(const AnyCsr& any) {
  return std::visit([](const auto& csr) { return asymmetry(sort_rows(csr)); }, any);
}
bool is_complex_matrix(const AnyCsr& any) { return any.index() == 1; }

}  // namespace

Eig::Eig(const EigArguments& arguments)
    : arguments_(arguments),
      queue_(device_of_rank(arguments.device), threads_of_rank(arguments.num_threads)),
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

int Eig::operator()() {
  arguments_.ranks.wanted() ? run_on_ranks() : run_here();
  if (arguments_.json && talks()) write_json("-", eig_json(summary_));
  if (summary_.values.ok() && summary_.density.ok()) return exit_ok;
  std::fflush(stdout);
  if (talks())
    fmt::print(stderr, "millrace: not solved: {}\n",
               summary_.values.ok() ? summary_.density.reason : summary_.values.reason);
  return exit_not_solved;
}

/// Rounding errors of an assembly are no asymmetry; the rule is that of `solve`.
void Eig::check_symmetry(double asymmetry, const std::string& name, bool complex_numbers) const {
  require(asymmetry <= max_asymmetry, name, ": is not ", complex_numbers ? "Hermitian" : "symmetric", " (|A - A^H| is ",
          asymmetry, " of |A|, ", max_asymmetry, " is accepted as rounding); eig takes symmetric and Hermitian ",
          "matrices");
}

void Eig::check_count() const {
  require(summary_.num <= summary_.matrix.rows, "--", summary_.which == "near" ? "num" : summary_.which, " ",
          summary_.num, ": the matrix has ", summary_.matrix.rows, " eigenvalues");
}

void Eig::note_request() {
  summary_.device = to_string(queue_.device());
  summary_.num_threads = queue_.device().on_host() ? queue_.num_threads() : 0;
}

void Eig::print(const std::string& text) const {
  if (arguments_.json || !talks()) return;
  fmt::print("{}", text);
  std::fflush(stdout);
}

EigenOptions Eig::eigen_options(Progress& progress, bool narrow) const {
  EigenOptions options;
  options.end = summary_.which == "highest" ? SpectrumEnd::highest : SpectrumEnd::lowest;
  options.tolerance = arguments_.tolerance > 0 ? arguments_.tolerance : narrow ? 1e-5 : 1e-10;
  options.krylov_vectors = arguments_.basis;
  options.block = arguments_.block;
  options.verify = !arguments_.unchecked;
  options.max_iterations = arguments_.max_products;
  options.monitor = [&progress, max = arguments_.max_products](int products, double residual) {
    progress.update(static_cast<double>(products) / max,
                    fmt::format("lanczos: {} products, residual {:.1e}", products, residual));
    return true;
  };
  return options;
}

KpmOptions Eig::kpm_options() const {
  KpmOptions options;
  options.num_moments = arguments_.moments;
  options.random_vectors = arguments_.random_vectors;
  options.block = std::min(options.block, options.random_vectors);
  return options;
}

void Eig::write_density() const {
  if (!talks()) return;
  if (arguments_.density.ends_with(".json")) return write_json(arguments_.density, eig_json(summary_));
  OutputFile file(arguments_.density);
  file.write(density_svg(summary_));
  file.commit();
}

template <class T>
std::vector<T> Eig::read_start() const {
  std::vector<T> values = read_vector<T>(arguments_.start);
  require(std::ssize(values) == summary_.matrix.rows, arguments_.start, ": has ", values.size(),
          " entries; the matrix has ", summary_.matrix.rows, " rows, so as many are accepted");
  return values;
}

void Eig::run_here() {
  const AnyCsr any = read_or_make(arguments_.matrix, false, arguments_.max_memory);
  summary_.matrix = matrix_facts(arguments_.matrix, any);
  check_square(summary_.matrix, "eig", "it has no eigenvalues");
  check_symmetry(asymmetry_of(any), summary_.matrix.name, is_complex_matrix(any));
  std::optional<AnyCsr> mass;
  if (!arguments_.mass.empty()) {
    mass = read_or_make(arguments_.mass);
    summary_.mass = matrix_facts(arguments_.mass, *mass);
    require(summary_.mass.rows == summary_.matrix.rows && summary_.mass.cols == summary_.matrix.cols,
            summary_.mass.name, ": is ", summary_.mass.rows, " x ", summary_.mass.cols, "; the matrix is ",
            summary_.matrix.rows, " x ", summary_.matrix.cols, ", so M must be");
    check_symmetry(asymmetry_of(*mass), summary_.mass.name, is_complex_matrix(*mass));
  }
  summary_.precision = precision_of(any, arguments_.precision);
  with_precision(summary_.precision, [&]<class T>() {
    const Csr<T> m = mass ? sort_rows(in_precision<T>(*mass)) : Csr<T>();
    run_here(sort_rows(in_precision<T>(any)), mass ? &m : nullptr);
  });
}

template <class T>
void Eig::run_here(const Csr<T>& csr, const Csr<T>* mass) {
  note_request();
  const bool plain = !arguments_.near && !mass && arguments_.method != "invert";
  std::optional<SparseMatrix<T>> a;
  if (plain || !arguments_.density.empty()) {
    const bool chosen = arguments_.format == "auto";
    FormatChoice format =
                     chosen ? choose_format(compute_stats(csr), queue_.device()) : FormatChoice{arguments_.format, ""},
                 made;
    a.emplace(make_matrix(queue_, csr, {.format = format.format, .or_csr = chosen}, &made));
    if (made.format != format.format) format = made;  // the one that was chosen cannot hold the matrix
    summary_.format = format.format;
    summary_.format_reason = format.reason;
  }
  check_count();
  Array<T> start;
  if (!arguments_.start.empty()) start = Array<T>(std::span<const T>(read_start<T>())).to(queue_.device());
  print(eig_head(summary_, style_));
  if (summary_.num > 0) find_values(csr, plain ? &*a : nullptr, mass, start);
  if (!arguments_.density.empty()) {
    Progress progress("kernel polynomial method");
    summary_.density = kpm(queue_, *a, kpm_options());
    write_density();
  }
  print(eig_text(summary_, style_));
}

template <class T>
void Eig::find_values(const Csr<T>& csr, const SparseMatrix<T>* a, const Csr<T>* mass, const Array<T>& begin) {
  Progress progress("lanczos");
  EigenOptions options = eigen_options(progress, sizeof(RealOf<T>) == 4);
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
void Eig::invert(const Csr<T>& csr, const Csr<T>* mass, const EigenOptions& options, const Vectors<T>& room,
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

#define MILLRACE_INSTANTIATE(T) template std::vector<T> Eig::read_start<T>() const
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);
#undef MILLRACE_INSTANTIATE

}  // namespace millrace::command
