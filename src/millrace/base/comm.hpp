// Comm: the ranks that share a vector, and the reductions among them. By default: alone.
#pragma once

#include <cstdint>
#include <span>

namespace millrace {

/// The ranks that share a vector, and the reductions among them; alone unless it is asked for.
class Comm {
 public:
  Comm() = default;
  /// All ranks of this MPI job; alone in a build without MPI or outside an MPI session.
  static Comm world();

  int rank() const;
  int size() const;
  /// Element by element over all ranks; every rank gets the result.
  void sum(std::span<double> values) const;
  void sum(std::span<float> values) const;
  void sum(std::span<std::int64_t> values) const;
  void max(std::span<double> values) const;
  void barrier() const;
  friend bool operator==(const Comm&, const Comm&) = default;

 private:
  static constexpr int alone = -1;
  int handle_ = alone;  // Fortran's name of the communicator: an integer, so no MPI type is needed here
};

/// Starts MPI for the life of this object, where the build has it and nobody else did.
class MpiSession {
 public:
  MpiSession(int& argc, char**& argv);
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  ~MpiSession();

 private:
  bool owner_ = false;
};

}  // namespace millrace
