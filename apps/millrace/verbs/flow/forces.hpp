// Forces against time as a CSV file, a line per step, each on the disk before the next step begins.
#pragma once

#include <fstream>
#include <string>

#include "millrace/hdg/case.hpp"

namespace millrace::command {

/// Columns: time, step, drag, lift and moment where the case has a free stream and walls; then for each wall of a gas
/// the force along each axis and the moment about z, or for each group the flux of a scalar.
class ForcesFile {
 public:
  /// Writes nothing yet. A run that goes on from a time keeps the lines of a file of this name up to that time; one
  /// without a line of that time, or with other columns, is refused.
  ForcesFile(const std::string& path, const hdg::Case& c, const hdg::SavedState* resume);
  /// The lines that are there before the first step.
  void begin();
  void add(const hdg::CaseStep& step);

 private:
  void keep_lines(double last_time);
  void write(const std::string& line);

  std::string path_;
  const hdg::Case& case_;
  std::string lines_;  // first the names of the columns
  std::ofstream file_;
};

}  // namespace millrace::command
