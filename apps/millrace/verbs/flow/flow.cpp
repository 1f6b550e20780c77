// millrace flow: a case file from its mesh to forces, by hybridizable DG.
#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "command.hpp"
#include "millrace/bench/command_line.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/hdg/state_file.hpp"
#include "millrace/hdg/walls.hpp"
#include "millrace/io/matrix_file.hpp"
#include "millrace/io/output_file.hpp"
#include "terminal/interrupt.hpp"
#include "verb.hpp"
#include "verbs/files.hpp"
#include "verbs/flow/check.hpp"
#include "verbs/flow/drawing.hpp"
#include "verbs/flow/forces.hpp"
#include "verbs/flow/preview.hpp"
#include "verbs/flow/report.hpp"
#include "verbs/flow/series.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

struct FlowArguments {
  std::string file, json, matrix, vtu, field, forces, save, resume;
  std::vector<std::string> walls;  // files
  PictureRequest picture{};
  std::optional<int> order;
  int num_threads = 0, save_every = 0, vtu_every = 1, subdivide = 0;
  bool check = false;
  Drawing drawing = Drawing::automatic;
  std::string preview = "auto";

  bool is_series() const { return vtu.ends_with(".pvd"); }
};

// Of a place that can be written to.
void check_state_output(const std::string& path) {
  check_output(path, {".mrs"});
  const OutputFile opened(path);  // and goes away
}

std::optional<hdg::SavedState> state_to_resume(const std::string& path, const hdg::Case& c) {
  if (path.empty()) return {};
  hdg::SavedState saved = hdg::read_state(path);
  hdg::require_fit(saved, path, hdg::identity_of(hdg::TraceSpace(c.mesh, 1)), *c.problem.equation);
  if (c.time) hdg::require_fit(saved, path, c.time->end);
  return saved;
}

std::string resume_text(const FlowArguments& arguments) {
  if (arguments.save.empty()) return "";
  return fmt::format("; the state is in {}: go on with millrace flow {} --resume {}", arguments.save, arguments.file,
                     arguments.save);
}

void check_flow_arguments(const FlowArguments& arguments) {
  if (!arguments.matrix.empty()) check_output(arguments.matrix, {".mtx", ".mrx"});
  if (!arguments.json.empty() && arguments.json != "-") check_output(arguments.json, {".json"});
  if (!arguments.forces.empty()) check_output(arguments.forces, {".csv"});
  if (!arguments.save.empty()) check_state_output(arguments.save);
  for (const std::string& file : arguments.walls) check_output(file, {".csv", ".svg"});
  if (!arguments.vtu.empty()) check_output(arguments.vtu, {".vtu", ".pvd"});
  require(arguments.vtu_every == 1 || arguments.is_series(),
          "flow: --vtu-every says how many steps are between two files of --vtu FILE.pvd; it needs that");
  check_picture_options("flow", arguments.picture, "");
  require_picture("flow", arguments.picture, "--field", !arguments.field.empty());
}

// The space and the solver of the last order, made when they are first asked for.
class EndOfFlow {
 public:
  EndOfFlow(const hdg::Case& c, const hdg::CaseResult& result) : case_(c), result_(result) {}
  const hdg::LocalSolver& solver() {
    if (!solver_) solver_.emplace(space_.emplace(case_.mesh, result_.orders.back().order), case_.problem);
    return *solver_;
  }

 private:
  const hdg::Case& case_;
  const hdg::CaseResult& result_;
  std::optional<hdg::TraceSpace> space_;
  std::optional<hdg::LocalSolver> solver_;
};

// The matrix, and of a solution what was asked for. Returns the files with what they show.
std::vector<std::string> write_flow(const FlowArguments& arguments, const hdg::Case& c, const hdg::CaseResult& result,
                                    EndOfFlow& end, const std::optional<FlowDrawing>& drawing) {
  std::vector<std::string> files;
  const bool vtu = !arguments.vtu.empty() && !arguments.is_series(),
             shown = result.converged && (drawing || vtu || !arguments.walls.empty());
  if (arguments.matrix.empty() && !shown) return files;
  const hdg::LocalSolver& solver = end.solver();
  if (!arguments.matrix.empty()) {
    write_matrix(arguments.matrix, hdg::trace_matrix(solver, result.state));
    files.push_back(arguments.matrix + ": the trace matrix");
  }
  if (shown && vtu) files.push_back(write_flow_vtu(arguments.vtu, solver, result.state, arguments.subdivide));
  if (shown && !arguments.walls.empty()) {
    const auto curves = hdg::wall_curves(solver, result.state, c.force_groups);
    for (const std::string& file : arguments.walls) {
      if (file.ends_with(".csv"))
        hdg::write_wall_table(file, curves);
      else
        hdg::write_wall_plot(file, curves, c.title);
      files.push_back(file + ": pressure and friction along the walls");
    }
  }
  if (shown && drawing) {
    drawing->draw(solver, result.state);
    files.push_back(drawing->description());
  }
  return files;
}

