// The one file of base that knows MPI.
#include "millrace/base/comm.hpp"

#include "millrace/base/build.hpp"
#include "millrace/base/error.hpp"

#if MILLRACE_WITH_MPI
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#endif

namespace millrace {

#if MILLRACE_WITH_MPI
namespace {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  require<MpiError>(false, call, ": ", std::string_view(text, static_cast<std::size_t>(length)));
}

template <class T>
void reduce(int handle, std::span<T> values, MPI_Datatype type, MPI_Op op) {
  check(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), type, op, MPI_Comm_f2c(handle)),
        "MPI_Allreduce");
}

bool running() {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun && !ended;
}

}  // namespace

Comm Comm::world() {
  Comm comm;
  if (running()) comm.handle_ = MPI_Comm_c2f(MPI_COMM_WORLD);
  return comm;
}

int Comm::rank() const {
  int rank = 0;
  if (handle_ != alone) check(MPI_Comm_rank(MPI_Comm_f2c(handle_), &rank), "MPI_Comm_rank");
  return rank;
}

int Comm::size() const {
  int size = 1;
  if (handle_ != alone) check(MPI_Comm_size(MPI_Comm_f2c(handle_), &size), "MPI_Comm_size");
  return size;
}

void Comm::sum(std::span<double> values) const {
  if (handle_ != alone) reduce(handle_, values, MPI_DOUBLE, MPI_SUM);
}
void Comm::sum(std::span<float> values) const {
  if (handle_ != alone) reduce(handle_, values, MPI_FLOAT, MPI_SUM);
}
void Comm::sum(std::span<std::int64_t> values) const {
  if (handle_ != alone) reduce(handle_, values, MPI_INT64_T, MPI_SUM);
}
void Comm::max(std::span<double> values) const {
  if (handle_ != alone) reduce(handle_, values, MPI_DOUBLE, MPI_MAX);
}
void Comm::barrier() const {
  if (handle_ != alone) check(MPI_Barrier(MPI_Comm_f2c(handle_)), "MPI_Barrier");
}

MpiSession::MpiSession(int& argc, char**& argv) {
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun) return;
  check(MPI_Init(&argc, &argv), "MPI_Init");
  owner_ = true;
}
MpiSession::~MpiSession() {
  if (owner_ && running()) MPI_Finalize();
}

#else  // alone: one rank, and a reduction over it changes nothing

Comm Comm::world() { return {}; }
int Comm::rank() const { return 0; }
int Comm::size() const { return 1; }
void Comm::sum(std::span<double>) const {}
void Comm::sum(std::span<float>) const {}
void Comm::sum(std::span<std::int64_t>) const {}
void Comm::max(std::span<double>) const {}
void Comm::barrier() const {}
MpiSession::MpiSession(int&, char**&) {}
MpiSession::~MpiSession() { (void)owner_; }

#endif

}  // namespace millrace
