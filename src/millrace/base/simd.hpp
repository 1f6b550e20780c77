// A pack: N numbers in the vector registers of the host, whatever their width. It is made of the largest
// native vectors that fit (5 doubles: 4 + 1, or 2 + 2 + 1), so one kernel serves NEON, AVX2 and AVX-512.
#pragma once

#include <bit>
#include <cstring>
#include <utility>

#include "millrace/base/scalar.hpp"

namespace millrace::simd {

#if defined(__AVX512F__)
inline constexpr int native_bytes = 64;
#elif defined(__AVX__)
inline constexpr int native_bytes = 32;
#else
inline constexpr int native_bytes = 16;
#endif

namespace detail {

/// N a power of two: one native vector, or a scalar for N = 1.
template <class T, int N>
struct Native {
  using type __attribute__((vector_size(N * sizeof(T)))) = T;
};
template <class T>
struct Native<T, 1> {
  using type = T;
};

template <class T, int N>
constexpr int head_size() {
  constexpr int max_lanes = is_complex<T> ? 1 : native_bytes / static_cast<int>(sizeof(T));
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(N < max_lanes ? N : max_lanes)));
}

}  // namespace detail

template <class T, int N>
struct Pack {
  static constexpr int head_size = detail::head_size<T, N>();
  using Head = typename detail::Native<T, head_size>::type;
  Head head{};
  Pack<T, N - head_size> tail{};

  /// From memory of any alignment that holds N numbers of S (T, or something narrower that T represents).
  template <class S>
  [[gnu::always_inline]] static Pack load(const S* from) {
    typename detail::Native<S, head_size>::type stored;
    std::memcpy(&stored, from, sizeof(stored));
    Head head;
    if constexpr (std::is_same_v<S, T>)
      head = stored;
    else if constexpr (head_size == 1)
      head = static_cast<T>(stored);
    else
      head = __builtin_convertvector(stored, Head);
    return {head, Pack<T, N - head_size>::template load<S>(from + head_size)};
  }

  /// x[column(0)], x[column(1)], ...
  template <class Column>
  [[gnu::always_inline]] static Pack gather(const T* x, Column&& column) {
    return gather_from<0>(x, column);
  }

  [[gnu::always_inline]] void store(T* to) const {
    std::memcpy(to, &head, sizeof(Head));
    tail.store(to + head_size);
  }

  /// this += a * b, entry by entry.
  [[gnu::always_inline]] void add_product(const Pack& a, const Pack& b) {
    head = multiply_add_head(a.head, b.head);
    tail.add_product(a.tail, b.tail);
  }
  /// this += a * s
  [[gnu::always_inline]] void add_scaled(const Pack& a, T s) {
    if constexpr (head_size == 1)
      head = multiply_add(a.head, s, head);
    else
      head += a.head * s;
    tail.add_scaled(a.tail, s);
  }

  /// this += a * b where limit > k; elsewhere a and b do not matter, not even NaN.
  [[gnu::always_inline]] void add_product_below(const Pack& limit, T k, const Pack& a, const Pack& b) {
    head = limit.head > k ? multiply_add_head(a.head, b.head) : head;
    tail.add_product_below(limit.tail, k, a.tail, b.tail);
  }

  /// Calls f(i, value) for i = 0..N-1.
  template <class F>
  [[gnu::always_inline]] void for_each(F&& f, int first = 0) const {
    if constexpr (head_size == 1)
      f(first, head);
    else
      for (int i = 0; i < head_size; ++i) f(first + i, head[i]);
    tail.for_each(f, first + head_size);
  }

  template <int First, class Column>
  [[gnu::always_inline]] static Pack gather_from(const T* x, Column& column) {
    const Head head = [&]<int... I>(std::integer_sequence<int, I...>) {
      return Head{x[column(First + I)]...};
    }(std::make_integer_sequence<int, head_size>{});
    return {head, Pack<T, N - head_size>::template gather_from<First + head_size>(x, column)};
  }

 private:
  [[gnu::always_inline]] Head multiply_add_head(const Head& a, const Head& b) const {
    if constexpr (head_size == 1)
      return multiply_add(a, b, head);
    else
      return head + a * b;
  }
};

template <class T>
struct Pack<T, 0> {
  template <class S>
  static Pack load(const S*) {
    return {};
  }
  template <int First, class Column>
  static Pack gather_from(const T*, Column&) {
    return {};
  }
  void store(T*) const {}
  void add_product(const Pack&, const Pack&) {}
  void add_scaled(const Pack&, T) {}
  void add_product_below(const Pack&, T, const Pack&, const Pack&) {}
  template <class F>
  void for_each(F&&, int = 0) const {}
};

}  // namespace millrace::simd
