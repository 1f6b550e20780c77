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
  int num_ranks = 1;
  std::string format{}, format_reason{};
  MatrixFacts mass{};           // of M; without a name: none
  std::string which{};          // lowest, highest or near
  double near = 0;              // with "near"
  int num = 0;                  // eigenvalues asked for
  std::string method{};         // lanczos or invert
  EigenReport values{};         // when num > 0
  double sigma = 0;             // of invert: the shift,
  std::string factorisation{};  // what was factorised,
  int num_factorisations = 0;   // how often,
  std::string tried{};          // and what was tried before, or could not be
  KpmReport density{};          // without energies: not asked for
};

std::string eig_head(const EigSummary& summary, const Style& style);
std::string eig_text(const EigSummary& summary, const Style& style);
nlohmann::ordered_json eig_json(const EigSummary& summary);
std::string density_svg(const EigSummary& summary);

}  // namespace millrace::command
