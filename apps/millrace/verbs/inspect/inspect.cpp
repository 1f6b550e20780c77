// millrace inspect: what a matrix looks like, and what it would cost in every format.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/bench/record.hpp"
#include "terminal/progress.hpp"
#include "verb.hpp"
#include "verbs/files.hpp"
#include "verbs/inspect/mesh.hpp"
#include "verbs/inspect/report.hpp"
#include "verbs/inspect/spy.hpp"
#include "verbs/options.hpp"

namespace millrace::command {

namespace {

struct InspectArguments {
  std::string matrix, order = "none", device = "cpu", precision, spy;
  MeshPicture picture{};
  double read_gb_s = 0;  // 0: measured
  std::int64_t max_memory = 0;
  bool json = false;
  Drawing drawing = Drawing::automatic;
};

template <class T>
std::vector<FormatLine> format_lines(const Csr<T>& a, const Bandwidth& bandwidth, Progress& progress) {
  std::vector<FormatLine> lines;
  const std::vector<std::string> choices = format_choices<T>();
  for (const std::string& choice : choices) {
    progress.update(static_cast<double>(lines.size()) / static_cast<double>(choices.size()), "building " + choice);
    FormatLine line{choice};
    try {
      const AnyFormat<T> format = make_format(a, choice);
      std::visit([&](const auto& f) { line.footprint = f.footprint(), line.details = details_of(f); }, format);
      line.prediction = predict(format, bandwidth);
    } catch (const Unsupported& error) {
      line.refused = error.what();
    } catch (const std::bad_alloc&) {
      line.refused = "not enough memory";
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

int inspect(const InspectArguments& arguments) {
  if (is_mesh_file(arguments.matrix)) {
    require(arguments.spy.empty() && arguments.order == "none", "inspect: --spy and --order are for matrices; ",
            arguments.matrix, " is a mesh");
    return inspect_mesh(arguments.matrix, arguments.json, arguments.max_memory, arguments.picture);
  }
  require(arguments.picture.file.empty() && arguments.picture.cut.empty(),
          "inspect: --picture and --cut are for meshes; ", arguments.matrix, " is a matrix, which --spy FILE draws");
  if (!arguments.spy.empty()) check_spy(arguments.spy);
  Queue queue(parse_device(arguments.device));
  const AnyCsr any =
      reordered(read_or_make(arguments.matrix, false, arguments.max_memory), parse_ordering(arguments.order), false);
  if (!arguments.spy.empty()) write_spy(arguments.spy, any);

  Progress progress("measuring the memory of this machine");
  Inspection result;
  result.matrix = matrix_facts(arguments.matrix, any);
  result.order = arguments.order;
  result.precision = precision_of(any, arguments.precision);
  result.complex = std::holds_alternative<Csr<std::complex<double>>>(any);
  result.device = to_string(queue.device());
  if (arguments.read_gb_s > 0)
    result.bandwidth.read = arguments.read_gb_s * 1e9;
  else
    result.bandwidth = measure_bandwidth(queue);
  progress.update(0, "statistics");
  result.stats = std::visit([](const auto& a) { return compute_stats(a); }, any);
  with_precision(result.precision,
                 [&]<class T>() { result.formats = format_lines(in_precision<T>(any), result.bandwidth, progress); });
  if (arguments.json)
    write_json("-", inspection_json(result));
  else
    fmt::print("{}", inspection_text(result, style_of_stdout(arguments.drawing)));
  return exit_ok;
}

}  // namespace

Verb add_inspect(CLI::App& root) {
  CLI::App* app =
      root.add_subcommand("inspect", "What a matrix looks like, and its cost in every format; or a mesh (.msh)");
  auto arguments = std::make_shared<InspectArguments>();
  app->add_option("A", arguments->matrix, "Matrix file, or a gallery spec such as poisson3d7:n=64")
      ->required()
      ->type_name("MATRIX");
  add_order(*app, arguments->order);
  add_device(*app, arguments->device);
  app->add_option("--read-gb-s", arguments->read_gb_s, "Predict for memory that reads this many GB/s, unmeasured")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("RATE");
  add_precision(*app, arguments->precision, false);
  add_max_memory(*app, arguments->max_memory);
  app->add_option("--spy", arguments->spy, "Draw where the nonzeros are into a .png or .svg file")->type_name("FILE");
  app->add_option("--picture", arguments->picture.file, "Draw the cells of a mesh by group into a .png or .svg file")
      ->type_name("FILE");
  app->add_option("--cut", arguments->picture.cut, "Where --picture cuts a mesh in space: z=0.5, or x,y,z,nx,ny,nz")
      ->type_name("PLANE");
  app->add_flag("--json", arguments->json, "All of it as JSON on standard output");
  add_drawing(*app, arguments->drawing);
  add_examples(*app,
               {{"millrace inspect A.mtx", "statistics, row lengths, and bytes and predicted time in every format"},
                {"millrace inspect A.mtx --order rcm --spy A.png", "the same after reordering, with a picture"},
                {"millrace inspect wing.msh", "cells, volume, worst Jacobian, faces and groups of a mesh"},
                {"millrace inspect ball.msh --picture ball.png --cut z=0.5", "and where a plane cuts it"},
                {"millrace inspect powerlaw --json", "a matrix of the gallery, for a program to read"}});
  return {app, [arguments] { return inspect(*arguments); }};
}

}  // namespace millrace::command
