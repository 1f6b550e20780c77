// Persistent requests of MPI.
#include "millrace/dist/messages.hpp"

#include <algorithm>
#include <vector>

#include "millrace/base/build.hpp"
#include "millrace/base/error.hpp"
#include "millrace/base/patience.hpp"
#include "millrace/base/to_size.hpp"

#if MILLRACE_WITH_MPI
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#endif

namespace millrace {

#if MILLRACE_WITH_MPI
namespace {

using detail::check_mpi;

constexpr std::int64_t piece = std::int64_t{1} << 30;  // bytes: MPI counts with int

/// Calls f(begin, bytes) for the pieces of a message; those between two ranks arrive in their order.
template <class F>
void for_pieces(const Message& message, F&& f) {
  for (std::int64_t done = 0; done < message.bytes; done += piece)
    f(static_cast<char*>(message.data) + done, static_cast<int>(std::min(piece, message.bytes - done)));
}

}  // namespace

struct Messages::State {
  Comm comm;
  const char* what;
  std::vector<MPI_Request> requests{};
  std::vector<int> sources{};  // of the first of them
  Clock::time_point begin{};   // of the last start
  int looks = 0;

  State(Comm own, std::span<const Message> in, std::span<const Message> out, const char* purpose)
      : comm(std::move(own)), what(purpose) {
    const MPI_Comm mpi = MPI_Comm_f2c(comm.fortran_handle());
    for (const Message& message : in)
      for_pieces(message, [&](char* data, int bytes) {
        requests.push_back(MPI_REQUEST_NULL);
        check_mpi(MPI_Recv_init(data, bytes, MPI_BYTE, message.rank, message.number, mpi, &requests.back()),
                  "MPI_Recv_init");
        sources.push_back(message.rank);
      });
    for (const Message& message : out)
      for_pieces(message, [&](char* data, int bytes) {
        requests.push_back(MPI_REQUEST_NULL);
        check_mpi(MPI_Send_init(data, bytes, MPI_BYTE, message.rank, message.number, mpi, &requests.back()),
                  "MPI_Send_init");
      });
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended) return;
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  }

  bool test() {
    int done = 0;
    check_mpi(MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE),
              "MPI_Testall");
    if (!done && ++looks % 64 == 0 && seconds_since(begin) > patience_seconds()) give_up(seconds_since(begin));
    return done != 0;
  }

  [[noreturn]] void give_up(double seconds) {
    std::string ranks;
    for (std::size_t k = 0; k < sources.size(); ++k) {
      int done = 0;
      MPI_Request_get_status(requests[k], &done, MPI_STATUS_IGNORE);
      if (!done) ranks += join(ranks.empty() ? "" : ", ", sources[k]);
    }
    end_of_patience(comm.rank(), comm.size(), seconds, ranks.empty() ? "that takes what it was sent" : ranks, what);
  }
};

Messages::Messages(Comm comm, std::span<const Message> in, std::span<const Message> out, const char* what)
    : state_(in.empty() && out.empty() ? nullptr : std::make_unique<State>(std::move(comm), in, out, what)) {}

void Messages::start() {
  if (!state_) return;
  state_->begin = Clock::now();
  check_mpi(MPI_Startall(static_cast<int>(state_->requests.size()), state_->requests.data()), "MPI_Startall");
}
bool Messages::test() { return !state_ || state_->test(); }
void Messages::wait() {
  RankWait between;  // two looks; test() knows when it has been too long
  while (!test()) between.wait();
}

#else

struct Messages::State {};

Messages::Messages(Comm, std::span<const Message> in, std::span<const Message> out, const char* what) {
  require<MpiError>(in.empty() && out.empty(), what, ": this build has no MPI, so there is one rank");
}
void Messages::start() {}
bool Messages::test() { return true; }
void Messages::wait() {}

#endif

Messages::Messages() = default;
Messages::Messages(Messages&&) noexcept = default;
Messages& Messages::operator=(Messages&&) noexcept = default;
Messages::~Messages() = default;

}  // namespace millrace
