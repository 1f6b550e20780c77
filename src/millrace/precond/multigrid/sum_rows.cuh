// Rows that are sums of other rows, each times a weight, on a GPU: columns and values in one pass. A row is made in a
// hash table in shared memory, to which its terms are added one after another, as on the host. Rows are written where
// there is room, in any order of the rows, and are brought together afterwards.
#pragma once

#include "millrace/base/cuda.cuh"
#include "millrace/precond/multigrid/rows.hpp"
#include "millrace/precond/multigrid/teams.cuh"

namespace millrace::cuda {

// Which rows are added to a row:
//
//   struct Outer {
//     Offset begin(Offset row) const;  // its terms are t = begin(row) .. begin(row + 1)
//     Index column(Offset t) const;    // the row that is added,
//     T value(Offset t) const;         // and its weight
//   };
//
// The rows that are added; no column comes twice in one:
//
//   struct Inner {
//     RowHead head(Index row) const;
//     Entry<T> entry(std::uint32_t s) const;
//     void load(std::uint32_t s, bool second, Entry<T>* two) const;  // entries s, an even number from its row's begin,
//     and,
//   };                                                        // if `second`, s + 1

inline constexpr Index nothing = INT32_MAX;  // no column

template <class T>
struct alignas(sizeof(T) == 8 ? 16 : 8) Entry {
  Index column;
  T value;
};

/// Where a row lies, among fewer than 2^32 entries.
struct alignas(8) RowHead {
  std::uint32_t begin;
  Index length;
};

/// Rows that lie anywhere, but begin at even entries.
template <class T>
struct ScatteredRows {
  const RowHead* heads;  // [num_rows]
  const Entry<T>* entries;

  __device__ RowHead head(Index row) const { return heads[row]; }
  __device__ Entry<T> entry(std::uint32_t s) const { return entries[s]; }
  __device__ void load(std::uint32_t s, bool second, Entry<T>* two) const {
    struct alignas(16) Two {
      Entry<T> entries[2];
    };
    const Two both = *reinterpret_cast<const Two*>(entries + s);  // there is room for a second one behind any last one
    two[0] = both.entries[0], two[1] = both.entries[1];
    if (!second) two[1].column = nothing;
  }
};
/// Rows one behind another.
template <class T>
struct OrderedRows {
  const Offset* row_ptr;  // [num_rows + 1]
  const Index* cols;
  const T* vals;

  __device__ RowHead head(Index row) const {
    const Offset begin = row_ptr[row];
    return {static_cast<std::uint32_t>(begin), static_cast<Index>(row_ptr[row + 1] - begin)};
  }
  __device__ Entry<T> entry(std::uint32_t s) const { return {cols[s], vals[s]}; }
  __device__ void load(std::uint32_t s, bool second, Entry<T>* two) const {
    two[0] = entry(s);
    two[1] = second ? entry(s + 1) : Entry<T>{nothing, T{0}};
  }
};

/// Where sums go. Of a pattern that is known only values are written.
template <class T>
struct SumOutput {
  // The pattern is not known: rows take room behind each other, as blocks of threads come.
  unsigned long long* used;  // entries so far, also those beyond the capacity, which are not written
  Offset capacity;
  RowHead* heads;     // [num_rows]
  Entry<T>* entries;  // [capacity]
  // It is: row r begins at narrow[r] or wide[r].
  const std::int32_t* narrow;
  const std::int64_t* wide;
  T* vals;  // [entries]
  // Rows with more columns than a kernel takes.
  Index* list;  // [num_rows], or null: they are counted only
  unsigned* num_listed;