// What only cases of some kinds have.
void check_kind_of_case(const FlowArguments& arguments, const hdg::Case& c) {
  require<Unsupported>(arguments.walls.empty() || (c.is_gas && c.mesh.dim == 2 && !c.force_groups.empty()),
                       "flow: --walls is for a gas in the plane with walls; ", c.file, " is of ",
                       c.problem.equation->name(), " in ", c.mesh.dim, " dimensions, with ", c.force_groups.size(),
                       " groups of walls");
  require(arguments.forces.empty() || c.time, arguments.file,
          ": --forces writes forces against time, and the case has no [time]");
  require(!arguments.is_series() || c.time, arguments.file,
          ": --vtu FILE.pvd writes a series in time, and the case has no [time]; FILE.vtu is accepted");
}

// None where standard output cannot show it, or has no place for it.
std::optional<FlowPreview> preview_of(const FlowArguments& arguments, const hdg::Case& c, const Style& style) {
  const bool asked = arguments.preview == "always", never = arguments.preview == "never" || arguments.json == "-";
  const Preview when = never ? Preview::never : asked ? Preview::always : Preview::automatic;
  const PreviewRoom room = preview_room(when, style);
  if (room.depth == ColourDepth::none) return {};
  try {
    return FlowPreview(room, arguments.picture, arguments.field, c);
  } catch (const Error&) {
    if (asked) throw;
    return {};  // of a picture that nobody has asked for
  }
}

// After the last step: the end of the series, and the small picture.
void show_end(const hdg::CaseResult& result, EndOfFlow& end, FlowSeries* series, const FlowPreview* preview,
              const std::function<void(const std::string&)>& say) {
  if (series && !result.steps.empty())
    series->end({end.solver(), result.state, result.steps.back().time->time, result.steps.back().number});
  if (preview && result.converged) say(preview->text(end.solver(), result.state));
}

int flow(const FlowArguments& arguments) {
  check_flow_arguments(arguments);
  const Style style = style_of_stdout(arguments.drawing);
  const auto say = [quiet = arguments.json == "-"](const std::string& text) {
    if (quiet) return;
    fmt::print("{}", text);
    std::fflush(stdout);
  };
  Queue queue(Device::host(), arguments.num_threads);
  const hdg::Case c = hdg::read_case(arguments.file, arguments.order);
  std::optional<FlowDrawing> drawing;
  if (!arguments.picture.file.empty()) drawing.emplace(arguments.picture, arguments.field, c);
  check_kind_of_case(arguments, c);
  const std::optional<FlowPreview> preview = preview_of(arguments, c, style);
  const std::optional<hdg::SavedState> saved = state_to_resume(arguments.resume, c);
  const hdg::SavedState* resume = saved ? &*saved : nullptr;
  std::optional<ForcesFile> forces;
  if (!arguments.forces.empty()) forces.emplace(arguments.forces, c, resume);
  std::optional<FlowSeries> series;
  if (arguments.is_series()) series.emplace(arguments.vtu, arguments.vtu_every, arguments.subdivide, resume);
  say(flow_head(c, queue.num_threads(), style));
  if (saved) say(saved_text(arguments.resume, *saved, c, style));
  if (arguments.check) {
    say(check_text(queue, c, style));
    if (!arguments.matrix.empty()) {
      const hdg::TraceSpace space(c.mesh, c.order);
      const hdg::LocalSolver solver(space, c.problem);
      write_matrix(arguments.matrix, hdg::trace_matrix(solver, hdg::project(space, solver.comps(), c.start)));
    }
    say(named_line("check", "nothing is wrong with this case"));
    return exit_ok;
  }
  say(flow_columns(c, style));
  if (forces) forces->begin();
  const auto show = [&](const hdg::CaseMoment& moment) {
    if (series) series->show(moment);
  };
  const SoftInterruption soft(!arguments.save.empty());
  const hdg::CaseResult result =
      hdg::run_case(queue, c,
                    [&](const hdg::CaseStep& step) {
                      say(flow_line(c, step));
                      if (forces) forces->add(step);
                      return SoftInterruption::signal() == 0;
                    },
                    {.save = arguments.save, .save_every = arguments.save_every, .resume = resume, .show = show});
  say(flow_text(c, result, style));
  if (!arguments.json.empty()) write_json(arguments.json, flow_json(c, result, queue.num_threads()));
  EndOfFlow end(c, result);
  show_end(result, end, series ? &*series : nullptr, preview ? &*preview : nullptr, say);
  std::vector<std::string> files = write_flow(arguments, c, result, end, drawing);
  if (series) files.push_back(series->description());
  for (std::size_t i = 0; i < files.size(); ++i) say(folded_line(i == 0 ? "wrote" : "", files[i], style));
  if (result.converged) return exit_ok;
  if (const int signal = SoftInterruption::signal()) {
    fmt::print(stderr, "millrace: interrupted{}\n", resume_text(arguments));
    return 128 + signal;
  }
  std::string drag;
  if (c.angle && !result.steps.empty())
    drag = fmt::format("; the last drag coefficient was {:.6g}", result.steps.back().coefficients.drag);
  const char* advice = c.time ? "a smaller time.step" : "a smaller solver.cfl or growth";
  fmt::print(
      stderr, "millrace: not solved: {}{}{}; {}, a lower space.order or a finer mesh may help{}\n", result.reason, drag,
      drawing || (!arguments.vtu.empty() && !series) || !arguments.walls.empty() ? "; there is no solution to write"
                                                                                 : "",
      advice, resume_text(arguments));
  return exit_not_solved;
}

}  // namespace

