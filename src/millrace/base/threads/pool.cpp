// One word per thread says what it does; each change of it is one atomic step, so a part is run once.
#include "millrace/base/threads/pool.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "millrace/base/threads/cores.hpp"
#include "millrace/base/to_size.hpp"

namespace millrace::detail {
namespace {

// Low bits of the word; above them are the region and the part. idle -> ready: a caller assigns a part; ready ->
// running
// -> idle: the worker runs it; ready -> idle: the caller reclaims it; idle -> asleep: the worker, when it has spun for
// long enough; asleep -> ready -> asleep as of an idle one.
enum State : std::uint32_t { idle, asleep, ready, running };
constexpr std::uint32_t state_bits = 3;
constexpr int max_parts = 1 << 16;

std::uint32_t word_of(State state, int region, int part) {
  return state | static_cast<std::uint32_t>(region) << 8 | static_cast<std::uint32_t>(part) << 16;
}

thread_local bool inside = false;  // a region; a thread of the pool always is
std::atomic<ThreadPool*> current = nullptr;
ThreadPool* of_parent = nullptr;
std::mutex making;

// fork copies no threads: a child begins with a pool of its own.
void know_forks() {
  pthread_atfork([] { making.lock(); }, [] { making.unlock(); },
                 [] {
                   if (ThreadPool* const parents = current.exchange(nullptr)) of_parent = parents;
                   num_awake = 0;
                   making.unlock();
                 });
}

}  // namespace

struct alignas(64) ThreadPool::Worker {
  FutexWord state = idle;
};

/// Who got a part.
struct ThreadPool::Member {
  Worker* worker;
  int part;
  bool slept;
};

struct alignas(64) ThreadPool::Region {
  std::atomic<bool> taken = false;
  int number = 0;
  Body body = nullptr;
  void* context = nullptr;
  int num_parts = 0;
  std::vector<Member> members{};  // with memory for all threads
  int num_members = 0;
  std::atomic<int> next_part = 0;     // of those that nobody got: taken by threads that are done with theirs
  std::atomic<int> next_sleeper = 0;  // among the members, of those to be woken
  std::atomic<bool> caller_sleeps = false;
  std::atomic<bool> failed = false;
  std::exception_ptr error{};

