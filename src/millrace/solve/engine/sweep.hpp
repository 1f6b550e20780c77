// A *step* is the arithmetic on entry i of some vectors, a *sweep* is the schedule that runs it over all entries. A
// solver writes its steps once; this file runs them on host threads, sweep.cuh in one kernel of a GPU.
//
//   struct Step {                                  // trivially copyable: pointers and numbers
//     using Sum = double;                          // float, double or Complex of them
//     static constexpr int num_sums = 1;           // sums over all entries that the step makes; 0: none, and no finish
//     static constexpr bool backwards = true;      // optional: the last entries first, on a GPU
//     bool active() const;                         // false: the sweep does nothing at all
//     void skip() const;                           // optional: but this, by one thread
//     auto coefficients() const;                   // read once, for instance alpha = s->rho / s->pq
//     auto load(std::int64_t i) const;             // what entry i needs; no store of the same sweep is seen by it
//     void store(std::int64_t i, const Entry& e, const Coefficients& c, Sum* sums) const;   // writes, adds to sums
//     void finish(const Sum* sums) const;          // one thread, when the sums are complete: the new scalars
//   };
#pragma once

#include <algorithm>

#include "millrace/base/comm.hpp"
#include "millrace/base/error.hpp"
#include "millrace/base/part_sums.hpp"
#include "millrace/base/queue.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace::detail {

/// Coefficients of a step that has none.
struct Nothing {};

/// What a step that is not active does instead.
template <class Step>
MILLRACE_HD void skip(const Step& step) {
  if constexpr (requires { step.skip(); }) step.skip();
}

/// Sums with the bits of one rank are those of the host.
void require_sums(Device device, const Comm& comm);

}  // namespace millrace::detail

namespace millrace::cuda {
template <class Step>  // sweep.cuh; each solver instantiates its own steps in <solver>_cuda.cu
void sweep(Queue& queue, const Comm& comm, std::int64_t n, const Step& step);
}

namespace millrace::host {

inline constexpr std::int64_t sweep_part = 4096;  // entries of one part; parts do not depend on the threads
inline constexpr int sweep_lanes = 8;             // running sums of a part, so that the compiler can use vectors

/// Entries begin..end; their sums, each in `lanes` interleaved chains, are added to `sums`.
template <class Step, class Coefficients>
void sweep_entries(const Step& step, const Coefficients& c, std::int64_t begin, std::int64_t end,
                   typename Step::Sum* sums) {
  using Sum = typename Step::Sum;
  constexpr std::size_t lanes = sweep_lanes, num = Step::num_sums;
  if constexpr (num == 0) {
#pragma GCC ivdep
    for (std::int64_t i = begin; i < end; ++i) step.store(i, step.load(i), c, sums);
  } else {
    Sum chains[num][lanes] = {};
    std::int64_t i = begin;
    for (; i + sweep_lanes <= end; i += sweep_lanes) {
#pragma GCC ivdep
      for (std::size_t l = 0; l < lanes; ++l) {
        const std::int64_t at = i + static_cast<std::int64_t>(l);
        Sum own[num];
        for (std::size_t k = 0; k < num; ++k) own[k] = chains[k][l];
        step.store(at, step.load(at), c, own);
        for (std::size_t k = 0; k < num; ++k) chains[k][l] = own[k];
      }
    }
    Sum rest[num] = {};
    for (; i < end; ++i) step.store(i, step.load(i), c, rest);
    for (std::size_t k = 0; k < num; ++k) {
      for (std::size_t width = lanes / 2; width > 0; width /= 2)
        for (std::size_t l = 0; l < width; ++l) chains[k][l] += chains[k][l + width];
      sums[k] = chains[k][0] + rest[k];
    }
  }
}

/// Result: the same bits for any number of threads; parts are summed in a tree of neighbours.
template <class Step>
void sweep(Queue& queue, const Comm& comm, std::int64_t n, const Step& step) {
  using Sum = typename Step::Sum;
  constexpr int num = Step::num_sums;
  if (!step.active()) return detail::skip(step);
  const auto c = step.coefficients();
  const std::int64_t parts = std::max<std::int64_t>((n + sweep_part - 1) / sweep_part, 1);
  const Scratch<Sum> sums = queue.scratch<Sum>(parts * num);  // [parts, num]
  parallel(threads_for(queue.num_threads(), n, {.bytes = 32}), [&](int thread, int count) {
    const auto [first, last] = even_part(parts, thread, count);
    for (std::int64_t p = first; p < last; ++p)
      sweep_entries(step, c, p * sweep_part, std::min(n, (p + 1) * sweep_part), sums.data() + p * num);
  });
  if constexpr (num > 0) {
    detail::add_parts(comm, sums.data(), parts, num, sweep_part);
    step.finish(sums.data());
  }
}

}  // namespace millrace::host

namespace millrace::detail {

/// Runs a step over entries 0..n. Traffic: what the step loads and stores, once.
template <class Step>
void sweep(Queue& queue, const Comm& comm, std::int64_t n, const Step& step) {
  if (queue.device().on_host()) {
    host::sweep(queue, comm, n, step);
  } else if constexpr (build::cuda) {
    cuda::sweep(queue, comm, n, step);
  } else {
    throw Unsupported("sweep: a CUDA device was asked for, but this build has no CUDA");
  }
}

}  // namespace millrace::detail
