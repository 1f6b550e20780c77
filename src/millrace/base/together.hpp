// together: what one rank cannot do, no rank does.
#pragma once

#include <exception>
#include <optional>

#include "millrace/base/comm.hpp"
#include "millrace/base/error.hpp"

namespace millrace {

/// A mark of errors that all ranks have thrown at once: one of them may speak, and each can go on or end in peace.
class OnAllRanks {
 public:
  virtual ~OnAllRanks() = default;
};

namespace detail {
/// Throws on all ranks when one has caught something: the text of the lowest of them, with its number.
void throw_together(const Comm& comm, const std::exception_ptr& mine);
}  // namespace detail

/// f() on every rank. If it throws anywhere, every rank throws the error of the lowest rank that had one, an Error of
/// the same family whose text begins with the rank's number. All ranks must call; f may do so too.
template <class F>
auto together(const Comm& comm, F&& f) -> decltype(f()) {
  if (comm.size() == 1) return f();
  std::exception_ptr mine;
  if constexpr (std::is_void_v<decltype(f())>) {
    try {
      f();
    } catch (...) {
      mine = std::current_exception();
    }
    detail::throw_together(comm, mine);
  } else {
    std::optional<decltype(f())> result;
    try {
      result.emplace(f());
    } catch (...) {
      mine = std::current_exception();
    }
    detail::throw_together(comm, mine);
    return std::move(*result);
  }
}

}  // namespace millrace
