// Names and moments of the files of a series.
#include "verbs/flow/series.hpp"

#include <fmt/format.h>

#include "millrace/hdg/state_file.hpp"
#include "verbs/flow/drawing.hpp"

namespace millrace::command {

FlowSeries::FlowSeries(const std::string& path, int every, int subdivide, const hdg::SavedState* resume)
    : stem_(path.substr(0, path.rfind('.'))),
      every_(every),
      subdivide_(subdivide),
      list_(resume && resume->time.num_steps > 0 ? PvdSeries::resumed(path, resume->time.time) : PvdSeries(path)) {}

void FlowSeries::show(const hdg::CaseMoment& moment) {
  if (list_.num_steps() == 0 || moment.step % every_ == 0) end(moment);
}

void FlowSeries::end(const hdg::CaseMoment& moment) {
  if (list_.num_steps() > 0 && moment.time <= list_.last_time()) return;  // it is there
  const std::string file = fmt::format("{}_{:06}.vtu", stem_, moment.step);
  write_flow_vtu(file, moment.solver, moment.state, subdivide_);
  list_.add(moment.time, file);
}

std::string FlowSeries::description() const {
  return fmt::format("{}: {} times, {}_*.vtu", list_.path().string(), list_.num_steps(), stem_);
}

}  // namespace millrace::command
