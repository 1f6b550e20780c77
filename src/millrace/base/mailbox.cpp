// The host's side of a mailbox: who looks, who answers, and how long that takes.
#include "millrace/base/mailbox.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <exception>
#include <mutex>
#include <vector>

#include "millrace/base/array.hpp"
#include "millrace/base/courier.hpp"
#include "millrace/base/elapsed.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace {

namespace cuda {
void wait(const Stream& stream);
void zero_in_order(const Stream& stream, void* data, std::size_t bytes);
/// hand: values go into the mailbox, and it is rung. take: waits, and values become the answer.
template <class R>
void sum_numbers(Queue& queue, const MailboxView& mail, R* values, int count, bool hand, bool take);
}  // namespace cuda

namespace {

constexpr double keen_seconds = 0.02;    // after a ring the next one is looked for all the time
constexpr int trials = 9, warm_ups = 3;  // sums that are timed, and those before
constexpr double slow_seconds = 500e-6;  // a sum that takes longer waits for the GPU's next turn of this process

/// The thread that answers must not share the core of the one that gives work to the GPU.
void leave_core() {
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof(all));
  sched_setaffinity(0, sizeof(all), &all);
}

// The halves of a word, 8 bytes each, as they come and go: half a number, and its turn in the upper bits.
std::atomic_ref<std::uint64_t> half(MailboxWord& word, int which) {
  return std::atomic_ref(reinterpret_cast<std::uint64_t*>(&word)[which]);
}
bool read(MailboxWord& word, std::uint32_t turn, std::uint64_t& bits) {
  const std::uint64_t low = half(word, 0).load(std::memory_order_acquire),
                      high = half(word, 1).load(std::memory_order_acquire);
  bits = (low & 0xffffffffu) | high << 32;
  return low >> 32 == turn && high >> 32 == turn;
}
void write(MailboxWord& word, std::uint32_t turn, std::uint64_t bits) {
  half(word, 0).store((bits & 0xffffffffu) | std::uint64_t{turn} << 32, std::memory_order_release);
  half(word, 1).store(bits >> 32 | std::uint64_t{turn} << 32, std::memory_order_release);
}

}  // namespace

struct Mailbox::State {
  struct Sums {
    Comm asked, own;
    int task;
  };
  std::shared_ptr<Stream> stream;
  Array<MailboxWord> handed, answered;
  Array<std::uint32_t> turns;
  int exceptions = std::uncaught_exceptions();

  mutable std::mutex mutex{};  // of the tasks and the error
  std::vector<std::shared_ptr<const Task>> tasks{};
  std::exception_ptr error{};

  std::vector<Sums> sums{};
  bool kernels_wait = true;
  std::string details{};

  std::uint32_t served = 0;       // of whoever looks
  std::vector<double> numbers{};  // of this turn
  Clock::time_point last = Clock::now();
  bool placed = false;
  std::atomic<bool> ending = false;
  Courier courier{};

  explicit State(Queue& queue)
      : stream(queue.shared_stream()),
        handed(Device::host(), max_numbers + 1, Memory::pinned),
        answered(Device::host(), max_numbers + 1, Memory::pinned),
        turns(queue, 1) {
    for (Array<MailboxWord>* words : {&handed, &answered}) std::fill_n(words->data(), max_numbers + 1, MailboxWord{});
    if constexpr (build::cuda) cuda::zero_in_order(*stream, turns.data(), sizeof(std::uint32_t));
  }

  /// Answers, if somebody has rung.
  bool look() {
    const std::uint32_t turn = served + 1;
    std::uint64_t asked = 0;
    if (!read(handed.data()[0], turn, asked)) return false;
    served = turn;
    try {
      const auto number = static_cast<int>(asked >> 32);
      numbers.resize(static_cast<std::uint32_t>(asked));
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        std::uint64_t bits = 0;
        while (!read(handed.data()[k + 1], turn, bits))  // it is under way
          require(!kernels_wait || !ending.load(std::memory_order_relaxed), "mailbox: a kernel did not end its ring");
        numbers[k] = std::bit_cast<double>(bits);
      }
      std::shared_ptr<const Task> task;
      {
        const std::lock_guard lock(mutex);
        task = tasks.at(to_size(number));
      }
      require(task != nullptr, "mailbox: task ", number, " was removed, and a kernel asks for it");
      (*task)(numbers);
      std::atomic_thread_fence(std::memory_order_release);  // what it has written elsewhere comes before
      for (std::size_t k = 0; k < numbers.size(); ++k)
        write(answered.data()[k + 1], turn, std::bit_cast<std::uint64_t>(numbers[k]));
      write(answered.data()[0], turn, 0);
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
      abandon();
    }
    return true;
  }

  void abandon() {
    const auto nothing = std::bit_cast<std::uint64_t>(std::nan(""));
    for (std::int64_t k = answered.size() - 1; k >= 0; --k) write(answered.data()[k], MailboxWord::abandoned, nothing);
  }

  /// The courier's turn: for as long as the next ring may come soon.
  bool serve() {
    constexpr int spins = 1000;  // some 10 us, before others may have the core
    if (!std::exchange(placed, true)) leave_core();
    for (int looks = 0; !ending.load(std::memory_order_relaxed); ++looks) {
      if (look()) {
        last = Clock::now();
        looks = 0;
      } else if (looks >= spins) {
        if (seconds_since(last) > keen_seconds) return false;
        sched_yield();
      }
    }
    return true;
  }
  void end_service() {
    ending = true;
    courier.wait();
  }

  void find_speed(Queue& queue, const Comm& comm, const MailboxView& mail);
};

