// Mailbox: how kernels of a queue ask their host for something and wait for it, inside CUDA graphs too: a sum over all
// ranks, or the halo of a vector. One kernel leaves numbers in pinned memory and rings, a thread of the host sees it,
// does what is asked for and answers, and a later kernel, or the same, waits for that.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "millrace/base/comm.hpp"
#include "millrace/base/queue.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace {

/// A number in pinned memory, in two halves that each carry the turn they belong to: whoever finds both halves of its
/// turn has the whole number. A write of 8 bytes comes as one, so nobody needs a fence, or a second look at a flag.
struct alignas(16) MailboxWord {
  std::uint32_t low, low_turn, high, high_turn;
  static constexpr std::uint32_t abandoned = 0xffffffffu;  // of any turn: nobody answers any more
};

/// A mailbox as kernels see it (mailbox.cuh); without words there is none.
struct MailboxView {
  MailboxWord* handed = nullptr;          // [1 + Mailbox::max_numbers], pinned: what is asked for, then numbers
  const MailboxWord* answered = nullptr;  // the same: that it is done, then numbers
  std::uint32_t* turns = nullptr;         // on the GPU: rings that kernels have waited for
  int task = 0;
  MILLRACE_HD explicit operator bool() const { return handed != nullptr; }
};

/// Of a GPU's queue; kernels that ring and those that wait take turns in its order. The thread that answers looks
/// all the time while kernels ring, and rarely when none has for 20 ms. When a task throws, or the mailbox goes, nobody
/// waits any longer: the numbers of all answers are NaN from then on, and the error comes with the next call.
class Mailbox {
 public:
  static constexpr int max_numbers = 1 << 13;  // of one ring
  using Task = std::function<void(std::span<double> numbers)>;

  explicit Mailbox(Queue& queue);
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox();

  /// Something that kernels may ask for, until it is removed.
  int add(Task task);
  void remove(int task);
  /// Throws what a task has thrown.
  MailboxView view(int task) const;
  void check() const;

  /// The task that adds up over these ranks, in their order. The first time is for all of them, and some sums are
  /// timed: where ranks share a GPU that runs one of them at a time, kernels that wait would keep it from the others.
  int sums(Queue& queue, const Comm& comm);
  /// Between the kernel that rings and the one that waits: nothing, or, where kernels must not wait, the host's turn.
  void pass(Queue& queue);
  /// May kernels wait, or does the host do so for them?
  bool kernels_wait() const;
  /// Who waits: "kernels wait for other ranks (a sum alone: 14.2 us)", with its launch, or why it is the host.
  const std::string& details() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The mailbox of a GPU's queue for sums over these ranks; empty when alone. The first time is for all of them.
MailboxView mailbox_for_sums(Queue& queue, const Comm& comm);

/// values [count] on the GPU become their sums over all ranks, with the same bits everywhere. Nothing happens alone.
template <class A>
void sum_on_gpu(Queue& queue, const Comm& comm, A* values, std::int64_t count);

extern template void sum_on_gpu(Queue&, const Comm&, float*, std::int64_t);
extern template void sum_on_gpu(Queue&, const Comm&, double*, std::int64_t);
extern template void sum_on_gpu(Queue&, const Comm&, Complex<float>*, std::int64_t);
extern template void sum_on_gpu(Queue&, const Comm&, Complex<double>*, std::int64_t);

}  // namespace millrace
