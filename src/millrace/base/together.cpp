// Kinds of errors as numbers, which every rank knows.
#include "millrace/base/together.hpp"

#include <new>

#include "millrace/base/to_size.hpp"

namespace millrace::detail {
namespace {

enum class Kind : std::int32_t { none, error, unsupported, file, cuda, mpi, memory };

template <class E>
class Agreed final : public E, public OnAllRanks {
 public:
  explicit Agreed(const std::string& text) : E(text) {}
};

struct Caught {
  Kind kind = Kind::none;
  std::string text{};
};

Caught caught(const std::exception_ptr& mine) {
  if (!mine) return {};
  try {
    std::rethrow_exception(mine);
  } catch (const Unsupported& error) {
    return {Kind::unsupported, error.what()};
  } catch (const IoError& error) {
    return {Kind::file, error.what()};
  } catch (const CudaError& error) {
    return {Kind::cuda, error.what()};
  } catch (const MpiError& error) {
    return {Kind::mpi, error.what()};
  } catch (const std::bad_alloc&) {
    return {Kind::memory, "there is not enough memory for this"};
  } catch (const std::exception& error) {
    return {Kind::error, error.what()};
  } catch (...) {
    return {Kind::error, "something was thrown that is no exception of C++"};
  }
}

// together() inside another one: the error is on all ranks already.
bool agreed(const std::exception_ptr& mine) {
  if (!mine) return false;
  try {
    std::rethrow_exception(mine);
  } catch (const OnAllRanks&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

void throw_together(const Comm& comm, const std::exception_ptr& mine) {
  const Caught own = caught(mine);
  const std::vector<Kind> kinds = comm.gather(own.kind);
  int first = 0;
  while (first < comm.size() && kinds[to_size(first)] == Kind::none) ++first;
  if (first == comm.size()) return;
  const bool known = comm.all(agreed(mine));
  const std::string text = comm.broadcast(own.text, first);
  if (known) std::rethrow_exception(mine);
  const std::string said = join("rank ", first, " of ", comm.size(), ": ", text);
  switch (kinds[to_size(first)]) {
    case Kind::unsupported:
      throw Agreed<Unsupported>(said);
    case Kind::file:
      throw Agreed<IoError>(said);
    case Kind::cuda:
      throw Agreed<CudaError>(said);
    case Kind::mpi:
      throw Agreed<MpiError>(said);
    default:
      throw Agreed<Error>(said);
  }
}

}  // namespace millrace::detail
