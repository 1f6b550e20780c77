// What `millrace eig` tells: as text, as JSON ("millrace.eig", version 1) and as a picture of the density.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "command.hpp"
#include "millrace/bench/point.hpp"
#include "millrace/solve/kpm.hpp"
#include "millrace/solve/lanczos.hpp"
#include "terminal/terminal.hpp"

namespace millrace::command {

struct EigSummary {
  MatrixFacts matrix{};
  std::string precision{}, device{};
  int num_threads = 0;  // of the host; 0 on a GPU
  std::string format{}, format_reason{};
  int num = 0;           // eigenvalues asked for
  EigenReport values{};  // of Lanczos, when num > 0
  KpmReport density{};   // without energies: not asked for
};

std::string eig_head(const EigSummary& summary, const Style& style);
std::string eig_text(const EigSummary& summary, const Style& style);
nlohmann::ordered_json eig_json(const EigSummary& summary);
std::string density_svg(const EigSummary& summary);

}  // namespace millrace::command
