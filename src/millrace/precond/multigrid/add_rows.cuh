// Rows that are sums of other rows, each times a weight, on a GPU: with a search for the place of every entry, which
// can be saved, or with places that were.
#pragma once

#include <cmath>

#include "millrace/base/search.hpp"
#include "millrace/precond/multigrid/rows.hpp"

namespace millrace::cuda {

using multigrid::RowsView;

// Which rows are added to a row:
//
//   struct Outer {
//     Offset begin(Offset row) const;  // its terms are t = begin(row) .. begin(row + 1)
//     Index row(Offset t) const;       // that is added
//     T weight(Offset t) const;
//   };

/// The sums of a row in shared memory, a copy for each group of lanes that adds rows.
template <int Width, int Room, class T>
struct RowSums {
  static constexpr int groups = 32 / Width;
  T (*s_sums)[Room];  // [groups]

  __device__ void clear(int lane, Index length) const {
    for (Index k = lane; k < length; k += 32)
#pragma unroll
      for (int group = 0; group < groups; ++group) s_sums[group][k] = T{0};
  }
  __device__ void store(int lane, Index length, T* out) const {
    for (Index k = lane; k < length; k += 32) {
      T all = s_sums[0][k];
#pragma unroll
      for (int group = 1; group < groups; ++group) all += s_sums[group][k];
      out[k] = all;
    }
  }
};

// Mapping  one warp per row of the sum, which has at most Room columns; Width lanes take a row that is added, and
//          32 / Width rows are added at once, each group with sums of its own.
// Traffic  every added row once, the sum once; the places once, if they are saved.
// Result   repeatable: columns of an added row differ, rows of a group come in order, groups are added in theirs.
// Shared   the columns and sums of a row per warp.
template <int Width, int Room, class Outer, class T>
__global__ void __launch_bounds__(128, 6)
    add_rows(Outer outer, RowsView inner, const T* __restrict__ values, RowsView sum, Offset num_rows, Index longer,
             const Offset* __restrict__ place_begin, std::uint8_t* __restrict__ places, T* __restrict__ out) {
  constexpr int warps = 4, groups = 32 / Width;
  __shared__ Index s_cols[warps][Room];
  __shared__ T s_sums[warps][groups][Room];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const Offset g = blockIdx.x * Offset{warps} + warp;
  if (g >= num_rows) return;
  const Offset start = sum.row_ptr[g];
  const Index length = sum.length(g);
  if (length > Room || length <= longer) return;
  const RowSums<Width, Room, T> sums{s_sums[warp]};
  sums.clear(lane, length);
  for (Index k = lane; k < length; k += 32) s_cols[warp][k] = sum.cols[start + k];
  __syncwarp();
  T* const s_own = s_sums[warp][lane / Width];
  const Offset end = outer.begin(g + 1);
  Offset next = places ? place_begin[g] : 0;
  for (Offset first = outer.begin(g); first < end; first += groups) {
    const Offset t = first + lane / Width;
    Index row = 0, count = 0;
    if (t < end) row = outer.row(t), count = inner.length(row);
    Offset own_place = next;
    if (places)
#pragma unroll
      for (int group = 0; group < groups; ++group) {
        const Index others = __shfl_sync(0xffffffffu, count, group * Width);
        if (group < lane / Width) own_place += others;
        next += others;
      }
    if (t < end) {
      const T weight = outer.weight(t);
      const Offset begin = inner.row_ptr[row];
      for (Index k = lane % Width; k < count; k += Width) {
        const Index place = first_at_least(s_cols[warp], Index{0}, length, inner.cols[begin + k]);
        if (places) places[own_place + k] = static_cast<std::uint8_t>(place);
        s_own[place] = std::fma(weight, values[begin + k], s_own[place]);
      }
    }
    __syncwarp();
  }
  sums.store(lane, length, out + start);
}

/// A row that is to be added, and its entries behind those before it.
template <class T>
struct Term {
  Offset begin = 0;
  int count = 0, before = 0;
  T weight{};
};
/// An entry that is to be added, on its way from memory.
template <class T>
struct Arriving {
  int place = -1;  // none
  T weight{}, value{};

  __device__ void add_to(T* s_sums) const {
    if (place >= 0) s_sums[place] = std::fma(weight, value, s_sums[place]);
  }
};

// Mapping  as add_rows, with places that were saved. A warp looks up 32 of the rows at once, and reads the entries of
//          the next ones while it adds those of the present ones.
// Traffic  every added row and its places once, the sum once.
// Result   the bits of add_rows.
// Shared   the sums of a row per warp, and 32 terms.
template <int Width, int Room, class Outer, class T>
__global__ void __launch_bounds__(128, sizeof(T) == 4 ? 10 : 8)
    add_rows_at(Outer outer, const Offset* __restrict__ inner, const T* __restrict__ values, const Offset* row_ptr,
                Offset num_rows, const Offset* __restrict__ place_begin, const std::uint8_t* __restrict__ places,
                T* __restrict__ out) {
  constexpr int warps = 4, groups = 32 / Width;
  constexpr unsigned all = 0xffffffffu;
  __shared__ T s_sums[warps][groups][Room];
  __shared__ Term<T> s_terms[warps][32];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const Offset g = blockIdx.x * Offset{warps} + warp;
  if (g >= num_rows) return;
  const Offset start = row_ptr[g];
  const auto length = static_cast<Index>(row_ptr[g + 1] - start);
  const RowSums<Width, Room, T> sums{s_sums[warp]};
  sums.clear(lane, length);
  T* const s_own = s_sums[warp][lane / Width];
  const Offset end = outer.begin(g + 1);
  const std::uint8_t* place = places + place_begin[g];
  for (Offset first = outer.begin(g); first < end; first += 32) {
    Term<T> own;
    if (const Offset t = first + lane; t < end) {
      const Index row = outer.row(t);
      own.weight = outer.weight(t);
      own.begin = inner[row], own.count = static_cast<int>(inner[row + 1] - own.begin);
    }
    int up_to = own.count, longest = own.count;  // entries of the rows up to this one, and of the longest
#pragma unroll
    for (int offset = 1; offset < 32; offset *= 2) {
      const int other = __shfl_up_sync(all, up_to, offset), across = __shfl_xor_sync(all, longest, offset);
      if (lane >= offset) up_to += other;
      if (across > longest) longest = across;
    }
    own.before = up_to - own.count;
    __syncwarp();
    s_terms[warp][lane] = own;
    __syncwarp();
    const int num = static_cast<int>(end - first < 32 ? end - first : 32);
    const auto fetch = [&](int i, int pass) {  // entry `pass` of this lane in the row of its group
      const Term<T>& term = s_terms[warp][(i + lane / Width) % 32];
      const int k = pass * Width + lane % Width;
      Arriving<T> entry;
      if (i + lane / Width < num && k < term.count)
        entry = {place[term.before + k], term.weight, values[term.begin + k]};
      return entry;
    };
    Arriving<T> next = fetch(0, 0);
    for (int i = 0; i < num; i += groups) {
      const Arriving<T> now = next;
      const Arriving<T> more = longest > Width ? fetch(i, 1) : Arriving<T>{};
      next = fetch(i + groups < num ? i + groups : i, 0);
      now.add_to(s_own);
      more.add_to(s_own);
      for (int pass = 2; pass * Width < longest; ++pass) fetch(i, pass).add_to(s_own);
      __syncwarp();
    }
    place += __shfl_sync(all, up_to, 31);
  }
  sums.store(lane, length, out + start);
}

}  // namespace millrace::cuda