  void run(int part) {
    try {
      body(context, part, num_parts);
    } catch (...) {
      if (!failed.exchange(true)) error = std::current_exception();
    }
  }
  void run_rest() {
    while (next_part.load(std::memory_order_relaxed) < num_parts)
      if (const int part = next_part.fetch_add(1, std::memory_order_relaxed); part < num_parts) run(part);
  }
  /// Each who was woken wakes some more: a call of the system takes 1 us or two.
  void wake_next() {
    for (int calls = 4; calls > 0 && next_sleeper.load(std::memory_order_relaxed) < nobody;) {
      const int k = next_sleeper.fetch_add(1, std::memory_order_acquire);
      if (k >= num_members) return;
      if (!members[to_size(k)].slept) continue;
      wake_all(members[to_size(k)].worker->state);
      --calls;
    }
  }
  static constexpr int nobody = 1 << 20;
};

ThreadPool::ThreadPool(ThreadPool* before)
    : max_workers_(std::min(cores_of_mask(), max_parts) - 1),
      regions_(std::make_unique<Region[]>(max_regions)),
      workers_(to_size(max_workers_)),
      places_(places_of_openmp()),
      before_(before) {
  for (int r = 0; r < max_regions; ++r) {
    regions_[to_size(r)].number = r;
    regions_[to_size(r)].members.reserve(workers_.size());
  }
}

ThreadPool* ThreadPool::of_this_process() {
  if (inside) return nullptr;
  if (ThreadPool* const pool = current.load(std::memory_order_acquire)) return pool;
  const std::lock_guard lock(making);
  if (!current.load(std::memory_order_relaxed)) {
    static const bool known = (know_forks(), true);
    static_cast<void>(known);
    // Never destroyed: its threads may look at it until the process ends.
    current.store(new ThreadPool(of_parent), std::memory_order_release);
    check_other_tasks();
  }
  return current.load(std::memory_order_relaxed);
}

int ThreadPool::num_workers() {
  const ThreadPool* const pool = current.load(std::memory_order_acquire);
  return pool ? pool->num_workers_.load() : 0;
}

bool ThreadPool::run(int num_parts, Body body, void* context) {
  Region* const region = take_region();
  if (!region) return false;
  region->body = body;
  region->context = context;
  region->num_parts = num_parts;
  inside = true;
  assign_parts(*region);
  region->run(0);
  region->run_rest();
  reclaim_parts(*region);
  wait_for(*region);
  inside = false;
  const std::exception_ptr error = std::exchange(region->error, nullptr);
  region->taken.store(false, std::memory_order_release);
  if (error) std::rethrow_exception(error);
  return true;
}

ThreadPool::Region* ThreadPool::take_region() {
  for (int r = 0; r < max_regions; ++r) {
    Region& region = regions_[to_size(r)];
    if (region.taken.load(std::memory_order_relaxed) || region.taken.exchange(true, std::memory_order_acquire))
      continue;
    region.members.clear();
    region.caller_sleeps.store(false, std::memory_order_relaxed);
    region.failed.store(false, std::memory_order_relaxed);
    return &region;
  }
  return nullptr;
}

// Part k goes to thread k - 1 unless another caller has it.
void ThreadPool::assign_parts(Region& region) {
  region.next_part.store(region.num_parts, std::memory_order_relaxed);
  region.next_sleeper.store(Region::nobody, std::memory_order_relaxed);
  int part = 1;
  bool wake = false;
  const int there = num_workers_.load(std::memory_order_acquire);
  for (int w = 0; w < there && part < region.num_parts; ++w) {
    Worker& worker = *workers_[to_size(w)];
    std::uint32_t before = worker.state.load(std::memory_order_relaxed);
    bool mine = false;
    while (!mine && (before == idle || before == asleep))
      mine = worker.state.compare_exchange_weak(before, word_of(ready, region.number, part), std::memory_order_acq_rel,
                                                std::memory_order_relaxed);
    if (!mine) continue;
    region.members.push_back({&worker, part++, before == asleep});
    wake = wake || before == asleep;
  }
  for (; part < region.num_parts; ++part) {
    Worker* const worker = add_worker(word_of(ready, region.number, part));
    if (!worker) break;
    region.members.push_back({worker, part, false});
  }
  if (part < region.num_parts) region.next_part.store(part, std::memory_order_relaxed);
  region.num_members = static_cast<int>(region.members.size());
  if (!wake) return;
  region.next_sleeper.store(0, std::memory_order_release);
  region.wake_next();
}

ThreadPool::Worker* ThreadPool::add_worker(std::uint32_t state) {
  if (num_workers_.load(std::memory_order_relaxed) >= max_workers_.load(std::memory_order_relaxed)) return nullptr;
  const std::lock_guard lock(growing_);
  const int number = num_workers_.load(std::memory_order_relaxed);
  if (number >= max_workers_.load(std::memory_order_relaxed)) return nullptr;
  std::unique_ptr<Worker>& worker = workers_[to_size(number)];
  sigset_t all, before;  // signals are for the threads of the program
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    worker = std::make_unique<Worker>();
    worker->state.store(state, std::memory_order_relaxed);
    std::thread([this, &me = *worker, number] {
      bind(number);
      work(me);
    }).detach();
    num_workers_.store(number + 1, std::memory_order_release);
  } catch (const std::system_error&) {  // the system's or the user's limit of threads
    max_workers_.store(number, std::memory_order_relaxed);
    worker.reset();
  } catch (const std::bad_alloc&) {  // the caller runs the part
    worker.reset();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return worker.get();
}

void ThreadPool::bind(int worker) const {
  if (places_.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : places_[(to_size(worker) + 1) % places_.size()])
    if (core >= 0 && core < CPU_SETSIZE) CPU_SET(to_size(core), &set);
  if (CPU_COUNT(&set) > 0) sched_setaffinity(0, sizeof set, &set);
}

void ThreadPool::reclaim_parts(Region& region) {
  for (int k = region.num_members - 1; k >= 0; --k) {
    const Member& member = region.members[to_size(k)];
    std::uint32_t waiting = word_of(ready, region.number, member.part);
    if (member.worker->state.load(std::memory_order_relaxed) == waiting &&
        member.worker->state.compare_exchange_strong(waiting, member.slept ? asleep : idle, std::memory_order_acq_rel))
      region.run(member.part);
  }
}

void ThreadPool::wait_for(Region& region) {
  for (const Member& member : region.members) {
    const std::uint32_t busy = word_of(running, region.number, member.part);
    const auto ended = [&] { return member.worker->state.load(std::memory_order_acquire) != busy; };
    while (!ended() && !spin_until(ended)) {
      region.caller_sleeps.store(true);
      sleep_on(member.worker->state, busy);
    }
  }
}

void ThreadPool::work(Worker& me) {
  inside = true;
  ++num_awake;
  pthread_setname_np(pthread_self(), "millrace");
  const auto handed = [&] { return (me.state.load(std::memory_order_acquire) & state_bits) == ready; };
  for (;;) {
    std::uint32_t word = me.state.load(std::memory_order_acquire);
    if ((word & state_bits) != ready) {
      if (word == asleep) me.state.compare_exchange_strong(word, idle);  // its part was reclaimed while it woke
      if (spin_until(handed)) continue;
      word = idle;
      if (!me.state.compare_exchange_strong(word, asleep)) continue;
      --num_awake;
      sleep_on(me.state, asleep);
      ++num_awake;
      continue;
    }
    const int number = static_cast<int>(word >> 8 & 255U), part = static_cast<int>(word >> 16);
    if (!me.state.compare_exchange_strong(word, word_of(running, number, part), std::memory_order_acq_rel)) continue;
    Region& region = regions_[to_size(number)];
    region.wake_next();
    region.run(part);
    region.run_rest();
    me.state.exchange(idle);
    if (region.caller_sleeps.load()) wake_all(me.state);
  }
}

}  // namespace millrace::detail