  __device__ bool known() const { return narrow || wide; }
  __device__ Offset known_begin(Offset r) const { return narrow ? Offset{narrow[r]} : wide[r]; }
  __device__ void put(Offset at, Index column, T value) const {
    if (known())
      vals[at] = value;
    else
      entries[at] = {column, value};
  }
  __device__ void put_on_list(Offset r) const {
    const unsigned at = atomicAdd(num_listed, 1u);
    if (list) list[at] = static_cast<Index>(r);
  }
};
/// Entries that a row takes, so that the next one begins at an even one.
__device__ inline int even_room(int length) { return length + length % 2; }

/// Where a table of `Num` places looks for a column first (D. Knuth's multiplicative hashing), and then.
template <unsigned Num>
__device__ inline unsigned first_place(Index column) {
  return __umulhi(static_cast<unsigned>(column) * 2654435769u, Num);
}
template <unsigned Num>
__device__ inline unsigned next_place(unsigned place) {
  return place + 1 == Num ? 0 : place + 1;
}
/// Which of four it is; 4: none. Without branches.
__device__ inline unsigned which(const int4& four, Index column) {
  unsigned at = 4;
  at = four.w == column ? 3 : at;
  at = four.z == column ? 2 : at;
  at = four.y == column ? 1 : at;
  return four.x == column ? 0 : at;
}

/// Takes room for a thread block's rows; `lengths` of `Num` of them become what lies before each. All threads call it.
template <int Num>
__device__ inline Offset take_room(int* s_lengths, unsigned long long* used) {
  __shared__ Offset s_begin;
  static_assert(Num <= 32 || Num % 32 == 0);
  constexpr int each = Num <= 32 ? 1 : Num / 32;  // per lane of the first warp
  __syncthreads();
  if (threadIdx.x < 32) {
    int own[each], sum = 0;
#pragma unroll
    for (int k = 0; k < each; ++k) {
      const int at = static_cast<int>(threadIdx.x) * each + k;
      own[k] = at < Num ? s_lengths[at] : 0;
      sum += own[k];
    }
    const int up_to = team_sum_up_to<32>(sum);
    int before = up_to - sum;
    __syncwarp();  // all have read
#pragma unroll
    for (int k = 0; k < each; ++k) {
      if (const int at = static_cast<int>(threadIdx.x) * each + k; at < Num) s_lengths[at] = before;
      before += own[k];
    }
    if (threadIdx.x == 31) s_begin = static_cast<Offset>(atomicAdd(used, static_cast<unsigned long long>(up_to)));
  }
  __syncthreads();
  return s_begin;
}

/// A row of the sum while `Size` lanes make it: a hash table of columns, no more than half full and in groups of four
/// that are read at once, with sums at their places, and a list of what is in it.
template <int Size, int Most, class T>
struct RowTable {
  static constexpr unsigned groups = (Most + 1) / 2;
  T sums[4 * groups];
  int4 cols[groups];
  alignas(16) Index list[Most + 4];  // columns, in the order in which they came; then `nothing` up to a multiple of 4
  std::uint16_t places[Most];        // of these
  int num;                           // more than Most: there are too many

  __device__ void clear() {
    const int4 none{nothing, nothing, nothing, nothing};
    for (int k = team_lane<Size>(); k < static_cast<int>(groups); k += Size) cols[k] = none;
    if (team_lane<Size>() == 0) num = 0;
  }
  /// Adds to the sums of some columns, two per lane or `nothing`; all lanes of the warp together, those of a team with
  /// different columns.
  __device__ void add(const Entry<T> (&two)[2], T weight) {
    unsigned group[2], at[2];  // at: 4 and more while it is not there
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      group[i] = first_place<groups>(two[i].column);
      at[i] = two[i].column == nothing ? 0 : which(cols[group[i]], two[i].column);
    }
#pragma unroll 1
    for (unsigned tries = 0; tries < 8 * groups && __any_sync(0xffffffffu, at[0] > 3 || at[1] > 3); ++tries) {
      const bool first = at[0] > 3;
      if (!first && at[1] < 4) continue;
      unsigned own = first ? group[0] : group[1];
      const unsigned found = find_or_insert(first ? two[0].column : two[1].column, own);
      if (first)
        at[0] = found, group[0] = own;
      else
        at[1] = found, group[1] = own;
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (two[i].column == nothing || at[i] > 3) continue;
      T& sum = sums[4 * group[i] + at[i]];
      sum = fma(weight, two[i].value, sum);
    }
  }
  /// The list can be ranked then.
  __device__ void finish() {
    if (const int lane = team_lane<Size>(); lane < 4 && num <= Most) list[num + lane] = nothing;
  }
  __device__ int rank_of(Index column) const {
    int rank = 0;
#pragma unroll 2
    for (int k = 0; k < num; k += 4) {
      const int4 four = *reinterpret_cast<const int4*>(list + k);
      rank += (four.x < column) + (four.y < column) + (four.z < column) + (four.w < column);
    }
    return rank;
  }

 private:
  /// Where the column is in a group, if need be in a place that was free; 4: not there, and the group may be the next.
  __device__ unsigned find_or_insert(Index column, unsigned& group) {
    const int4 four = cols[group];
    const unsigned there = which(four, column), free = which(four, nothing);
    if (there < 4) return there;
    const unsigned at = 4 * group + free;
    if (free < 4 && atomicCAS(&cols[0].x + at, nothing, column) == nothing) {
      sums[at] = 0;
      if (const int k = atomicAdd(&num, 1); k < Most) list[k] = column, places[k] = static_cast<std::uint16_t>(at);
      return free;
    }
    if (free == 4) group = next_place<groups>(group);
    return 4;
  }
};