Mailbox::Mailbox(Queue& queue) : state_(std::make_unique<State>(queue)) {
  State& s = *state_;
  s.kernels_wait = Comm().serves_threads();
  if (s.kernels_wait)
    s.courier.begin([&s] { return s.serve(); });
  else
    s.details = "the host waits for other ranks, for this MPI serves one thread at a time";
}

Mailbox::~Mailbox() {
  State& s = *state_;
  const auto drain = [&]() noexcept {
    try {
      if constexpr (build::cuda) cuda::wait(*s.stream);
    } catch (...) {  // an error of the GPU: nothing waits there any more
    }
  };
  if (std::uncaught_exceptions() == s.exceptions) drain();
  try {
    if (s.kernels_wait) s.end_service();
  } catch (...) {
  }
  s.abandon();
  drain();
}

int Mailbox::add(Task task) {
  const std::lock_guard lock(state_->mutex);
  auto& tasks = state_->tasks;
  const auto place = std::ranges::find(tasks, nullptr) - tasks.begin();
  if (place == std::ssize(tasks)) tasks.emplace_back();
  tasks[to_size(place)] = std::make_shared<const Task>(std::move(task));
  return static_cast<int>(place);
}

void Mailbox::remove(int task) {
  const std::lock_guard lock(state_->mutex);
  state_->tasks[to_size(task)] = nullptr;
}

void Mailbox::check() const {
  const std::lock_guard lock(state_->mutex);
  if (state_->error) std::rethrow_exception(state_->error);
}

MailboxView Mailbox::view(int task) const {
  check();
  return {state_->handed.data(), state_->answered.data(), state_->turns.data(), task};
}

const std::string& Mailbox::details() const { return state_->details; }
bool Mailbox::kernels_wait() const { return state_->kernels_wait; }

void Mailbox::pass(Queue& queue) {
  State& s = *state_;
  if (s.kernels_wait) return;
  require<Unsupported>(!queue.capturing(), "mailbox: ", s.details, ", so it cannot be captured in a CUDA graph");
  queue.wait();
  s.look();
  check();
}

/// Of this rank and of all: where one finds that kernels must not wait, none does.
void Mailbox::State::find_speed(Queue& queue, const Comm& comm, const MailboxView& mail) {
  if constexpr (build::cuda) {
    const Scratch<double> value = queue.scratch<double>(1);
    cuda::zero_in_order(*stream, value.data(), sizeof(double));
    std::vector<double> seconds;
    for (int k = 0; k < warm_ups + trials; ++k) {
      const auto begin = Clock::now();
      cuda::sum_numbers(queue, mail, value.data(), 1, true, true);
      queue.wait();
      if (k >= warm_ups) seconds.push_back(seconds_since(begin));
    }
    std::ranges::nth_element(seconds, seconds.begin() + trials / 2);
    double slowest[] = {seconds[trials / 2]};
    comm.max(slowest);
    const double time = std::round(slowest[0] * 1e7) / 10;
    details = join("kernels wait for other ranks (a sum alone: ", time, " us)");
    if (slowest[0] < slow_seconds) return;
    end_service();
    kernels_wait = false;
    details =
        join("the host waits for other ranks, for the GPU runs one at a time (is MPS off? A sum alone: ", time, " us)");
  }
}

int Mailbox::sums(Queue& queue, const Comm& comm) {
  State& s = *state_;
  for (const State::Sums& known : s.sums)
    if (known.asked == comm) return known.task;
  require(!queue.capturing(),
          "mailbox: the first sum over ranks of a queue cannot be captured in a CUDA graph; run the same call once "
          "before the capture");
  const Comm own = comm.duplicate();
  const int task = add([own](std::span<double> numbers) { own.sum(numbers); });
  s.sums.push_back({comm, own, task});
  if (s.kernels_wait) s.find_speed(queue, comm, view(task));
  return task;
}

MailboxView mailbox_for_sums(Queue& queue, const Comm& comm) {
  if (comm.size() == 1) return {};
  Mailbox& mailbox = queue.mailbox();
  return mailbox.view(mailbox.sums(queue, comm));
}

template <class A>
void sum_on_gpu(Queue& queue, const Comm& comm, A* values, std::int64_t count) {
  if (comm.size() == 1) return;
  if constexpr (build::cuda) {
    const MailboxView mail = mailbox_for_sums(queue, comm);
    auto* const numbers = reinterpret_cast<RealOf<A>*>(values);
    const std::int64_t size = count * (is_complex<A> ? 2 : 1);
    for (std::int64_t begin = 0; begin < size; begin += Mailbox::max_numbers) {
      const int some = static_cast<int>(std::min<std::int64_t>(Mailbox::max_numbers, size - begin));
      const bool at_once = queue.mailbox().kernels_wait();
      cuda::sum_numbers(queue, mail, numbers + begin, some, true, at_once);
      if (at_once) continue;
      queue.mailbox().pass(queue);
      cuda::sum_numbers(queue, mail, numbers + begin, some, false, true);
    }
  } else {
    throw Unsupported("sum over ranks: a CUDA device was asked for, but this build has no CUDA");
  }
}

template void sum_on_gpu(Queue&, const Comm&, float*, std::int64_t);
template void sum_on_gpu(Queue&, const Comm&, double*, std::int64_t);
template void sum_on_gpu(Queue&, const Comm&, Complex<float>*, std::int64_t);
template void sum_on_gpu(Queue&, const Comm&, Complex<double>*, std::int64_t);

}  // namespace millrace
