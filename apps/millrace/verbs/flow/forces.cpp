// Lines of the CSV file.
#include "verbs/flow/forces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "millrace/hdg/state_file.hpp"
#include "millrace/io/csv.hpp"
#include "millrace/io/output_file.hpp"
#include "millrace/io/text_buffer.hpp"

namespace millrace::command {

namespace {

std::vector<std::string> force_groups_of(const hdg::Case& c) {
  if (c.is_gas) return c.force_groups;
  std::vector<std::string> groups;
  for (const hdg::BoundaryCondition& condition : c.problem.conditions) groups.push_back(condition.group);
  return groups;
}

std::string force_time(double time) { return fmt::format("{:.15g}", time); }

}  // namespace

ForcesFile::ForcesFile(const std::string& path, const hdg::Case& c, const hdg::SavedState* resume)
    : path_(path), case_(c), lines_("time,step") {
  if (c.angle) lines_ += ",drag,lift,moment";
  for (const std::string& group : force_groups_of(c)) {
    if (!c.is_gas) lines_ += ',' + csv_text(group + ".flux");
    for (int d = 0; d < c.mesh.dim && c.is_gas; ++d) lines_ += ',' + csv_text(group + ".force_" + "xyz"[d]);
    if (c.is_gas) lines_ += ',' + csv_text(group + ".moment_z");
  }
  lines_ += '\n';
  if (resume && resume->time.num_steps > 0 && std::filesystem::exists(path)) keep_lines(resume->time.time);
}

void ForcesFile::keep_lines(double last_time) {
  const std::function<void(double)> nobody;
  const std::string there(load_text(path_, {nobody}).text());
  require(there.starts_with(lines_), path_, ": has other columns than the forces of ", case_.file,
          ", so that no run can go on with it; another name begins a new file");
  // A line that was cut off when a run was killed has no end, and is none.
  const std::string last = '\n' + force_time(last_time) + ',';
  const std::size_t begin = there.find(last), end = there.find('\n', begin == std::string::npos ? begin : begin + 1);
  require(end != std::string::npos, path_, ": has no line of the time ", force_time(last_time),
          " of the state, so that no run can go on with it; another name begins a new file");
  lines_ = there.substr(0, end + 1);
}

void ForcesFile::begin() {
  OutputFile whole(path_);
  whole.write(lines_);
  whole.commit();
  file_.open(path_, std::ios::app);
  require<IoError>(file_.good(), path_, ": cannot be written");
}

void ForcesFile::add(const hdg::CaseStep& step) {
  std::string line = fmt::format("{},{:.15g}", force_time(step.time->time), step.time->step);
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
