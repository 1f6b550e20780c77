// Which loop serves which sizes, and the loop for sizes that are not compiled: simplices, and orders above 8.
#include "millrace/fem/element/contract.hpp"

#include "millrace/fem/element/contract_sized.hpp"

namespace millrace {
namespace {

/// M of the sums of a line, for any number of terms.
template <class T, int M, bool Add>
[[gnu::always_inline]] inline void sums(int n, int stride, const T* table, const T* in, T* out, std::ptrdiff_t step) {
  Lanes<T> sum[unsigned(M)];
#pragma GCC unroll 8
  for (int m = 0; m < M; ++m) sum[m] = Add ? Lanes<T>::load(out + m * step) : Lanes<T>(0);
  for (int i = 0; i < n; ++i) {
    const Lanes<T> number = Lanes<T>::load(in + i * step);
#pragma GCC unroll 8
    for (int m = 0; m < M; ++m) sum[m].add_scaled(number, table[static_cast<std::ptrdiff_t>(i) * stride + m]);
  }
#pragma GCC unroll 8
  for (int m = 0; m < M; ++m) sum[m].store(out + m * step);
}

template <class T, bool Add>
void contract_any(int n, int m, const T* table, const T* in, T* out, int before, int after) {
  const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(after) * num_lanes<T>;
  for (int b = 0; b < before; ++b)
    for (std::ptrdiff_t a = 0; a < step; a += num_lanes<T>) {
      const T* from = in + b * n * step + a;
      T* to = out + b * m * step + a;
      int k = 0;
      for (; k + 8 <= m; k += 8) sums<T, 8, Add>(n, m, table + k, from, to + k * step, step);
      for (; k + 3 <= m; k += 3) sums<T, 3, Add>(n, m, table + k, from, to + k * step, step);
      for (; k < m; ++k) sums<T, 1, Add>(n, m, table + k, from, to + k * step, step);
    }
}

}  // namespace

bool has_compiled_contract(int n, int m) { return n >= 2 && n <= 10 && m >= 2 && m <= 10 && n - m <= 1 && m - n <= 1; }

template <class T>
Contract<T> find_contract(int n, int m, bool add) {
  if (const Contract<T> found = detail::compiled_contract<T>(n, m, add)) return found;
  return add ? contract_any<T, true> : contract_any<T, false>;
}

template Contract<float> find_contract<float>(int, int, bool);
template Contract<double> find_contract<double>(int, int, bool);

}  // namespace millrace
