// Lines of the CSV file.
#include "verbs/flow/forces.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "millrace/io/csv.hpp"

namespace millrace::command {

namespace {

std::vector<std::string> force_groups_of(const hdg::Case& c) {
  if (c.is_gas) return c.force_groups;
  std::vector<std::string> groups;
  for (const hdg::BoundaryCondition& condition : c.problem.conditions) groups.push_back(condition.group);
  return groups;
}

}  // namespace

ForcesFile::ForcesFile(const std::string& path, const hdg::Case& c) : path_(path), case_(c), file_(path) {
  std::string line = "time,step";
  if (c.angle) line += ",drag,lift,moment";
  for (const std::string& group : force_groups_of(c)) {
    if (!c.is_gas) line += ',' + csv_text(group + ".flux");
    for (int d = 0; d < c.mesh.dim && c.is_gas; ++d) line += ',' + csv_text(group + ".force_" + "xyz"[d]);
    if (c.is_gas) line += ',' + csv_text(group + ".moment_z");
  }
  write(line);
}

void ForcesFile::add(const hdg::CaseStep& step) {
  std::string line = fmt::format("{:.15g},{:.15g}", step.time->time, step.time->step);
  const auto number = [&](double value) { line += fmt::format(",{:.15g}", value); };
  if (case_.angle) {
    number(step.coefficients.drag);
    number(step.coefficients.lift);
    number(step.coefficients.moment);
  }
  for (const std::string& group : force_groups_of(case_)) {
    const hdg::BoundaryFlux& found = *std::ranges::find(step.fluxes, group, &hdg::BoundaryFlux::group);
    if (!case_.is_gas) number(found.flux[0]);
    for (std::size_t d = 0; d < static_cast<std::size_t>(case_.mesh.dim) && case_.is_gas; ++d)
      number(found.flux[1 + d]);
    if (case_.is_gas) number(found.moment[2]);
  }
  write(line);
}

void ForcesFile::write(const std::string& line) {
  file_ << line << std::endl;
  require<IoError>(file_.good(), path_, ": cannot be written");
}

}  // namespace millrace::command
