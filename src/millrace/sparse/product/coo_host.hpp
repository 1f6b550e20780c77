// The host's schedule for coordinates: chunks of as many entries each, whatever the rows are.
#pragma once

#include "millrace/sparse/coo.hpp"
#include "millrace/sparse/product/scatter_host.hpp"

namespace millrace::host {

/// y = alpha A x + beta y for entries sorted by row. A row that goes on in the next chunk leaves a carry there, and the
/// carries are added in order, so the bits do not depend on the number of threads.
template <class A>
void multiply(int num_threads, const CooView<A>& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y) {
  constexpr Offset chunk = 1 << 14;
  scale(num_threads, beta, y);
  const Offset num_chunks = (a.num_entries + chunk - 1) / chunk;
  std::vector<A> carries(static_cast<std::size_t>(num_chunks));
  const auto goes_on = [&](Offset s) { return s > 0 && a.rows[s] == a.rows[s - 1]; };
  for (int v = 0; v < x.num; ++v) {
    const A* in = x.data + v * x.stride;
    A* out = y.data + v * y.stride;
    parallel(team_of_product(num_threads, a.num_entries), [&](int thread, int count) {
      const auto [first, last] = even_part(num_chunks, thread, count);
      for (Offset c = first; c < last; ++c) {
        const Offset end = std::min(a.num_entries, (c + 1) * chunk);
        for (Offset s = c * chunk; s < end;) {
          const bool carried = s == c * chunk && goes_on(s);
          const Index row = a.rows[s];
          std::array<A, 4> sums{};
          for (; s + 4 <= end && a.rows[s + 3] == row; s += 4)
            for (Offset i = 0; i < 4; ++i) {
              A& sum = sums[static_cast<std::size_t>(i)];
              sum = multiply_add(a.vals[s + i], in[a.cols[s + i]], sum);
            }
          for (; s < end && a.rows[s] == row; ++s) sums[0] = multiply_add(a.vals[s], in[a.cols[s]], sums[0]);
          const A sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
          if (carried)
            carries[static_cast<std::size_t>(c)] = sum;
          else
            out[row] = multiply_add(alpha, sum, out[row]);
        }
      }
    });
    for (Offset c = 1; c < num_chunks; ++c)
      if (goes_on(c * chunk)) {
        A& entry = out[a.rows[c * chunk]];
        entry = multiply_add(alpha, carries[static_cast<std::size_t>(c)], entry);
      }
  }
}

}  // namespace millrace::host
