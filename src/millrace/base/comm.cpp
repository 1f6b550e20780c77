// The one file of base that knows MPI. Nothing blocks inside MPI: every wait tests, naps, and has an end.
#include "millrace/base/comm.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>

#include "millrace/base/build.hpp"
#include "millrace/base/elapsed.hpp"
#include "millrace/base/environment.hpp"
#include "millrace/base/error.hpp"
#include "millrace/base/patience.hpp"
#include "millrace/base/to_size.hpp"

#if MILLRACE_WITH_MPI
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#endif

namespace millrace {

#if MILLRACE_WITH_MPI
void detail::check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  require<MpiError>(false, call, ": ", std::string_view(text, to_size(length)));
}

namespace {

using detail::check_mpi;

bool running() {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun && !ended;
}

MPI_Comm duplicate_of(MPI_Comm user) {
  MPI_Comm own = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(user, &own), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return own;
}

constexpr std::int64_t max_bytes = 1 << 30;  // of one call: MPI counts with int

}  // namespace

struct Comm::State {
  MPI_Comm comm, watch;  // messages, and what is asked when nobody answers
  int rank = 0, size = 1;

  explicit State(MPI_Comm user) : comm(duplicate_of(user)), watch(duplicate_of(user)) {
    check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (!running()) return;
    MPI_Comm own[] = {comm, watch};
    for (MPI_Comm& each : own) MPI_Comm_free(&each);
  }

  /// Until the request is done. Many ranks may share a core, so whoever waits long leaves it to others.
  void wait(MPI_Request& request, const char* what) const {
    RankWait patience;
    for (int done = 0;;) {
      check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
      if (done) return;
      if (!patience.wait()) give_up(what, patience.seconds());
    }
  }

  /// Every rank that waits sends a word to all others: who does not is the one that all wait for.
  [[noreturn]] void give_up(const char* what, double seconds) const {
    std::vector<char> here(to_size(size), 0);
    std::vector<MPI_Request> requests(to_size(2 * size), MPI_REQUEST_NULL);
    char word = 1;
    for (int r = 0; r < size; ++r) {
      if (r == rank) continue;
      MPI_Irecv(&here[to_size(r)], 1, MPI_CHAR, r, 0, watch, &requests[to_size(2 * r)]);
      MPI_Isend(&word, 1, MPI_CHAR, r, 0, watch, &requests[to_size(2 * r + 1)]);
    }
    here[to_size(rank)] = 1;
    for (const auto begin = Clock::now(); seconds_since(begin) < 2;) {
      int done = 0;
      MPI_Testall(2 * size, requests.data(), &done, MPI_STATUSES_IGNORE);
      nap(1e-3);
    }
    std::string missing;
    int first = size;
    for (int r = size - 1; r >= 0; --r) {
      if (here[to_size(r)])
        first = r;
      else
        missing = join(r, missing.empty() ? "" : ", ", missing);
    }
    if (first != rank && !missing.empty()) {  // the first one says it
      nap(2);
      MpiSession::end_job(1);
    }
    end_of_patience(rank, size, seconds, missing.empty() ? "nobody that is silent" : missing, what);
  }

  /// What each rank has, the same number of bytes, one rank after another.
  void gather(const void* mine, std::int64_t bytes, void* all) const {
    MPI_Request request = MPI_REQUEST_NULL;
    const int count = static_cast<int>(bytes);
    check_mpi(MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm, &request), "MPI_Iallgather");
    wait(request, "an exchange with all ranks");
  }

  /// Combines the numbers of all ranks in the order of the ranks.
  template <class T, class Combine>
  void reduce(std::span<T> values, Combine&& combine) const {
    constexpr std::size_t piece = 1 << 14;
    std::vector<T> all(to_size(size) * std::min(piece, values.size()));
    for (std::size_t begin = 0; begin < values.size(); begin += piece) {
      const std::span<T> some = values.subspan(begin, std::min(piece, values.size() - begin));
      gather(some.data(), static_cast<std::int64_t>(some.size_bytes()), all.data());
      for (std::size_t i = 0; i < some.size(); ++i) {
        T result = all[i];
        for (std::size_t r = 1; r < to_size(size); ++r) result = combine(result, all[r * some.size() + i]);
        some[i] = result;
      }
    }
  }
};

namespace {

// Of all ranks; gone before MPI ends.
std::shared_ptr<const Comm>& kept_world() {
  static std::shared_ptr<const Comm> world;
  return world;
}

constexpr auto larger = [](auto a, auto b) { return a > b ? a : b; };

}  // namespace

Comm Comm::world() {
  if (!running()) return {};
  if (!kept_world()) kept_world() = std::make_shared<const Comm>(of(MPI_Comm_c2f(MPI_COMM_WORLD)));
  return *kept_world();
}

Comm Comm::of(int fortran_handle) {
  require<MpiError>(running(), "Comm::of: MPI is not running; make an MpiSession, or call MPI_Init, before");
  const MPI_Comm user = MPI_Comm_f2c(fortran_handle);
  require<MpiError>(user != MPI_COMM_NULL, "Comm::of: ", fortran_handle, " is no communicator");
  Comm comm;
  comm.state_ = std::make_shared<const State>(user);
  return comm;
}

Comm Comm::duplicate() const { return state_ ? of(fortran_handle()) : Comm(); }
int Comm::rank() const { return state_ ? state_->rank : 0; }
int Comm::size() const { return state_ ? state_->size : 1; }
int Comm::fortran_handle() const { return state_ ? MPI_Comm_c2f(state_->comm) : -1; }

