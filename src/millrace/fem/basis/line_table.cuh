// Tables of one direction on a GPU, and lines of values times them: all in registers, with the entries of the table in
// the constant bank.
#pragma once

#include "millrace/base/scalar.hpp"

namespace millrace::cuda {

/// A table [M, N] that a reflection of both its indices leaves as it is (Sign = 1) or negates (-1), as it is where
/// nodes and points are symmetric. It splits into what meets sums and what meets differences of opposite entries: half
/// the multiplications (Solomonoff 1992).
template <class T, int M, int N, int Sign>
struct LineTable {
  static constexpr int M2 = M / 2, N2 = N / 2, M1 = (M + 1) / 2, N1 = (N + 1) / 2;
  static constexpr int MS = Sign > 0 ? M1 : M2, MD = Sign > 0 ? M2 : M1;  // rows of either half
  static constexpr int num_uses = 6;
  T sums[MS > 0 ? MS : 1][N1];         // times in[n] + in[N - 1 - n]
  T differences[MD][N2 > 0 ? N2 : 1];  // times in[n] - in[N - 1 - n]
  int zero[num_uses];  // zeros that the compiler does not know: else it would keep whole tables in registers, and spill

  /// From the whole table, row after row.
  static LineTable from(const double* whole) {
    LineTable t{};
    for (int m = 0; m < M1; ++m)
      for (int n = 0; n < N1; ++n) {
        const double a = whole[m * N + n], b = whole[m * N + N - 1 - n];
        const bool middle = 2 * n + 1 == N;
        if (m < MS) t.sums[m][n] = static_cast<T>(middle ? a : (a + b) / 2);
        if (m < MD && n < N2) t.differences[m][n] = static_cast<T>((a - b) / 2);
      }
    return t;
  }

  /// Of the whole table, with m and n known to the compiler.
  __device__ __forceinline__ T entry(int m, int n) const {
    const int mm = 2 * m >= M ? M - 1 - m : m, nn = 2 * m >= M ? N - 1 - n : n;  // of the first half of the rows
    const bool middle = 2 * nn + 1 == N, back = 2 * nn >= N && !middle;
    const int column = back ? N - 1 - nn : nn;
    const T even = mm < MS ? sums[mm][column] : T{}, odd = mm < MD && !middle ? differences[mm][column] : T{};
    const T value = back ? even - odd : even + odd;
    return Sign < 0 && 2 * m >= M && 2 * m + 1 != M ? -value : value;
  }

  /// out = table in. `use`: another number for every use in a kernel; -1 where the compiler may keep tables in
  /// registers.
  template <int use>
  __device__ __forceinline__ void apply(const T (&in)[N], T (&out)[M]) const {
    const int first = use < 0 ? 0 : zero[use < 0 ? 0 : use];
    const auto* s = sums + first;
    const auto* d = differences + first;
    T r_sum[N1], r_difference[N2 > 0 ? N2 : 1];
#pragma unroll
    for (int n = 0; n < N2; ++n) r_sum[n] = in[n] + in[N - 1 - n], r_difference[n] = in[n] - in[N - 1 - n];
    if constexpr (N % 2 == 1) r_sum[N2] = in[N2];
#pragma unroll
    for (int m = 0; m < M1; ++m) {
      T a{}, b{};
      if (m < MS)
#pragma unroll
        for (int n = 0; n < N1; ++n) a = n > 0 ? fma(s[m][n], r_sum[n], a) : s[m][n] * r_sum[n];
      if (m < MD)
#pragma unroll
        for (int n = 0; n < N2; ++n) b = n > 0 ? fma(d[m][n], r_difference[n], b) : d[m][n] * r_difference[n];
      out[m] = m >= MS ? b : m >= MD ? a : a + b;
      if (M - 1 - m > m) out[M - 1 - m] = Sign > 0 ? a - b : b - a;
    }
  }

  /// out = table^T in.
  template <int use>
  __device__ __forceinline__ void apply_back(const T (&in)[M], T (&out)[N]) const {
    const int first = use < 0 ? 0 : zero[use < 0 ? 0 : use];
    const auto* s = sums + first;
    const auto* d = differences + first;
    T r_s[M1], r_d[M1];  // what meets either half
#pragma unroll
    for (int m = 0; m < M2; ++m) {
      r_s[m] = Sign > 0 ? in[m] + in[M - 1 - m] : in[m] - in[M - 1 - m];
      r_d[m] = Sign > 0 ? in[m] - in[M - 1 - m] : in[m] + in[M - 1 - m];
    }
    if constexpr (M % 2 == 1) r_s[M2] = r_d[M2] = in[M2];
#pragma unroll
    for (int n = 0; n < N1; ++n) {
      T a{}, b{};
#pragma unroll
      for (int m = 0; m < MS; ++m) a = m > 0 ? fma(s[m][n], r_s[m], a) : s[m][n] * r_s[m];
      if (n < N2)
#pragma unroll
        for (int m = 0; m < MD; ++m) b = m > 0 ? fma(d[m][n], r_d[m], b) : d[m][n] * r_d[m];
      out[n] = n < N2 ? a + b : a;
      if (N - 1 - n > n) out[N - 1 - n] = a - b;
    }
  }
};

}  // namespace millrace::cuda
