// Conjugate gradients of a small system on a GPU in one kernel: a cluster of thread blocks keeps matrix and vectors in
// shared memory and runs hundreds of iterations without leaving it.
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/solve/methods/cg_steps.hpp"

namespace millrace::cuda {

constexpr int small_cg_threads = 256;
constexpr int max_small_cg_rows = 4;          // of one thread
constexpr int max_small_cg_blocks = 16;       // of one cluster
constexpr int max_small_cg_iterations = 512;  // of one launch
constexpr std::int64_t max_small_cg_unknowns = std::int64_t{small_cg_threads} * max_small_cg_rows * max_small_cg_blocks;

/// How a system is shared out; `blocks` is 0 for one that does not fit.
struct SmallCgPlan {
  int blocks = 0;
  Index rows_per_block = 0;
  Index entries_per_block = 0;  // of the fullest block
  std::size_t shared_bytes = 0;
};

template <class T>
SmallCgPlan plan_small_cg(Queue& queue, const StoredRows<T>& a, std::int64_t n);

/// Iterations from x, r, p and the scalars on, until the progress is over, or max_small_cg_iterations more.
template <class T>
void iterate_small_cg(Queue& queue, const SmallCgPlan& plan, const StoredRows<T>& a, std::int64_t n, T* x, T* r, T* p,
                      detail::CgScalars<T>* scalars);

}  // namespace millrace::cuda
