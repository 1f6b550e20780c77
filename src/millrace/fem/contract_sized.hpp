// The loop of contract.hpp with its sizes known to the compiler: all sums of a line stay in registers.
#pragma once

#include "millrace/fem/contract.hpp"

namespace millrace::detail {

/// One line: M sums side by side, so that each number of `in` is read once and no sum waits for another.
template <class T, int N, int M, bool Add>
[[gnu::always_inline]] inline void contract_line(const T* table, const T* in, T* out, std::ptrdiff_t step) {
  Lanes<T> sums[unsigned(M)];
#pragma GCC unroll 16
  for (int m = 0; m < M; ++m) sums[m] = Add ? Lanes<T>::load(out + m * step) : Lanes<T>(0);
#pragma GCC unroll 16
  for (int n = 0; n < N; ++n) {
    const Lanes<T> number = Lanes<T>::load(in + n * step);
#pragma GCC unroll 16
    for (int m = 0; m < M; ++m) sums[m].add_scaled(number, table[n * M + m]);
  }
#pragma GCC unroll 16
  for (int m = 0; m < M; ++m) sums[m].store(out + m * step);
}

template <class T, int N, int M, bool Add>
void contract(int, int, const T* table, const T* in, T* out, int before, int after) {
  const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(after) * num_lanes<T>;
  for (int b = 0; b < before; ++b)
    for (std::ptrdiff_t a = 0; a < step; a += num_lanes<T>)
      contract_line<T, N, M, Add>(table, in + b * N * step + a, out + b * M * step + a, step);
}

/// The function for sizes n and m, or null where they are not compiled.
template <class T>
Contract<T> compiled_contract(int n, int m, bool add) {
  Contract<T> found = nullptr;
  const auto look = [&]<int N>(std::integral_constant<int, N>) {
    if (n != N) return;
    if (m == N) found = add ? contract<T, N, N, true> : contract<T, N, N, false>;
    if constexpr (N > 2)
      if (m == N - 1) found = add ? contract<T, N, N - 1, true> : contract<T, N, N - 1, false>;
    if constexpr (N < 10)
      if (m == N + 1) found = add ? contract<T, N, N + 1, true> : contract<T, N, N + 1, false>;
  };
  [&]<int... I>(std::integer_sequence<int, I...>) { (look(std::integral_constant<int, I + 2>{}), ...); }
  (std::make_integer_sequence<int, 9>{});
  return found;
}

extern template Contract<float> compiled_contract<float>(int, int, bool);
extern template Contract<double> compiled_contract<double>(int, int, bool);

}  // namespace millrace::detail
