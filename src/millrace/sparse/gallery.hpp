// The gallery: matrices made on the spot from a short text such as "poisson3d7:n=128,seed=3".
// The same text gives the same bits on every machine and for any number of threads.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "millrace/sparse/global_rows.hpp"

namespace millrace::gallery {

/// Called now and then, from the calling thread, with the finished part of the work: 0 to 1.
using Progress = std::function<void(double fraction)>;

/// Which rows are wanted of a matrix with so many: from the first to before the second.
using SomeRows = std::function<std::pair<std::int64_t, std::int64_t>(std::int64_t num_rows)>;

/// One request: the name of the matrix, a value for each of its parameters, and the threads to use.
class Values {
 public:
  Values(std::string name, std::vector<std::pair<std::string, double>> values, int num_threads,
         std::int64_t max_memory = 0);

  const std::string& name() const { return name_; }
  double real(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;
  bool flag(std::string_view key) const { return real(key) != 0; }
  std::uint64_t seed() const { return static_cast<std::uint64_t>(integer("seed")); }
  int num_threads() const { return num_threads_; }
  /// The rows that are wanted: all, if nobody asked for some.
  std::pair<std::int64_t, std::int64_t> rows(std::int64_t num_rows) const;
  void want(SomeRows rows) { rows_ = std::move(rows); }
  /// Refuses a matrix of that size, before any of it is made, that needs more than the limit of the request, or without
  /// one more than this machine has.
  void require_memory(double num_rows, double num_entries) const;

 private:
  std::string name_;
  std::vector<std::pair<std::string, double>> values_;
  int num_threads_;
  std::int64_t max_memory_;  // bytes; 0: what the machine has
  SomeRows rows_{};          // empty: all
};

/// A parameter of a matrix of the gallery.
struct Parameter {
  std::string name;
  double default_value = 0;
  std::string help;
  double lower = 0, upper = 0;  // both accepted
  bool integer = true;          // whole numbers only
};

/// A matrix of the gallery.
struct Entry {
  std::string name;
  std::string help;
  std::vector<Parameter> parameters;  // the first can be given without its name; seed and permute come last
  std::function<Csr<double>(const Values&, const Progress&)> make;  // without the permutation
};

/// The one list.
std::span<const Entry> entries();
/// The entry of that name; throws an Error that lists the names there are.
const Entry& find_entry(std::string_view name);
/// "poisson2d5 poisson2d9 ..."
std::string names();

/// Does the text begin with a name of the list, followed by nothing or a colon?
bool is_spec(std::string_view text);

/// Makes the matrix that `name[:value][,key=value...]` describes; columns ascend in every row.
/// num_threads = 0 takes default_num_threads(). Unknown names, keys and values are refused with what there is, and so
/// is a matrix that needs more than max_memory bytes (0: than this machine has), before any of it is made.
Csr<double> make(std::string_view spec, const Progress& progress = {}, int num_threads = 0,
                 std::int64_t max_memory = 0);

/// Some rows of the same matrix, with the same bits; the others are not made. Only with permute=1 they are, for a
/// while.
GlobalRows<double> make_rows(std::string_view spec, const SomeRows& rows, const Progress& progress = {},
                             int num_threads = 0, std::int64_t max_memory = 0);

}  // namespace millrace::gallery
