// Messages between two ranks each: the same ones again and again, or once.
#pragma once

#include <memory>
#include <span>
#include <type_traits>

#include "millrace/base/comm.hpp"

namespace millrace {

/// A piece of memory that comes from or goes to a rank. Messages between the same two ranks are told apart by number.
struct Message {
  int rank = 0, number = 0;
  void* data = nullptr;
  std::int64_t bytes = 0;
};

/// `count` entries for or from a rank.
template <class T>
Message message_of(int rank, int number, T* data, std::int64_t count) {
  return {rank, number, const_cast<std::remove_const_t<T>*>(data), count * static_cast<std::int64_t>(sizeof(T))};
}

/// All messages of one step, both ways. Memory and ranks stay; contents change. Messages meet those of the same Comm,
/// so each user has a duplicate of its own.
class Messages {
 public:
  Messages();
  /// `what`: for the line that a rank writes that has waited too long ("the exchange of a halo").
  Messages(Comm comm, std::span<const Message> in, std::span<const Message> out, const char* what);
  Messages(Messages&&) noexcept;
  Messages& operator=(Messages&&) noexcept;
  ~Messages();

  void start();
  /// Has everything come and gone? MPI may move data only while it is asked. Ends the job when the start was too long
  /// ago (MILLRACE_PATIENCE).
  bool test();
  void wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace millrace
