// A progress bar on standard error: from the second second of a task on, and only on a terminal.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace millrace::command {

/// Columns of the terminal behind standard error; 80 if it is none.
int stderr_width();

class Progress {
 public:
  explicit Progress(std::string task);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // takes the bar away

  /// fraction 0..1 of the task is done.
  void update(double fraction);
  void update(double fraction, std::string task);
  /// The same as a function for the library; this object must outlive it.
  std::function<void(double)> callback();

 private:
  using Clock = std::chrono::steady_clock;
  std::string task_;
  bool terminal_;
  Clock::time_point begin_, drawn_;
};

}  // namespace millrace::command
