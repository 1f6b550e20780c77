// Strong connections of nodes of one row on a GPU, in the steps of strength_step.hpp.
#pragma once

#include "millrace/base/cuda.cuh"
#include "millrace/precond/multigrid/diagonal.hpp"
#include "millrace/precond/multigrid/staged_rows.cuh"
#include "millrace/precond/multigrid/strength_step.hpp"

namespace millrace::cuda {

using multigrid::MatrixView;

/// The strengths of entries. What a float says is as good as the quotient of doubles unless it lies at the border of
/// two steps, so the latter are computed for few.
template <class T>
struct Strengths {
  const T* value;           // [num_rows], as in Diagonal
  const Index* num_beside;  // [num_rows]

  /// The share of |a_ii| that a neighbour has.
  __device__ float share(Offset i) const {
    const auto size = static_cast<float>(value[i]);
    const Index num = num_beside[i];
    return __fdividef(size < 0 ? -size : size, static_cast<float>(num > 1 ? num : 1));
  }
  __device__ double root(Offset i) const { return multigrid::root_of_share(value[i], num_beside[i], 1); }
  __noinline__ __device__ std::uint16_t exact_steps(Offset r, Offset c, double v) const {
    return multigrid::strength_in_steps((v < 0 ? -v : v) / (root(r) * root(c)));
  }
  /// Of entry v in row r and column c, whose shares are `own` and `other`. Errors of `steps` are below 2^-20 of it:
  /// shares have one of 2^-22, their product's root one of 2^-21, where no number leaves the range of float.
  __device__ std::uint16_t steps_of(Offset r, float own, Offset c, float other, T v) const {
    if (v == T{0}) return 0;
    const float product = own * other;
    const auto number = static_cast<float>(v);
    const float size = number < 0 ? -number : number, steps = size * rsqrtf(product) * 256 + 0.5f;
    if (size > 1e-37f && own > 1e-18f && other > 1e-18f && product < 1e36f && steps < 32768) {
      const auto whole = static_cast<int>(steps);
      const float above = steps - static_cast<float>(whole), error = steps * 0x1p-18f;
      if (above > error && above < 1 - error) return static_cast<std::uint16_t>(whole > 1 ? whole : 1);
    }
    return exact_steps(r, c, static_cast<double>(v));
  }
};

/// Where a graph is written; as in StrengthGraph.
struct GraphOutput {
  Offset* begin;
  Index* degree;
  Index* neighbours;
  std::uint16_t* strength;
  std::uint8_t* weak{};  // of long rows only
};

/// All threads that have something to say would wait for one another.
__device__ inline void say_weak(int* weak) {
  if (*static_cast<volatile int*>(weak) == 0) *weak = 1;
}

/// Entries of a thread whose shares are on their way at once.
inline constexpr int batch_of_strong = 4;

/// Writes the strong neighbours of a row that a thread has to neighbours[s - first], behind each other. They may lie
/// where the columns do. True: all are strong.
template <class T, class View>
__device__ inline bool keep_strong(const View& a, const Strengths<T>& strengths, std::uint16_t theta, Offset r,
                                   Offset first, Index* neighbours, std::uint16_t* strength, const GraphOutput& graph) {
  const Offset start = a.begin(r), end = a.begin(r + 1);
  const float own = strengths.share(r);
  bool all = true;
  Offset to = start - first;
  for (Offset s = start; s < end; s += batch_of_strong) {
    Index cols[batch_of_strong];
    float others[batch_of_strong];
#pragma unroll
    for (int k = 0; k < batch_of_strong; ++k) cols[k] = s + k < end ? a.column(s + k) : static_cast<Index>(r);
#pragma unroll
    for (int k = 0; k < batch_of_strong; ++k) others[k] = strengths.share(cols[k]);
#pragma unroll
    for (int k = 0; k < batch_of_strong; ++k) {
      if (cols[k] == r) continue;
      const std::uint16_t steps = strengths.steps_of(r, own, cols[k], others[k], a.value(s + k));
      if (steps > theta) {
        neighbours[to] = cols[k];
        strength[to++] = steps;
      } else {
        all = false;
      }
    }
  }
  graph.begin[r] = start;
  graph.degree[r] = static_cast<Index>(to - (start - first));
  return all;
}

// Mapping  a thread per row, 128 rows per thread block; entries come and go in the order of memory.
// Traffic  A once, the diagonal and what is beside it from caches; the graph once.
// Result   repeatable, that of StrengthStep; *weak becomes 1 where an entry is not strong. Places that a row does not
//          use are of no value.
// Shared   the rows' columns, in whose place neighbours come, values and strengths.
template <class T>
__global__ void __launch_bounds__(128)
    find_strong_in_short(MatrixView<T> a, Strengths<T> strengths, std::uint16_t theta, Offset num_rows,
                         GraphOutput graph, int* weak) {
  constexpr int room = ShortRows::room;
  __shared__ Index s_cols[room];
  __shared__ T s_vals[room];
  __shared__ std::uint16_t s_strength[room];
  const Offset front = blockIdx.x * Offset{128}, back = front + 128 < num_rows ? front + 128 : num_rows;
  const Offset first = a.begin(front), num = a.begin(back) - first, r = front + threadIdx.x;
  bool all = true;
  if (num > room) {
    if (r < num_rows) all = keep_strong(a, strengths, theta, r, Offset{0}, graph.neighbours, graph.strength, graph);
  } else {
    stage<128, 4>(a, first, static_cast<int>(num), s_cols, s_vals);
    const StagedView<T> staged{a.rows, first, s_cols, s_vals};
    if (r < num_rows) all = keep_strong(staged, strengths, theta, r, first, s_cols, s_strength, graph);
    __syncthreads();
    for (int k = static_cast<int>(threadIdx.x); k < num; k += 128) {
      graph.neighbours[first + k] = s_cols[k];
      graph.strength[first + k] = s_strength[k];
    }
  }
  if (!all) say_weak(weak);
}

// Mapping  8 threads per row, 32 entries at a time; places of the strong ones are counted in the order of the entries.
// Traffic  A once, the diagonal and what is beside it from caches; the graph and a byte per entry once.
// Result   repeatable, that of StrengthStep; *weak becomes 1 where an entry is not strong, and it is marked.
template <class T>
__global__ void __launch_bounds__(256) find_strong_in_long(MatrixView<T> a, Strengths<T> strengths, std::uint16_t theta,
                                                           Offset num_rows, GraphOutput graph, int* weak) {
  constexpr unsigned all = 0xffffffffu;
  constexpr int team = 8, batch = batch_of_strong;
  const Offset i = (blockIdx.x * Offset{256} + threadIdx.x) / team, r = i < num_rows ? i : num_rows - 1;
  const int lane = static_cast<int>(threadIdx.x) % team, first_lane = static_cast<int>(threadIdx.x) % 32 - lane;
  const Offset start = a.begin(r), end = i < num_rows ? a.begin(r + 1) : start;
  const float own = strengths.share(r);
  Offset to = start;
  bool complete = true;
  for (Offset first = start + lane; __any_sync(all, first - lane < end); first += team * batch) {
    Index cols[batch];
    T values[batch];
    float others[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const Offset s = first + k * team;
      cols[k] = s < end ? a.column(s) : static_cast<Index>(r);
      values[k] = s < end ? a.value(s) : T{0};
    }
#pragma unroll
    for (int k = 0; k < batch; ++k) others[k] = strengths.share(cols[k]);
#pragma unroll
    for (int k = 0; k < batch; ++k) {
      const Offset s = first + k * team;
      const bool beside = cols[k] != r;
      const std::uint16_t steps = beside ? strengths.steps_of(r, own, cols[k], others[k], values[k]) : std::uint16_t{0};
      const bool strong = beside && steps > theta;
      if (s < end) graph.weak[s] = beside && !strong;
      complete = complete && strong == beside;
      const unsigned lanes = __ballot_sync(all, strong) >> first_lane & ((1u << team) - 1);
      if (strong) {
        const Offset at = to + __popc(lanes & ((1u << lane) - 1));
        graph.neighbours[at] = cols[k];
        graph.strength[at] = steps;
      }
      to += __popc(lanes);
    }
  }
  if (!complete) say_weak(weak);
  if (lane > 0 || i >= num_rows) return;
  graph.begin[r] = start;
  graph.degree[r] = static_cast<Index>(to - start);
}

}  // namespace millrace::cuda
