// Residuals for the eye: a line that lives while a solver runs, and a picture of their history at the end.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "terminal/terminal.hpp"

namespace millrace::command {

/// One line on standard error, and only if that is a terminal; it wipes itself away.
class ResidualLine {
 public:
  ResidualLine();
  ResidualLine(const ResidualLine&) = delete;
  ResidualLine& operator=(const ResidualLine&) = delete;
  ~ResidualLine();

  bool shown() const { return terminal_; }
  /// Before a try begins.
  void start(std::string name, double tolerance, int max_iterations);
  void update(int iteration, double relative);
  void wipe();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  std::string name_;
  double tolerance_ = 0, first_ = 0;
  int max_iterations_ = 0;
  Clock::time_point begin_, drawn_;
};

/// The decimal logarithm of the residuals over the iterations, as `height` lines with an axis; empty for fewer than 3.
std::string residual_plot(std::span<const double> history, double tolerance, int height, const Style& style);

}  // namespace millrace::command
