// The work of `millrace eig`, on one rank or on many.
#pragma once

#include <optional>

#include "command.hpp"
#include "terminal/progress.hpp"
#include "verbs/eig/report.hpp"
#include "verbs/ranks.hpp"

namespace millrace::command {

inline constexpr int max_tried = 2000;  // products of plain Lanczos before a factorisation is tried

struct EigArguments {
  std::string matrix, mass, method = "auto", start, format = "auto", precision, device = "cpu", vectors, density;
  int lowest = -1, highest = -1, num = -1, max_products = 10000, basis = 0, block = 0;
  int moments = 512, random_vectors = 8, num_threads = 0;
  double tolerance = 0;
  std::optional<double> near;
  bool json = false, unchecked = false;
  std::int64_t max_memory = 0;
  RankArguments ranks{};
  Drawing drawing = Drawing::automatic;
};

class Eig {
 public:
  explicit Eig(const EigArguments& arguments);
  int operator()();  // returns an ExitCode

 private:
  void run_here();      // run.cpp: all rows on this rank
  void run_on_ranks();  // on_ranks.cpp
  template <class T>
  void run_here(const Csr<T>& csr, const Csr<T>* mass);
  template <class T>
  void run_on_ranks(GlobalRows<T> rows);
  template <class T>
  void find_values(const Csr<T>& csr, const SparseMatrix<T>* a, const Csr<T>* mass, const Array<T>& begin);
  template <class T>
  void invert(const Csr<T>& csr, const Csr<T>* mass, const EigenOptions& options, const Vectors<T>& room,
              const Vectors<const T>& start);
  template <class T>
  std::vector<T> read_start() const;

  void check_symmetry(double asymmetry, const std::string& name, bool complex_numbers) const;
  void check_count() const;
  EigenOptions eigen_options(Progress& progress, bool narrow) const;
  KpmOptions kpm_options() const;
  void note_request();
  void print(const std::string& text) const;
  void write_density() const;

  const EigArguments& arguments_;
  Queue queue_;
  Style style_;
  EigSummary summary_;
};

}  // namespace millrace::command