void Comm::sum(std::span<double> values) const {
  if (size() > 1) state_->reduce(values, std::plus<>());
}
void Comm::sum(std::span<float> values) const {
  if (size() > 1) state_->reduce(values, std::plus<>());
}
void Comm::sum(std::span<std::int64_t> values) const {
  if (size() > 1) state_->reduce(values, std::plus<>());
}
void Comm::max(std::span<double> values) const {
  if (size() > 1) state_->reduce(values, larger);
}
void Comm::max(std::span<std::int64_t> values) const {
  if (size() > 1) state_->reduce(values, larger);
}

std::vector<std::int64_t> Comm::gather_counts(std::int64_t mine) const {
  std::vector<std::int64_t> counts(to_size(size()), mine);
  if (size() > 1) state_->gather(&mine, sizeof(mine), counts.data());
  return counts;
}

void Comm::gather_parts(std::span<const std::byte> mine, std::span<const std::int64_t> counts, std::byte* all) const {
  if (size() == 1) {
    std::copy(mine.begin(), mine.end(), all);
    return;
  }
  std::vector<int> lengths, places;
  std::int64_t sum = 0;
  for (const std::int64_t count : counts) {
    places.push_back(static_cast<int>(sum));
    lengths.push_back(static_cast<int>(count));
    sum += count;
    require<MpiError>(sum <= max_bytes, "Comm::gather: the ranks have more than ", max_bytes,
                      " bytes together, the most that is gathered on every rank");
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Iallgatherv(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, all, lengths.data(), places.data(),
                            MPI_BYTE, state_->comm, &request),
            "MPI_Iallgatherv");
  state_->wait(request, "a gathering of all ranks");
}

std::string Comm::broadcast(const std::string& text, int from) const {
  if (size() == 1) return text;
  const std::vector<char> all = gather(rank() == from ? std::span<const char>(text) : std::span<const char>());
  return {all.begin(), all.end()};
}

void Comm::barrier() const {
  if (size() == 1) return;
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Ibarrier(state_->comm, &request), "MPI_Ibarrier");
  state_->wait(request, "a barrier");
}

bool Comm::serves_threads() const {
  int level = MPI_THREAD_SINGLE;
  if (running()) MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

MpiSession::MpiSession(int& argc, char**& argv) : exceptions_(std::uncaught_exceptions()) {
  int begun = 0, level = 0;
  MPI_Initialized(&begun);
  if (begun) return;
  check_mpi(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
  owner_ = true;
}

MpiSession::~MpiSession() {
  if (!owner_ || !running()) return;
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (std::uncaught_exceptions() > exceptions_ && size > 1) {
    std::fprintf(stderr, "millrace: rank %d of %d ends by an exception, and so does the job\n", rank, size);
    end_job(1);
  }
  kept_world().reset();
  MPI_Finalize();
}

void MpiSession::end_job(int code) {
  std::fflush(nullptr);
  if (running()) MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

#else  // alone: one rank, and a reduction over it changes nothing

void detail::check_mpi(int, const char*) {}

struct Comm::State {};

Comm Comm::world() { return {}; }
Comm Comm::of(int) { throw Unsupported("Comm::of: this build has no MPI; configure with -DMILLRACE_MPI=ON"); }
Comm Comm::duplicate() const { return {}; }
int Comm::rank() const { return 0; }
int Comm::size() const { return 1; }
int Comm::fortran_handle() const { return -1; }
void Comm::sum(std::span<double>) const {}
void Comm::sum(std::span<float>) const {}
void Comm::sum(std::span<std::int64_t>) const {}
void Comm::max(std::span<double>) const {}
void Comm::max(std::span<std::int64_t>) const {}
std::vector<std::int64_t> Comm::gather_counts(std::int64_t mine) const { return {mine}; }
void Comm::gather_parts(std::span<const std::byte> mine, std::span<const std::int64_t>, std::byte* all) const {
  std::copy(mine.begin(), mine.end(), all);
}
std::string Comm::broadcast(const std::string& text, int) const { return text; }
void Comm::barrier() const {}
bool Comm::serves_threads() const { return false; }
MpiSession::MpiSession(int&, char**&) {}
MpiSession::~MpiSession() { (void)owner_, (void)exceptions_; }
void MpiSession::end_job(int code) {
  std::fflush(nullptr);
  std::_Exit(code);
}

#endif

namespace {

// What the ranks before each have, and all of them.
std::vector<std::int64_t> running_sums(const Comm& comm, std::int64_t value) {
  std::vector<std::int64_t> sums{0};
  for (const std::int64_t count : comm.gather(value)) sums.push_back(sums.back() + count);
  return sums;
}

}  // namespace

std::int64_t Comm::sum_before(std::int64_t value) const { return running_sums(*this, value)[to_size(rank())]; }

Comm Comm::reproducible(std::int64_t num_rows) const {
  std::vector<std::int64_t> starts = running_sums(*this, num_rows);
  for (int r = 0; r < size(); ++r)  // alike on all ranks, so they throw together
    require(starts[to_size(r)] % reproducible_rows == 0 || starts[to_size(r)] == starts.back(), "rank ", r, " of ",
            size(), " begins at row ", starts[to_size(r)], "; reproducible sums need multiples of ", reproducible_rows);
  Comm comm = *this;
  comm.row_starts_ = std::make_shared<const std::vector<std::int64_t>>(std::move(starts));
  return comm;
}

bool Comm::any(bool value) const {
  std::int64_t most[] = {value ? 1 : 0};
  max(most);
  return most[0] == 1;
}
bool Comm::all(bool value) const { return !any(!value); }

// The variables of OpenMPI, of MPICH and its kin, and of PMIx.
bool MpiSession::launched() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"})
    if (!environment(name).empty()) return true;
  return false;
}

}  // namespace millrace
