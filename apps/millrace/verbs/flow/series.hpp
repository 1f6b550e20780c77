// A flow in time as a series for ParaView: a .pvd file with the times, and beside it a .vtu file of every N-th step.
#pragma once

#include <optional>
#include <string>

#include "millrace/hdg/case.hpp"
#include "millrace/io/pvd.hpp"

namespace millrace::command {

/// The files are wave_000000.vtu, wave_000010.vtu, ... of wave.pvd, by the numbers of their steps. Each is whole when
/// the list names it, so a run that is killed leaves a series that can be read.
class FlowSeries {
 public:
  /// Writes nothing yet. A run that goes on from a time keeps the steps of a file of this name up to that time.
  FlowSeries(const std::string& path, int every, int subdivide, const hdg::SavedState* resume);
  /// Where the run begins, and every N-th step after it.
  void show(const hdg::CaseMoment& moment);
  /// The last step, whatever its number.
  void end(const hdg::CaseMoment& moment);
  /// "wave.pvd: 12 times".
  std::string description() const;

 private:
  std::string stem_;
  int every_, subdivide_;
  PvdSeries list_;
};

}  // namespace millrace::command
