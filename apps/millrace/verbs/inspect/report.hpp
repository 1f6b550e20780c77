// What `millrace inspect` finds, as text for a reader and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "command.hpp"
#include "millrace/bench/point.hpp"
#include "millrace/sparse/stats.hpp"
#include "millrace/tune/predict.hpp"
#include "terminal/terminal.hpp"

namespace millrace::command {

/// A format of this matrix: what it holds, and how long a product should take.
struct FormatLine {
  std::string format;  // "sell-32-1024"
  Footprint footprint{};
  std::string details{};  // how it is stored
  Prediction prediction{};
  std::string refused{};  // why it could not be built, instead of the figures
};

struct Inspection {
  MatrixFacts matrix{};
  std::string order{};
  std::string precision{};
  bool complex = false;
  std::string device{};
  Bandwidth bandwidth{};
  MatrixStats stats{};
  std::vector<FormatLine> formats{};
};

std::string inspection_text(const Inspection& inspection, const Style& style);
nlohmann::ordered_json inspection_json(const Inspection& inspection);

/// "symmetric", "pattern symmetric, 93.1 % of the values", ...
std::string symmetry_text(const MatrixStats& stats, bool complex);
std::string histogram_text(const MatrixStats& stats, const Style& style);

}  // namespace millrace::command
