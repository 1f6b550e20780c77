// Settings of the linear solver and bytes, in words and as JSON.
#include "verbs/flow/linear.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "command.hpp"
#include "millrace/bench/record.hpp"
#include "millrace/hdg/trace_solver_words.hpp"

namespace millrace::command {

using Json = nlohmann::ordered_json;

std::string linear_text(const hdg::Case& c) {
  const hdg::TraceSolverOptions& linear = c.newton.linear;
  const hdg::TraceSolverWords words = hdg::words_of(linear);
  std::string text = fmt::format("GMRES, cycles of {}, to {:g}; block ILU(0) in {} numbers, elimination {}",
                                 linear.cycle, c.newton.linear_tolerance, words.factors, words.elimination);
  if (const int low = hdg::coarse_order_of(linear, c.order); low >= 0)
    text += fmt::format("; coarse system of order {}, {} steps ({})", low, linear.coarse_steps, words.coarse);
  return text;
}

Json linear_json(const hdg::Case& c) {
  const hdg::TraceSolverOptions& linear = c.newton.linear;
  const hdg::TraceSolverWords words = hdg::words_of(linear);
  Json json = {{"elimination", words.elimination},
               {"factors", words.factors},
               {"cycle", linear.cycle},
               {"tolerance", c.newton.linear_tolerance},
               {"coarse", words.coarse}};
  if (linear.coarse_order >= 0) {
    json["coarse_order"] = linear.coarse_order;
    json["coarse_steps"] = linear.coarse_steps;
  }
  return json;
}

std::string changes_line(const hdg::NewtonStep& step) {
  return step.changes.empty() ? "" : fmt::format("{:>10}: {}\n", "changed", step.changes);
}

std::string peak_text(const hdg::OrderResult& order) {
  return order.peak_bytes > 0 ? fmt::format("; memory {}", bytes_text(order.peak_bytes)) : "";
}

Json memory_json(const hdg::OrderResult& order) {
  const auto whole = [](double bytes) { return static_cast<std::int64_t>(bytes); };
  const hdg::MemoryEstimate& memory = order.memory;
  return {{"peak_bytes", whole(order.peak_bytes)}, {"estimate_bytes", whole(memory.total())},
          {"matrix_bytes", whole(memory.matrix)},  {"factors_bytes", whole(memory.factors)},
          {"basis_bytes", whole(memory.basis)},    {"cells_bytes", whole(memory.cells)},
          {"coarse_bytes", whole(memory.coarse)},  {"rest_bytes", whole(memory.rest)}};
}

}  // namespace millrace::command
