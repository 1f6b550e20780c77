// millrace pde: a linear partial differential equation from its case file to its solution, a file and a picture.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "command.hpp"
#include "millrace/base/elapsed.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/io/matrix_file.hpp"
#include "terminal/residual_view.hpp"
#include "verb.hpp"
#include "verbs/files.hpp"
#include "verbs/options.hpp"
#include "verbs/pde/report.hpp"

namespace millrace::command {

namespace {

struct PdeArguments {
  std::string file, json, matrix, solution, vtu, component, method, precond, device = "cpu";
  PictureRequest picture{};
  std::optional<int> order;
  int num_threads = 0;
  bool check = false;
  Drawing drawing = Drawing::automatic;
};

void check_arguments(const PdeArguments& arguments) {
  if (!arguments.matrix.empty()) check_output(arguments.matrix);
  if (!arguments.solution.empty()) check_output(arguments.solution, {".mtx", ".mtx.gz", ".mtx.xz"});
  if (!arguments.json.empty() && arguments.json != "-") check_output(arguments.json, {".json"});
  check_picture_options("pde", arguments.picture, arguments.vtu);
}

// The case with what the command line says instead of the file.
PdeCase case_of(const PdeArguments& arguments) {
  PdeCase c = read_pde_case(arguments.file);
  if (arguments.order) c.order = *arguments.order;
  if (!arguments.vtu.empty()) c.vtu = arguments.vtu;
  if (!arguments.picture.file.empty()) c.picture = arguments.picture.file;
  if (!arguments.method.empty()) c.solve.method = arguments.method;
  if (!arguments.precond.empty()) c.solve.preconditioner = arguments.precond;
  return c;
}

AutoReport solve_pde(Queue& queue, const PdeCase& c, const PdeSystem& system, std::vector<double>& u) {
  ResidualLine live;
  AutoOptions options{.method = c.solve.method,
                      .precond = c.solve.preconditioner,
                      .tolerance = c.solve.tolerance,
                      .max_iterations = c.solve.max_iterations};
  options.on.started = [&](const SolvePlan& plan, const SolveOptions& under) {
    live.start(plan.name(), under.tolerance, under.max_iterations);
  };
  if (live.shown())
    options.on.monitor = [&](int iteration, double relative) {
      live.update(iteration, relative);
      return true;
    };
  options.on.finished = [&](const AutoReport&) { live.wipe(); };
  u = system.start;
  return millrace::solve<double>(queue, system.matrix, Vectors<const double>(system.rhs), Vectors<double>(u), options);
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = millrace::Clock::now();
  work();
  return millrace::seconds_since(begin);
}

int pde(const PdeArguments& arguments) {
  check_arguments(arguments);
  const Style style = style_of_stdout(arguments.drawing);
  const auto say = [quiet = arguments.json == "-"](const std::string& text) {
    if (quiet) return;
    fmt::print("{}", text);
    std::fflush(stdout);
  };
  Queue queue(Device::host(), arguments.num_threads);
  Queue solver_queue(parse_device(arguments.device), arguments.num_threads);
  PdeSummary s{.num_threads = queue.num_threads(), .device = to_string(solver_queue.device())};
  PdeCase c;
  std::optional<PdeDrawing> drawing;
  s.read_seconds = seconds_of([&] {
    c = case_of(arguments);
    PictureRequest picture = arguments.picture;
    picture.file = c.picture;
    check_picture_options("pde", picture, c.vtu);
    require_picture("pde", picture, "--component", !arguments.component.empty());
    if (!c.picture.empty()) drawing.emplace(picture, arguments.component, c);
  });
  say(pde_head(c, style));

  PdeSystem system;
  s.assemble_seconds = seconds_of([&] { system = assemble_pde(queue, c); });
  s.num_dofs = system.space.num_dofs();
  s.num_given = system.num_given;
  s.num_entries = system.matrix.num_entries();
  say(pde_system_text(c, s, style));
  if (!arguments.matrix.empty()) {
    write_matrix(arguments.matrix, system.matrix.clone());
    s.files.push_back(arguments.matrix + ": the matrix");
  }
  if (arguments.check) {
    say(named_line("check", "nothing is wrong with this case"));
    return exit_ok;
  }

  std::vector<double> u;
  s.solve_seconds = seconds_of([&] { s.report = solve_pde(solver_queue, c, system, u); });
  say(pde_solve_text(s, style));
  if (s.report.ok())
    s.write_seconds = seconds_of([&] {
      for (int i = 0; i < c.comps(); ++i) s.ranges.push_back(pde_range(system.space, u, i));
      s.errors = pde_errors(queue, c, system.space, u);
      if (!c.vtu.empty()) {
        write_pde_vtu(c.vtu, c, system.space, u);
        s.files.push_back(c.vtu + (c.exact.empty() ? ": u" : ": u, exact, error"));
      }
      if (drawing) {
        drawing->draw(c, system.space, u);
        s.files.push_back(drawing->description());
      }
      if (!arguments.solution.empty()) {
        write_vectors<double>(arguments.solution, u, 1);
        s.files.push_back(arguments.solution + ": the unknowns");
      }
    });
  if (!arguments.json.empty()) write_json(arguments.json, pde_json(c, s));
  say(pde_end_text(c, s, style));
  if (s.report.ok()) return exit_ok;
  fmt::print(stderr, "millrace: not solved: {}, so there is no solution to write; another --method may help\n",
             s.report.reason);
  return exit_not_solved;
}

}  // namespace

Verb add_pde(CLI::App& root) {
  CLI::App* app = root.add_subcommand("pde", "Solve a linear PDE by a case file: formulas, a mesh, a picture");
  auto arguments = std::make_shared<PdeArguments>();
  app->add_option("CASE", arguments->file, "Case file (.toml); examples/pde has some, docs/file-formats.md all keys")
      ->required()
      ->type_name("FILE");
  add_picture_options(*app, arguments->picture, arguments->vtu);
  app->add_option("--component", arguments->component, "Of a vector in the picture: x, y or z (default: its length)")
      ->check(CLI::IsMember({"x", "y", "z"}).description(""))
      ->type_name("NAME");
  app->add_option("--order", arguments->order, "Polynomial order instead of the file's (1 to 8)")
      ->check(CLI::Range(1, 8).description(""))
      ->type_name("P");
  app->add_option("--method", arguments->method, "Instead of the file's: " + method_choices())
      ->check(checked_by([](const std::string& text) { check_method_choice(text); }))
      ->type_name("NAME");
  app->add_option("--precond", arguments->precond, "Instead of the file's: " + precond_choices())
      ->check(checked_by([](const std::string& text) { check_precond_choice(text); }, false))
      ->type_name("NAME");
  app->add_option("-x,--solution", arguments->solution, "Write the unknowns as a Matrix Market array")
      ->type_name("FILE");
  app->add_option("--matrix", arguments->matrix, "Write the matrix of the system, .mtx or .mrx")->type_name("FILE");
  app->add_option("--json", arguments->json, "Write the record of the run; - for standard output")->type_name("FILE");
  app->add_flag("--check", arguments->check, "Read, check and assemble the case, and end");
  add_device(*app, arguments->device)->description("Where the system is solved: cpu, gpu or gpu:NUMBER");
  add_threads(*app, arguments->num_threads, 0);
  add_drawing(*app, arguments->drawing);
  add_examples(*app, {{"millrace pde examples/pde/poisson.toml", "a solution that is known, with its errors"},
                      {"millrace pde case.toml --picture u.png --vtu u.vtu", "the solution for the eye"},
                      {"millrace pde beam.toml --picture w.svg --component z --cut y=0", "one component, in a cut"}});
  return {app, [arguments] { return pde(*arguments); }};
}

}  // namespace millrace::command
