// Comm: the ranks that share a vector, and what passes among all of them. By default: alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace millrace {

/// The ranks that share a vector, and what passes among all of them; alone unless it is asked for. Whoever has to wait
/// longer than MILLRACE_PATIENCE seconds (300) says for whom, and ends the job. A Comm must go before its MPI ends.
class Comm {
 public:
  Comm() = default;
  /// All ranks of this MPI job; alone in a build without MPI or outside an MPI session. All ranks must call it the
  /// first time, for it works on a duplicate of its own.
  static Comm world();
  /// A duplicate of a user's communicator, by its name in Fortran: Comm::of(MPI_Comm_c2f(communicator)). All of its
  /// ranks must call.
  static Comm of(int fortran_handle);
  /// The same ranks, whose messages do not meet those of this one. All of them must call.
  Comm duplicate() const;

  int rank() const;
  int size() const;
  /// Element by element over all ranks, in their order: every rank gets the same bits.
  void sum(std::span<double> values) const;
  void sum(std::span<float> values) const;
  void sum(std::span<std::int64_t> values) const;
  void max(std::span<double> values) const;
  void max(std::span<std::int64_t> values) const;
  /// The sum over the ranks before this one.
  std::int64_t sum_before(std::int64_t value) const;
  /// Is it true on all ranks, or on one of them?
  bool all(bool value) const;
  bool any(bool value) const;
  /// What all ranks have, one rank after another, for every rank; they may have more or less of it.
  template <class T>
  std::vector<T> gather(std::span<const T> mine) const {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all;
    gather_bytes(std::as_bytes(mine), [&](std::size_t bytes) {
      all.resize(bytes / sizeof(T));
      return std::as_writable_bytes(std::span(all)).data();
    });
    return all;
  }
  template <class T>
  std::vector<T> gather(const T& mine) const {
    return gather(std::span(&mine, 1));
  }
  /// The text of one rank, for every rank.
  std::string broadcast(const std::string& text, int from = 0) const;
  void barrier() const;
  /// The same ranks; sums over entries of vectors, of which this rank has so many, are added as one rank would: with
  /// the same bits for any number of ranks. Each must begin at a multiple of 4096 rows, or have none. All ranks must
  /// call.
  Comm reproducible(std::int64_t num_rows) const;
  static constexpr std::int64_t reproducible_rows = 4096;
  /// Rows before each rank, and of all [ranks + 1]; null: not reproducible.
  const std::vector<std::int64_t>* row_starts() const { return row_starts_.get(); }
  /// May several threads call MPI at a time?
  bool serves_threads() const;

  /// The name in Fortran of the duplicate, for those who speak MPI themselves; -1 when alone.
  int fortran_handle() const;
  friend bool operator==(const Comm&, const Comm&) = default;

 private:
  friend class MpiSession;
  struct State;
  template <class Place>
  void gather_bytes(std::span<const std::byte> mine, Place&& place) const {
    const std::vector<std::int64_t> counts = gather_counts(static_cast<std::int64_t>(mine.size()));
    std::int64_t sum = 0;
    for (const std::int64_t count : counts) sum += count;
    gather_parts(mine, counts, place(static_cast<std::size_t>(sum)));
  }
  std::vector<std::int64_t> gather_counts(std::int64_t mine) const;
  void gather_parts(std::span<const std::byte> mine, std::span<const std::int64_t> counts, std::byte* all) const;

  std::shared_ptr<const State> state_;  // null: alone
  std::shared_ptr<const std::vector<std::int64_t>> row_starts_;
};

namespace detail {
/// An MpiError with MPI's own words, unless the code of a call is that of success.
void check_mpi(int code, const char* call);
}  // namespace detail

/// Starts MPI for the life of this object, where the build has it and nobody else did. Left by an exception, which the
/// other ranks may never hear of, it ends the job.
class MpiSession {
 public:
  MpiSession(int& argc, char**& argv);
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  ~MpiSession();

  /// Was this process started by a launcher, as mpirun is one?
  static bool launched();
  /// Ends all ranks now, with this exit code: when one rank alone knows that it cannot go on.
  [[noreturn]] static void end_job(int code);

 private:
  bool owner_ = false;
  int exceptions_ = 0;
};

}  // namespace millrace
