// millrace flow: a case file from its mesh to forces, by hybridizable DG.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "command.hpp"
#include "millrace/bench/command_line.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/io/matrix_file.hpp"
#include "verb.hpp"
#include "verbs/files.hpp"
#include "verbs/flow/report.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

struct FlowArguments {
  std::string file, json, matrix;
  std::optional<int> order;
  int num_threads = 0;
  bool check = false;
  Drawing drawing = Drawing::automatic;
};

int flow(const FlowArguments& arguments) {
  if (!arguments.matrix.empty()) check_output(arguments.matrix, {".mtx", ".mrx"});
  if (!arguments.json.empty() && arguments.json != "-") check_output(arguments.json, {".json"});
  const Style style = style_of_stdout(arguments.drawing);
  const auto say = [quiet = arguments.json == "-"](const std::string& text) {
    if (quiet) return;
    fmt::print("{}", text);
    std::fflush(stdout);
  };
  Queue queue(Device::host(), arguments.num_threads);
  const hdg::Case c = hdg::read_case(arguments.file, arguments.order);
  say(flow_head(c, queue.num_threads(), style));
  if (arguments.check) {
    const hdg::TraceSpace space(c.mesh, c.order);
    const hdg::LocalSolver solver(space, c.problem);
    if (!arguments.matrix.empty())
      write_matrix(arguments.matrix, hdg::trace_matrix(solver, hdg::project(space, solver.comps(), c.start)));
    say(named_line("check", "nothing is wrong with this case"));
    return exit_ok;
  }
  say(flow_columns(c, style));
  const hdg::CaseResult result = hdg::run_case(queue, c, [&](const hdg::CaseStep& step) {
    say(flow_line(c, step));
    return true;
  });
  say(flow_text(c, result, style));
  if (!arguments.json.empty()) write_json(arguments.json, flow_json(c, result, queue.num_threads()));
  if (!arguments.matrix.empty()) {
    const hdg::TraceSpace space(c.mesh, result.orders.back().order);
    write_matrix(arguments.matrix, hdg::trace_matrix(hdg::LocalSolver(space, c.problem), result.state));
  }
  if (result.converged) return exit_ok;
  std::string drag;
  if (c.angle && !result.steps.empty())
    drag = fmt::format("; the last drag coefficient was {:.6g}", result.steps.back().coefficients.drag);
  fmt::print(
      stderr,
      "millrace: not solved: {}{}; a smaller solver.cfl or growth, a lower space.order or a finer mesh may help\n",
      result.reason, drag);
  return exit_not_solved;
}

}  // namespace

Verb add_flow(CLI::App& root) {
  CLI::App* app = root.add_subcommand("flow", "Flow by a case file: hybridizable DG, from a mesh to forces");
  auto arguments = std::make_shared<FlowArguments>();
  app->add_option("CASE", arguments->file, "Case file (.toml); examples/flow has some, docs/hdg.md all keys")
      ->required()
      ->type_name("FILE");
  app->add_option("--order", arguments->order, "Polynomial order instead of the file's (1 to 6, tets 1 to 4)")
      ->check(CLI::Range(1, 6).description(""))
      ->type_name("P");
  app->add_flag("--check", arguments->check, "Read and check the case, say what it needs, and end");
  app->add_option("--json", arguments->json, "Write the record with the history of all steps; - for standard output")
      ->type_name("FILE");
  app->add_option("--matrix", arguments->matrix,
                  "Write the trace matrix of the end (with --check: of the start), .mtx or .mrx")
      ->type_name("FILE");
  add_threads(*app, arguments->num_threads, 0);
  add_drawing(*app, arguments->drawing);
  app->footer(
      "Examples:\n  millrace flow examples/flow/naca0012.toml\n  millrace flow examples/flow/naca0012.toml --order 1\n"
      "\nA line per Newton step: order, step, pseudo-time (cfl), what was asked of GMRES and its iterations, the\n"
      "length of the step, the residual before it, drag and lift after it.");
  return {app, [arguments] { return flow(*arguments); }};
}

}  // namespace millrace::command
