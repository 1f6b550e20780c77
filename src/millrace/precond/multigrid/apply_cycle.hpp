// A cycle as an operator: y = alpha M x + beta y for vectors of T, while the cycle computes in W, and its traffic.
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/precond/multigrid/steps.hpp"

namespace millrace::multigrid {

/// Is the dot product of a request made with the last step?
template <class W, class T>
inline constexpr bool cycle_fuses_dot = !std::is_same_v<W, T>;

/// cycle(queue, b, x) is x = M b for one vector of n entries of W.
template <class W, class T, class Cycle>
void apply_cycle(Queue& queue, std::int64_t n, const ApplyRequest<T>& request, const Cycle& cycle) {
  const bool plain = std::is_same_v<T, W> && request.alpha == T{1} && request.beta == T{0};
  const auto memory = queue.scratch<W>(plain ? 0 : 2 * n);
  W *const b = memory.data(), *const x = b + n;
  for (int v = 0; v < request.x.num; ++v) {
    const T* const from = request.x.data + v * request.x.stride;
    T* const to = request.y.data + v * request.y.stride;
    if constexpr (std::is_same_v<T, W>) {
      if (plain) {
        cycle(queue, from, to);
        continue;
      }
      cycle(queue, from, x);
    } else {
      detail::sweep(queue, Comm(), n, ConvertStep<T, W>(W{1}, from, W{0}, b));
      cycle(queue, static_cast<const W*>(b), x);
      if (request.dot != DotWith::none) {
        const ConvertStep<W, T> convert(request.alpha, x, request.beta, to);
        const T* const with = request.dot == DotWith::x ? from : nullptr;
        detail::sweep(queue, Comm(), n, ConvertDotStep<W, T>{convert, with, request.dot_result + v});
        continue;
      }
    }
    detail::sweep(queue, Comm(), n, ConvertStep<W, T>(request.alpha, x, request.beta, to));
  }
}

/// Of that, from the traffic of one cycle.
template <class T>
Traffic traffic_of_cycles(const Traffic& cycle, std::int64_t n, int num_vectors, bool reads_y) {
  Traffic sum = cycle;
  sum.matrix *= num_vectors;
  sum.vectors = num_vectors * (sum.vectors + (reads_y ? 3 : 2) * static_cast<double>(n) * sizeof(T));
  sum.minimum *= num_vectors;
  return sum;
}

}  // namespace millrace::multigrid