Verb add_flow(CLI::App& root) {
  CLI::App* app = root.add_subcommand("flow", "Flow by a case file: hybridizable DG, from a mesh to forces");
  auto arguments = std::make_shared<FlowArguments>();
  app->add_option("CASE", arguments->file, "Case file (.toml); examples/flow has some, docs/flow.md all keys")
      ->required()
      ->type_name("FILE");
  app->add_option("--order", arguments->order, "Polynomial order instead of the file's (1 to 6, tets 1 to 4)")
      ->check(CLI::Range(1, 6).description(""))
      ->type_name("P");
  add_picture_options(*app, arguments->picture, arguments->vtu);
  CLI::Option* vtu = app->get_option("--vtu")->description(
      "Write the solution for ParaView (.vtu), or in time a series (.pvd, and .vtu files beside it)");
  app->add_option("--vtu-every", arguments->vtu_every, "Of a series every N-th step, and the last one (default: 1)")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->type_name("N")
      ->needs(vtu);
  app->add_option("--subdivide", arguments->subdivide,
                  "Straight cells in place of curved ones in .vtu files: every edge in N parts (1 to 8)")
      ->check(CLI::Range(1, 8).description(""))
      ->type_name("N")
      ->needs(vtu);
  app->add_option("--preview", arguments->preview,
                  "A small picture in the terminal at the end: auto (where it has colours), always, never")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""))
      ->type_name("WHEN");
  app->add_option("--walls", arguments->walls, "Pressure and friction along the walls, .csv or .svg; several times")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app->add_option("--field", arguments->field, "What the picture shows: " + flow_field_names())->type_name("NAME");
  app->add_flag("--check", arguments->check, "Read and check the case, say what memory and time it needs, and end");
  CLI::Option* save = app->add_option("--save", arguments->save,
                                      "Write the state (.mrs) at the end, when the run diverges, and on Ctrl-C")
                          ->type_name("FILE");
  app->add_option("--save-every", arguments->save_every, "and after every N steps")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->type_name("N")
      ->needs(save);
  app->add_option("--resume", arguments->resume, "Go on from a state, of this or another order")->type_name("FILE");
  app->add_option("--json", arguments->json, "Write the record with the history of all steps; - for standard output")
      ->type_name("FILE");
  app->add_option("--matrix", arguments->matrix,
                  "Write the trace matrix of the end (with --check: of the start), .mtx or .mrx")
      ->type_name("FILE");
  app->add_option("--forces", arguments->forces,
                  "Write forces against time, for cases with a [time] table (.csv); with --resume the file goes on")
      ->type_name("FILE");
  add_threads(*app, arguments->num_threads, 0);
  add_drawing(*app, arguments->drawing);
  app->footer(
      "Examples:\n  millrace flow examples/flow/naca0012.toml\n  millrace flow examples/flow/naca0012.toml --order 1\n"
      "  millrace flow examples/flow/vortex.toml --picture vortex.png --field pressure\n"
      "  millrace flow examples/flow/cylinder.toml --picture wake.png --field vorticity --view -2,8,-3,3 --range "
      "-3,3\n"
      "  millrace flow case.toml --save case.mrs --save-every 5\n"
      "  millrace flow case.toml --resume case.mrs --order 3 --save case.mrs\n"
      "  millrace flow examples/flow/moving_vortex.toml --vtu vortex.pvd --vtu-every 5 --subdivide 4\n"
      "\nA line per Newton step: order, step, pseudo-time (cfl), what was asked of GMRES and its iterations, the\n"
      "length of the step, the residual before it, drag and lift after it. In time a line per step: its number, the\n"
      "time after it, its size, the estimate of its error, Newton steps, iterations.");
  return {app, [arguments] { return flow(*arguments); }};
}

}  // namespace millrace::command
