// Threads of a block as fibres: each runs until it waits for others, then the next.
#include <ucontext.h>

#include <cstring>
#include <memory>
#include <vector>

#include "cuda_runtime.h"
#include "millrace/base/error.hpp"

namespace millrace::emulated {
alignas(64) char s_bytes[emulator::max_shared_bytes];  // what `extern __shared__` names
}

namespace emulator {

dim3 thread_idx, block_idx, block_dim, grid_dim;
bool backwards = false;

namespace {

constexpr std::size_t stack_bytes = std::size_t{128} * 1024;
struct Fibre {
  ucontext_t context{};
  std::unique_ptr<char[]> stack{new char[stack_bytes]};
  bool done = false;
};
struct Barrier {
  unsigned arrived = 0, generation = 0;
};

std::vector<std::unique_ptr<Fibre>> fibres;
std::vector<Barrier> barriers;  // of the warps, then of the block
std::vector<double> exchanged;
ucontext_t scheduler;
const std::function<void()>* body = nullptr;
Fibre* current = nullptr;

void run() {
  (*body)();
  current->done = true;
}
void wait_at(Barrier& barrier, unsigned threads) {
  const unsigned generation = barrier.generation;
  if (++barrier.arrived == threads) {
    barrier.arrived = 0, ++barrier.generation;
    return;
  }
  const dim3 mine = thread_idx;
  Fibre* self = current;
  while (barrier.generation == generation) swapcontext(&self->context, &scheduler);
  thread_idx = mine;
}
unsigned warp() { return thread_idx.x / 32; }

void run_block(unsigned threads) {
  barriers.assign((threads + 31) / 32 + 1, {});
  exchanged.assign(threads + 32, 0);
  while (fibres.size() < threads) fibres.push_back(std::make_unique<Fibre>());
  for (unsigned t = 0; t < threads; ++t) {
    Fibre& fibre = *fibres[t];
    fibre.done = false;
    getcontext(&fibre.context);
    fibre.context.uc_stack.ss_sp = fibre.stack.get();
    fibre.context.uc_stack.ss_size = stack_bytes;
    fibre.context.uc_link = &scheduler;
    makecontext(&fibre.context, run, 0);
  }
  unsigned left = threads;
  for (unsigned rounds = 0; left > 0; ++rounds) {
    millrace::require(rounds < 100000, "emulator: threads of a block wait for others that have ended");
    for (unsigned i = 0; i < threads; ++i) {
      const unsigned t = backwards ? threads - 1 - i : i;
      if (fibres[t]->done) continue;
      current = fibres[t].get();
      thread_idx = dim3(t);
      swapcontext(&scheduler, &current->context);
      left -= current->done ? 1 : 0;
    }
  }
}

}  // namespace

void launch(dim3 grid, dim3 block, std::size_t shared_bytes, const std::function<void()>& kernel) {
  millrace::require(shared_bytes <= max_shared_bytes && grid.z == 1 && block.y * block.z == 1,
                    "emulator: a kernel wants ", shared_bytes,
                    " bytes of shared memory, or blocks of several dimensions");
  body = &kernel;
  grid_dim = grid, block_dim = block;
  for (block_idx.y = 0; block_idx.y < grid.y; ++block_idx.y)
    for (block_idx.x = 0; block_idx.x < grid.x; ++block_idx.x) {
      std::memset(millrace::emulated::s_bytes, 0xff, shared_bytes);
      run_block(block.x);
    }
}
void wait_for_block() { wait_at(barriers.back(), block_dim.x); }
void wait_for_warp() { wait_at(barriers[warp()], std::min(32u, block_dim.x - 32 * warp())); }
double exchange(double value, unsigned lane) {
  exchanged[thread_idx.x] = value;
  wait_for_warp();
  const double other = exchanged[32 * warp() + lane];
  wait_for_warp();
  return other;
}
unsigned ballot(bool value) {
  exchanged[thread_idx.x] = value;
  wait_for_warp();
  unsigned bits = 0;
  for (unsigned lane = 0; lane < 32; ++lane) bits |= unsigned{exchanged[32 * warp() + lane] != 0} << lane;
  wait_for_warp();
  return bits;
}

}  // namespace emulator