/// What a lane adds of a row from its entry e on, two for each of `Size` lanes.
template <int Size, class T, class Inner>
__device__ inline void load_two(const Inner& inner, const RowHead& head, Index e, Entry<T> (&two)[2]) {
  const Index own = e + 2 * team_lane<Size>();
  two[0] = two[1] = {nothing, T{0}};
  if (own < head.length) inner.load(head.begin + static_cast<std::uint32_t>(own), own + 1 < head.length, two);
}

// Mapping  `Size` neighbouring threads per row of the sum; all take entries of one added row, two each, then those
//          of the next. Four rows are on their way at once.
// Traffic  the terms, the heads and entries of the added rows, and the sum, once.
// Result   repeatable: sums in the order of the terms; columns ascend. Where a row lies is not, if that is not known.
// Shared   a table per row. Rows that have more columns than `Most` are put on a list.
template <int Size, int Most, int Threads, class Outer, class Inner, class T>
__global__ void __launch_bounds__(Threads, (sizeof(T) == 4 && Most < 64 ? 1280 : 768) / Threads)
    sum_rows(Outer outer, Inner inner, const Index* list, Offset num, SumOutput<T> out) {
  constexpr int teams = Threads / Size, ahead = 4;
  __shared__ RowTable<Size, Most, T> s_tables[teams];
  __shared__ RowHead s_heads[teams][Size];
  __shared__ T s_weights[teams][Size];
  __shared__ int s_lengths[teams];
  const int team = static_cast<int>(threadIdx.x) / Size, lane = team_lane<Size>();
  const Offset i = blockIdx.x * Offset{teams} + team;
  const Offset row = i >= num ? 0 : list ? list[i] : i;
  auto& table = s_tables[team];
  table.clear();
  const Offset first = i < num ? outer.begin(row) : 0;
  const int num_own = i < num ? static_cast<int>(outer.begin(row + 1) - first) : 0;
  int longest = num_own;  // of the rows of a warp, which go on together
#pragma unroll
  for (int mask = Size; mask < 32; mask *= 2) {
    const int other = __shfl_xor_sync(0xffffffffu, longest, mask);
    if (other > longest) longest = other;
  }
#pragma unroll 1
  for (int done = 0; done < longest; done += Size) {
    __syncwarp();
    const Offset t = first + done + lane;
    const bool goes_on = done + lane < num_own && table.num <= Most;
    s_heads[team][lane] = goes_on ? inner.head(outer.column(t)) : RowHead{0, 0};
    s_weights[team][lane] = goes_on ? outer.value(t) : T{0};
    __syncwarp();
    const int num_terms = longest - done < Size ? longest - done : Size;
#pragma unroll 1
    for (int k = 0; k < num_terms; k += ahead) {
      Entry<T> two[ahead][2];
      Index longest_row = 0;
#pragma unroll
      for (int j = 0; j < ahead; ++j) {
        const RowHead head = s_heads[team][k + j];
        if (head.length > longest_row) longest_row = head.length;
        load_two<Size>(inner, head, 0, two[j]);
      }
      const bool is_long = __any_sync(0xffffffffu, longest_row > 2 * Size);
#pragma unroll
      for (int j = 0; j < ahead; ++j) {
        const T weight = s_weights[team][k + j];
        table.add(two[j], weight);
        __syncwarp();
        if (!is_long) continue;
        const RowHead head = s_heads[team][k + j];
#pragma unroll 1
        for (Index e = 2 * Size; __any_sync(0xffffffffu, e < head.length); e += 2 * Size) {
          load_two<Size>(inner, head, e, two[j]);
          table.add(two[j], weight);
          __syncwarp();
        }
      }
    }
  }
  __syncwarp();
  const bool fits = i < num && table.num <= Most;
  table.finish();
  __syncwarp();
  int length = fits ? table.num : 0;
  if (!fits && i < num && lane == 0) out.put_on_list(row);
  Offset begin = 0;
  if (out.known()) {
    if (fits) begin = out.known_begin(row);
  } else {
    if (lane == 0) s_lengths[team] = even_room(length);
    begin = take_room<teams>(s_lengths, out.used) + s_lengths[team];
    if (fits && lane == 0) out.heads[row] = {static_cast<std::uint32_t>(begin), length};
    if (begin + length > out.capacity) length = 0;
  }
#pragma unroll 1
  for (int k = lane; k < length; k += Size) {
    const Index column = table.list[k];
    out.put(begin + table.rank_of(column), column, table.sums[table.places[k]]);
  }
}

}  // namespace millrace::cuda
