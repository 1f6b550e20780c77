// Sums of rows (sum_rows.cuh) with few columns: each is made by one thread.
#pragma once

#include "millrace/precond/multigrid/sum_rows.cuh"

namespace millrace::cuda {

/// Place k of thread t is [k][t], so that threads do not wait for each other.
template <int Room, int Threads, class T>
struct ThreadTables {
  Index cols[Room][Threads];
  T sums[Room][Threads];

  __device__ void clear() {
#pragma unroll 8
    for (int k = 0; k < Room; ++k) cols[k][threadIdx.x] = nothing;
  }
  /// Adds weight * value. False: no place is left.
  __device__ bool add(Index column, T weight, T value) {
    unsigned at = first_place<Room>(column);
#pragma unroll 1
    for (int probe = 0; probe < Room; ++probe, at = next_place<Room>(at)) {
      const Index was = cols[at][threadIdx.x];
      if (was == column) {
        sums[at][threadIdx.x] = fma(weight, value, sums[at][threadIdx.x]);
        return true;
      }
      if (was != nothing) continue;
      cols[at][threadIdx.x] = column, sums[at][threadIdx.x] = weight * value;
      return true;
    }
    return false;
  }
  /// Brings columns and sums to the front. Returns how many there are.
  __device__ int pack() {
    int num = 0;
#pragma unroll 4
    for (int k = 0; k < Room; ++k) {
      const Index column = cols[k][threadIdx.x];
      if (column == nothing) continue;
      cols[num][threadIdx.x] = column, sums[num][threadIdx.x] = sums[k][threadIdx.x];
      ++num;
    }
    return num;
  }
};

// Mapping  a thread per row of the sum, whose pattern is not known. `Terms` terms, and four entries of each, are on
//          their way at once.
// Traffic  the terms, the heads and entries of the added rows, and the sum, once.
// Result   repeatable: sums in the order of the terms, columns in that of the table. Where a row lies is not.
// Shared   a table per row, and, unless `Staged` is 0, as many entries, through which neighbouring threads write
//          neighbours. Rows that have more columns than `Room` are put on a list.
template <int Room, int Terms, int Threads, int Staged, class Outer, class Inner, class T>
__global__ void __launch_bounds__(Threads, (sizeof(T) == 4 && Terms < 4 ? 1280 : 768) / Threads)
    sum_short_rows(Outer outer, Inner inner, Offset num, SumOutput<T> out) {
  constexpr int entries = 4;
  __shared__ ThreadTables<Room, Threads, T> s_tables;
  __shared__ int s_starts[Threads];
  const Offset row = blockIdx.x * Offset{Threads} + threadIdx.x;
  s_tables.clear();
  bool fits = row < num;
  const Offset end = row < num ? outer.begin(row + 1) : 0;
#pragma unroll 1
  for (Offset t = row < num ? outer.begin(row) : 0; t < end; t += Terms) {
    RowHead heads[Terms];
    T weights[Terms];
    Entry<T> own[Terms][entries];
#pragma unroll
    for (int k = 0; k < Terms; ++k) {
      heads[k] = {0, 0}, weights[k] = 0;
      if (t + k < end) heads[k] = inner.head(outer.column(t + k)), weights[k] = outer.value(t + k);
    }
#pragma unroll
    for (int k = 0; k < Terms; ++k)
#pragma unroll
      for (int e = 0; e < entries; e += 2) {
        own[k][e] = own[k][e + 1] = {nothing, T{0}};
        if (e < heads[k].length) inner.load(heads[k].begin + e, e + 1 < heads[k].length, own[k] + e);
      }
#pragma unroll
    for (int k = 0; k < Terms; ++k) {
#pragma unroll
      for (int e = 0; e < entries; ++e)
        if (own[k][e].column != nothing) fits &= s_tables.add(own[k][e].column, weights[k], own[k][e].value);
#pragma unroll 1
      for (int e = entries; e < heads[k].length; ++e) {
        const Entry<T> entry = inner.entry(heads[k].begin + e);
        fits &= s_tables.add(entry.column, weights[k], entry.value);
      }
    }
  }
  const int length = fits ? s_tables.pack() : 0;
  if (!fits && row < num) out.put_on_list(row);
  s_starts[threadIdx.x] = even_room(length);
  const Offset begin = take_room<Threads>(s_starts, out.used);
  const int own = s_starts[threadIdx.x];
  if (fits) out.heads[row] = {static_cast<std::uint32_t>(begin + own), length};
  if constexpr (Staged > 0) {
    __shared__ Entry<T> s_entries[Staged];
    __shared__ int s_total;
    if (threadIdx.x == Threads - 1) s_total = own + even_room(length);
    __syncthreads();
    if (begin + s_total > out.capacity) return;
    for (int base = 0; base < s_total; base += Staged) {
#pragma unroll 1
      for (int k = 0; k < length; ++k)
        if (const int at = own + k - base; at >= 0 && at < Staged)
          s_entries[at] = {s_tables.cols[k][threadIdx.x], s_tables.sums[k][threadIdx.x]};
      __syncthreads();
      const int left = s_total - base < Staged ? s_total - base : Staged;
      for (int e = static_cast<int>(threadIdx.x); e < left; e += Threads) out.entries[begin + base + e] = s_entries[e];
      __syncthreads();
    }
  } else {
    if (begin + own + length > out.capacity) return;
#pragma unroll 1
    for (int k = 0; k < length; ++k)
      out.entries[begin + own + k] = {s_tables.cols[k][threadIdx.x], s_tables.sums[k][threadIdx.x]};
  }
}

}  // namespace millrace::cuda
