// A series of files in time for ParaView (.pvd): a small list of times and names of files.
#pragma once

#include <filesystem>
#include <string>

namespace millrace {

/// Writes a .pvd file anew after every step, so that it is right at any time while a program runs.
class PvdSeries {
 public:
  /// Nothing is written yet. A file of this name from another run is replaced by the first step.
  explicit PvdSeries(std::filesystem::path path) : path_(std::move(path)) {}

  /// A series that goes on where a run was stopped: of the file of this name, which must be one of these, the steps up
  /// to `last_time` stay, and the next one added takes the place of the others. Without a file it is a new series.
  static PvdSeries resumed(const std::filesystem::path& path, double last_time);

  /// A step: its time, later than the one before, and its file, by a name that is right from the current folder, as it
  /// was for write_vtu. The .pvd file holds names as seen from its own folder.
  void add(double time, const std::filesystem::path& file);

  const std::filesystem::path& path() const { return path_; }
  int num_steps() const { return num_steps_; }
  /// Of the last step, where there is one.
  double last_time() const { return last_time_; }

 private:
  std::filesystem::path path_;
  std::string steps_;  // lines of the file
  double last_time_ = 0;
  int num_steps_ = 0;
};

}  // namespace millrace
