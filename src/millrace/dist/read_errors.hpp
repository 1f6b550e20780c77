// Errors of a file that many ranks read: in the words of one rank, on all of them. Inside the library.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "millrace/base/together.hpp"

namespace millrace {

/// Throws on all ranks when one has caught something. An IoError or Unsupported of the lowest of them is about the
/// file, whoever found it, and keeps its text; others are thrown as by together().
void throw_of_file(const Comm& comm, const std::exception_ptr& mine);

/// f() on every rank; throws as above.
template <class F>
auto of_file(const Comm& comm, F&& f) -> decltype(f()) {
  std::exception_ptr mine;
  std::optional<decltype(f())> result;
  try {
    result.emplace(f());
  } catch (...) {
    mine = std::current_exception();
  }
  throw_of_file(comm, mine);
  return std::move(*result);
}

/// The text that f makes on rank 0, for every rank. Its error is thrown on all ranks.
std::string from_rank_0(const Comm& comm, const std::function<std::string()>& f);

/// An IoError of this text, which all ranks throw alike.
[[noreturn]] void refuse_file(const Comm& comm, const std::string& text);

}  // namespace millrace
