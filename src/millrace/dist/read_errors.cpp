// Kinds of errors as numbers, and a text from the lowest rank that has one.
#include "millrace/dist/read_errors.hpp"

#include "millrace/base/to_size.hpp"

namespace millrace {
namespace {

enum class FaultKind : std::int32_t { none, file, unsupported, other };

template <class E>
class OfFile final : public E, public OnAllRanks {
 public:
  explicit OfFile(const std::string& text) : E(text) {}
};

struct Fault {
  FaultKind kind = FaultKind::none;
  std::string text{};
};

Fault fault_of(const std::exception_ptr& mine) {
  if (!mine) return {};
  try {
    std::rethrow_exception(mine);
  } catch (const OnAllRanks&) {
    return {FaultKind::other};
  } catch (const IoError& error) {
    return {FaultKind::file, error.what()};
  } catch (const Unsupported& error) {
    return {FaultKind::unsupported, error.what()};
  } catch (...) {
    return {FaultKind::other};
  }
}

}  // namespace

void throw_of_file(const Comm& comm, const std::exception_ptr& mine) {
  if (comm.size() == 1) {
    if (mine) std::rethrow_exception(mine);
    return;
  }
  const Fault own = fault_of(mine);
  const std::vector<FaultKind> kinds = comm.gather(own.kind);
  int first = 0;
  while (first < comm.size() && kinds[to_size(first)] == FaultKind::none) ++first;
  if (first == comm.size()) return;
  const FaultKind kind = kinds[to_size(first)];
  if (kind == FaultKind::other) detail::throw_together(comm, mine);
  const std::string text = comm.broadcast(own.text, first);
  if (kind == FaultKind::unsupported) throw OfFile<Unsupported>(text);
  throw OfFile<IoError>(text);
}

std::string from_rank_0(const Comm& comm, const std::function<std::string()>& f) {
  const std::string text = of_file(comm, [&] { return comm.rank() == 0 ? f() : std::string(); });
  return comm.broadcast(text);
}

void refuse_file(const Comm& comm, const std::string& text) {
  if (comm.size() == 1) throw IoError(text);
  throw OfFile<IoError>(text);
}

}  // namespace millrace
