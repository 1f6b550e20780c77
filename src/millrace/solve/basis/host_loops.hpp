// Loops over a Krylov basis that host threads share: four vectors of the basis for every pass over the others, which
// stay in the nearest cache.
#pragma once

#include <algorithm>

#include "millrace/base/queue.hpp"
#include "millrace/base/simd.hpp"

namespace millrace::detail {

inline constexpr std::int64_t part = 2048;  // entries; the two vectors that meet the basis are 32 KB of double
inline constexpr int chunk = 4;             // vectors of the basis for one pass over them

// sums[c] += <v_c, u> and sums[count + c] += <v_c, w> over n entries, in a few interleaved chains.
template <int count, class A, class S>
void add_products(const S* v, std::int64_t stride, std::int64_t n, const A* u, const A* w, A* to_u, A* to_w) {
  constexpr int lanes = is_complex<A> ? 1 : static_cast<int>(32 / sizeof(A));
  std::int64_t i = 0;
  if constexpr (!is_complex<A>) {
    using Pack = simd::Pack<A, lanes>;
    Pack with_u[std::size_t{count}], with_w[std::size_t{count}];
    for (; i + lanes <= n; i += lanes) {
      const Pack u_i = Pack::load(u + i), w_i = Pack::load(w + i);
      for (int c = 0; c < count; ++c) {
        const Pack v_i = Pack::load(v + c * stride + i);
        with_u[c].add_product(v_i, u_i);
        with_w[c].add_product(v_i, w_i);
      }
    }
    for (int c = 0; c < count; ++c) {
      with_u[c].for_each([&](int, A value) { to_u[c] += value; });
      with_w[c].for_each([&](int, A value) { to_w[c] += value; });
    }
  }
  for (; i < n; ++i)
    for (int c = 0; c < count; ++c) {
      const A v_i = conjugate(change_type<A>(v[c * stride + i]));
      to_u[c] = multiply_add(v_i, u[i], to_u[c]);
      to_w[c] = multiply_add(v_i, w[i], to_w[c]);
    }
}

inline constexpr std::int64_t strip = 512;  // entries whose sums over the basis are in the nearest cache

// Calls f(begin, size) over strips of all entries, on threads; each entry costs so many bytes.
template <class F>
void for_strips(Queue& queue, std::int64_t n, std::int64_t bytes, F&& f) {
  const std::int64_t strips = (n + strip - 1) / strip;
  parallel(threads_for(queue.num_threads(), n, {.bytes = bytes}), [&](int thread, int team) {
    const auto [first, last] = even_part(strips, thread, team);
    for (std::int64_t s = first; s < last; ++s) f(s * strip, std::min(n - s * strip, strip));
  });
}

// sum += v_0 y_0 + ... over `count` vectors.
template <int count, class A, class S>
void add_scaled(const S* v, std::int64_t stride, std::int64_t n, const A* y, A* sum) {
  A c[std::size_t{count}];
  for (int j = 0; j < count; ++j) c[j] = y[j];
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) {
    A s = sum[i];
    for (int j = 0; j < count; ++j) s = multiply_add(change_type<A>(v[j * stride + i]), c[j], s);
    sum[i] = s;
  }
}
template <class A, class S>
void add_all(const S* v, std::int64_t stride, std::int64_t n, int count, const A* y, A* sum) {
  int j = 0;
  for (; j + chunk <= count; j += chunk) add_scaled<chunk>(v + j * stride, stride, n, y + j, sum);
  for (; j < count; ++j) add_scaled<1>(v + j * stride, stride, n, y + j, sum);
}

}  // namespace millrace::detail
