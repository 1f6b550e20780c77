// The work of `millrace solve`, on one rank or on many.
#pragma once

#include <functional>

#include "command.hpp"
#include "millrace/io/matrix_file.hpp"
#include "terminal/residual_view.hpp"
#include "verbs/ranks.hpp"
#include "verbs/solve/report.hpp"

namespace millrace::command {

struct SolveArguments {
  std::string matrix, rhs, start, solution, without, method = "auto", precond = "auto", format = "auto", order,
                                                     precision, device = "cpu", history;
  double tolerance = -1, absolute = 0;
  std::uint64_t max_factor_bytes = 0;
  int max_iterations = 1000, restart = 0, num_threads = 0;
  bool mixed = false, json = false;
  std::int64_t max_memory = 0;
  RankArguments ranks{};
  Drawing drawing = Drawing::automatic;
};

class Solve {
 public:
  explicit Solve(const SolveArguments& arguments);
  int operator()();  // returns an ExitCode

 private:
  void solve_here();      // run.cpp: all rows on this rank
  void solve_on_ranks();  // on_ranks.cpp
  template <class T>
  void solve_here(const Csr<T>& a);
  template <class T>
  void solve_on_ranks(GlobalRows<T> rows, const AutoOptions& asked);
  template <class T>
  void compare(const Csr<T>& a, const std::vector<T>& x);
  template <class T>
  VectorSet<T> right_hand_side(const Csr<T>& a);
  template <class T>
  VectorSet<T> read_rhs() const;
  template <class T>
  VectorSet<T> read_start(Index size, Index num) const;
  template <class T>
  void write_solution(const std::vector<T>& x, Index num) const;

  void check_numbers(bool narrow) const;
  void note_request();
  void print(const std::string& text) const;
  bool write_files();
  AutoOptions options(ResidualLine& live);

  const SolveArguments& arguments_;
  Queue queue_;
  Style style_;
  SolveSummary summary_;
  std::size_t tries_ = 0;
  std::function<void()> write_solution_{};  // x into its file; empty: nowhere
};

/// The largest difference of two entries; NaN where one is.
template <class T>
double max_error(const std::vector<T>& x, const std::vector<T>& known) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = std::abs(x[i] - known[i]);
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

}  // namespace millrace::command
