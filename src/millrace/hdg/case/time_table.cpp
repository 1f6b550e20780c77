// Keys of the table [time].
#include "millrace/hdg/case/time_table.hpp"

#include "millrace/base/error.hpp"

namespace millrace::hdg {

std::optional<CaseTime> read_time(const CaseTable& file) {
  const CaseTable& table = file.table("time");
  if (!file.has("time")) return {};
  CaseTime time;
  TimeOptions& options = time.options;
  options.scheme = static_cast<TimeScheme>(table.choice("scheme", time_scheme_names()));
  options.step = table.positive("step");
  time.start = table.number("start", 0.0);
  options.end = table.number("end");
  require(options.end > time.start, table.place("end"), ": 'time.end' is ", options.end, ", and the start ", time.start,
          "; an end after the start is accepted");
  if (table.has("tolerance")) options.tolerance = table.positive("tolerance");
  if (table.has("max_step")) {
    require(options.tolerance > 0, table.place("max_step"),
            ": 'time.max_step' is of use only where 'time.tolerance' chooses the steps");
    options.max_step = table.positive("max_step");
  }
  table.refuse_others();
  return time;
}

}  // namespace millrace::hdg
