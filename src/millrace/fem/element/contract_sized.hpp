// The loop of contract.hpp with its sizes known to the compiler: all sums of a line stay in registers.
#pragma once

#include "millrace/fem/element/contract.hpp"

namespace millrace::detail {

/// One line: M sums side by side, so that each number of `in` is read once and no sum waits for another.
template <class T, int N, int M, bool Add>
[[gnu::always_inline]] inline void contract_line(const T* table, const T* in, T* out, std::ptrdiff_t step) {
  Lanes<T> sums[unsigned(M)];
  const Lanes<T> first = Lanes<T>::load(in);
#pragma GCC unroll 16
  for (int m = 0; m < M; ++m) {
    if constexpr (Add) {
      sums[m] = Lanes<T>::load(out + m * step);
      sums[m].add_scaled(first, table[m]);
    } else {
      sums[m] = first.scaled(table[m]);
    }
  }
#pragma GCC unroll 16
  for (int n = 1; n < N; ++n) {
    const Lanes<T> number = Lanes<T>::load(in + n * step);
#pragma GCC unroll 16
    for (int m = 0; m < M; ++m) sums[m].add_scaled(number, table[n * M + m]);
  }
#pragma GCC unroll 16
  for (int m = 0; m < M; ++m) sums[m].store(out + m * step);
}

template <class T, int N, int M, bool Add>
[[gnu::always_inline]] inline void contract_lines(const T* table, const T* in, T* out, int before,
                                                  std::ptrdiff_t step) {
  for (int b = 0; b < before; ++b)
    for (std::ptrdiff_t a = 0; a < step; a += num_lanes<T>)
      contract_line<T, N, M, Add>(table, in + b * N * step + a, out + b * M * step + a, step);
}

/// Lines are 1, M or M M entries apart when an element's directions are done one after another; each of these is
/// compiled with its distance, so that addresses cost nothing.
template <class T, int N, int M, bool Add>
void contract(int, int, const T* table, const T* in, T* out, int before, int after) {
  constexpr int L = num_lanes<T>;
  if (after == 1)
    contract_lines<T, N, M, Add>(table, in, out, before, L);
  else if (after == M)
    contract_lines<T, N, M, Add>(table, in, out, before, L * M);
  else if (after == M * M)
    contract_lines<T, N, M, Add>(table, in, out, before, L * M * M);
  else
    contract_lines<T, N, M, Add>(table, in, out, before, static_cast<std::ptrdiff_t>(after) * L);
}

/// The function for sizes n and m, or null where they are not compiled.
template <class T>
Contract<T> compiled_contract(int n, int m, bool add) {
  Contract<T> found = nullptr;
  const auto look = [&]<int N>(std::integral_constant<int, N>) {
    if (n != N) return;
    if (m == N) found = add ? contract<T, N, N, true> : contract<T, N, N, false>;
    if constexpr (N > 2)
      if (m == N - 1 && !add) found = contract<T, N, N - 1, false>;
    if constexpr (N < 10)
      if (m == N + 1 && !add) found = contract<T, N, N + 1, false>;
  };
  [&]<int... I>(std::integer_sequence<int, I...>) {
    (look(std::integral_constant<int, I + 2>{}), ...);
  }(std::make_integer_sequence<int, 9>{});
  return found;
}

extern template Contract<float> compiled_contract<float>(int, int, bool);
extern template Contract<double> compiled_contract<double>(int, int, bool);

}  // namespace millrace::detail
