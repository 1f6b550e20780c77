// Rows in bfloat16 in slices on a GPU: how they are made, and their products.
#pragma once

#include "millrace/precond/multigrid/fused_steps.hpp"
#include "millrace/precond/multigrid/matrix_view.hpp"
#include "millrace/precond/multigrid/narrow_slices.hpp"
#include "millrace/precond/multigrid/narrow_view.hpp"
#include "millrace/precond/multigrid/staged_rows.cuh"
#include "millrace/precond/multigrid/teams.cuh"

namespace millrace::cuda {

using multigrid::slice_rows;
using multigrid::SlicesView;
using multigrid::window_rows;

// Where rows come from:
//
//   struct Source {
//     static constexpr bool has_diagonal;  // that is kept apart
//     Offset begin(Offset row) const;      // its entries are s = begin(row) .. begin(row + 1)
//     Index column(Offset s) const;
//     W value(Offset s) const;
//   };

/// Entries of a row side by side.
constexpr int near_group = 1, far_group = 2;

// Mapping  a thread block per window, a thread per row.
// Traffic  the source's columns where it has a diagonal, a byte per row.
// Result   repeatable: rows by falling length, those of 63 entries and more together, then by number; slices have whole
//          groups.
// Shared   a place and a length per row, and how many rows of each length every warp has.
template <class Source>
__global__ void __launch_bounds__(window_rows)
    order_slices(Source source, Offset num_rows, int group, std::uint8_t* place, Offset* slice_entries) {
  constexpr unsigned all = 0xffffffffu, warps = window_rows / slice_rows, kinds = 2 * slice_rows;
  __shared__ int s_before[kinds * warps];  // rows of a kind and warp, then of those before them
  __shared__ unsigned s_lengths[window_rows];
  __shared__ std::uint8_t s_place[window_rows];
  const unsigned thread = threadIdx.x, lane = thread % slice_rows, warp = thread / slice_rows;
  const Offset first = blockIdx.x * Offset{window_rows}, row = first + thread;
  s_before[2 * thread] = s_before[2 * thread + 1] = 0;
  unsigned length = 0;
  if (row < num_rows) {
    const Offset begin = source.begin(row), end = source.begin(row + 1);
    length = static_cast<unsigned>(end - begin);
    if constexpr (Source::has_diagonal)
      for (Offset s = begin; s < end; ++s) length -= source.column(s) == row;
  }
  const unsigned kind = length < kinds ? kinds - 1 - length : 0;
  const unsigned same = __match_any_sync(all, kind), rank = __popc(same & ((1u << lane) - 1));
  __syncthreads();
  if (rank == 0) s_before[kind * warps + warp] = __popc(same);
  __syncthreads();
  const int own = s_before[2 * thread], both = own + s_before[2 * thread + 1];
  int all_rows;
  const int before = sum_before<window_rows>(both, all_rows);
  s_before[2 * thread] = before, s_before[2 * thread + 1] = before + own;
  __syncthreads();
  const unsigned at = static_cast<unsigned>(s_before[kind * warps + warp]) + rank;
  s_place[at] = static_cast<std::uint8_t>(thread), s_lengths[at] = length;
  __syncthreads();
  place[first + thread] = s_place[thread];
  const unsigned longest = team_max<slice_rows>(s_lengths[thread]);
  if (lane == 0)
    slice_entries[(first + thread) / slice_rows] = Offset{longest + group - 1} / group * group * slice_rows;
}

/// What a thread of a window's block writes: its row, from there.
template <int Group, class Source, class W>
__device__ void fill_row(const Source& source, const SlicesView<W>& to, unsigned* bad) {
  const Offset first = blockIdx.x * Offset{window_rows}, at = first + threadIdx.x, row = first + to.place[at];
  const Offset slice = at / slice_rows;
  const bool there = row < to.num_rows;
  Offset s = there ? source.begin(row) : 0;
  const Offset end = there ? source.begin(row + 1) : 0;
  double own = 0;  // of the diagonal, with what rounding takes away
  const auto take_diagonal = [&] {
    if constexpr (Source::has_diagonal)
      for (; s < end && source.column(s) == row; ++s) own += static_cast<double>(source.value(s));
  };
  take_diagonal();
  unsigned wrong = 0;
  Index column = s < end ? source.column(s) : Source::has_diagonal && there ? static_cast<Index>(row) : 0;
  const auto next = [&] {
    double value = 0;
    if (s < end) {
      column = source.column(s);
      value = static_cast<double>(source.value(s));
      ++s;
      take_diagonal();
    }
    Bfloat16 rounded;
    own += multigrid::round_to(rounded, value);
    if (!is_finite(static_cast<float>(rounded))) wrong |= 2;
    return rounded;
  };
  const Offset slice_end = to.slice_begin[slice + 1];
  Offset entry = to.slice_begin[slice] + Group * static_cast<Offset>(threadIdx.x % slice_rows);
  for (; entry < slice_end; entry += Group * slice_rows)
    if constexpr (Group == near_group) {
      to.vals[entry] = next();
      const Index base = team_min<32>(column);
      if (threadIdx.x % slice_rows == 0) to.bases[entry / slice_rows] = base;
      if (column - base > 0xffff) wrong |= 1;
      to.low[entry] = static_cast<std::uint16_t>(column - base);
    } else {
      Bfloat16 vals[2];
      std::uint32_t cols[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) vals[i] = next(), cols[i] = static_cast<std::uint32_t>(column);
      const Offset pair = entry / 2;
      reinterpret_cast<std::uint32_t*>(to.vals)[pair] = vals[0].bits | std::uint32_t{vals[1].bits} << 16;
      const bool packed = to.high_bytes == 1;
      reinterpret_cast<std::uint32_t*>(to.low)[pair] = packed ? cols[0] | cols[1] << 24 : cols[0];
      if (packed)
        reinterpret_cast<std::uint16_t*>(to.high)[pair] = static_cast<std::uint16_t>(cols[1] >> 8);
      else
        reinterpret_cast<std::uint32_t*>(to.high)[pair] = cols[1];
    }
  if constexpr (Source::has_diagonal)
    if (there) {
      to.diagonal[row] = static_cast<W>(own);
      if (!is_finite(static_cast<W>(own))) wrong |= 2;
    }
  if ((wrong & ~*static_cast<volatile unsigned*>(bad)) != 0) atomicOr(bad, wrong);  // one is enough
}

// Mapping  a thread block per window, a warp per slice, a thread per row.
// Traffic  the source and the slices once.
// Result   repeatable; *bad gets bit 1 where a column is too far from the others of its 32, and bit 2 where a number is
//          not finite.
template <int Group, class Source, class W>
__global__ void __launch_bounds__(window_rows, 4) fill_slices(Source source, SlicesView<W> to, unsigned* bad) {
  fill_row<Group>(source, to, bad);
}

/// The entries of a window in shared memory.
template <bool HasDiagonal, class W>
struct StagedSource {
  static constexpr bool has_diagonal = HasDiagonal;
  const Offset* s_begins;  // [window_rows + 1]
  Offset first_row, first_entry;
  const W* s_vals;
  const Index* s_cols;

  __device__ Offset begin(Offset r) const { return s_begins[r - first_row]; }
  __device__ Index column(Offset s) const { return s_cols[s - first_entry]; }
  __device__ W value(Offset s) const { return s_vals[s - first_entry]; }
};

// Mapping  as fill_slices; the block first copies the window's entries, neighbours by neighbours, for rows are long.
// Traffic  the source and the slices once.
// Result   that of fill_slices.
// Shared   the entries of the window, and where its rows begin.
template <int Group, class Source, class W>
__global__ void __launch_bounds__(window_rows, 2)
    fill_slices_staged(Source source, SlicesView<W> to, unsigned room, unsigned* bad) {
  extern __shared__ __align__(16) char s_bytes[];
  __shared__ Offset s_begins[window_rows + 1];
  W* const s_vals = reinterpret_cast<W*>(s_bytes);
  Index* const s_cols = reinterpret_cast<Index*>(s_vals + room);
  const Offset first = blockIdx.x * Offset{window_rows};
  for (int k = static_cast<int>(threadIdx.x); k <= window_rows; k += window_rows)
    s_begins[k] = source.begin(first + k < to.num_rows ? first + k : to.num_rows);
  __syncthreads();
  const Offset begin = s_begins[0];
  const auto num = static_cast<int>(s_begins[window_rows] - begin);
  stage<window_rows, 8>(source, begin, num, s_cols, s_vals);
  fill_row<Group>(StagedSource<Source::has_diagonal, W>{s_begins, first, begin, s_vals, s_cols}, to, bad);
}

/// FusedUpdate that asks for y before the product is known.
template <class W>
struct EarlyUpdate {
  using Entry = W;
  multigrid::FusedUpdate<W> to;

  __device__ W load(Offset i) const { return to.beta == W{0} ? W{0} : to.y[i]; }
  __device__ void store(Offset i, W before, W, W product) const {
    update(before, to.alpha, product, to.beta);
    to.y[i] = before;
  }
};

/// Windows of a thread block that multiplies short rows: more loads are on their way then.
constexpr int short_windows = 4;

// Mapping  a thread block per four windows, a thread per row of each of them, up to four entries of all at a time, and
//          what lies behind a slice where others have more. Rows leave their order in shared memory, and are used by
//          neighbours.
// Traffic  the slices once, and what `to` reads and writes; x by its columns, most of it from caches.
// Result   repeatable: in the order of the entries. Columns are near, and no diagonal is apart.
// Shared   a sum per row.
template <class To, class W>
__global__ void __launch_bounds__(window_rows) multiply_short_rows(SlicesView<W> a, const W* __restrict__ x, To to) {
  constexpr int windows = short_windows, together = multigrid::slices_margin / slice_rows;
  __shared__ W s_sums[windows * window_rows];
  const unsigned thread = threadIdx.x, lane = thread % slice_rows;
  const Offset first = blockIdx.x * Offset{windows * window_rows};
  const auto base = static_cast<std::uint64_t>(a.slice_begin[first / slice_rows]);
  const Bfloat16* const val_base = a.vals + base + lane;
  const std::uint16_t* const low_base = a.low + base + lane;
  const Index* const bases = a.bases + base / slice_rows;
  unsigned begin[windows], place[windows];
  int num[windows], most = 0;
  W sums[windows];
  typename To::Entry last[windows];
#pragma unroll
  for (int w = 0; w < windows; ++w) {
    const Offset window = first + w * window_rows;
    begin[w] = 0, num[w] = 0, place[w] = thread, sums[w] = 0, last[w] = {};
    if (window < a.num_rows) {
      const Offset* const slice = a.slice_begin + window / slice_rows + thread / slice_rows;
      begin[w] = static_cast<unsigned>(slice[0]) - static_cast<unsigned>(base);
      num[w] = static_cast<int>(static_cast<unsigned>(slice[1] - slice[0]) / slice_rows);
      place[w] = a.place[window + thread];
    }
    if (window + thread < a.num_rows) last[w] = to.load(window + thread);
  }
#pragma unroll
  for (int w = 0; w < windows; ++w) most = num[w] > most ? num[w] : most;
  const auto add = [&]<int Count>(int k) {  // no branches: they would part the loads
    Index cols[windows][Count];
    std::uint32_t vals[windows][Count];
#pragma unroll
    for (int w = 0; w < windows; ++w) {
      const unsigned from = begin[w] + static_cast<unsigned>((k < num[w] ? k : num[w]) * slice_rows);
      const Bfloat16* const val_at = val_base + from;
      const std::uint16_t* const low_at = low_base + from;
      const Index* const base_at = bases + from / slice_rows;
#pragma unroll
      for (int i = 0; i < Count; ++i) {
        const bool inside = k + i < num[w];
        const std::uint32_t val = __ldcs(&val_at[i * slice_rows].bits);
        const Index column = base_at[i] + __ldcs(low_at + i * slice_rows);
        cols[w][i] = inside ? column : i > 0 ? cols[w][0] : 0;
        vals[w][i] = inside ? val << 16 : 0;
      }
    }
#pragma unroll
    for (int w = 0; w < windows; ++w)
#pragma unroll
      for (int i = 0; i < Count; ++i) sums[w] += static_cast<W>(__builtin_bit_cast(float, vals[w][i])) * x[cols[w][i]];
  };
  for (int k = 0; k < most; k += together) switch (most - k) {
      case 1:
        add.template operator()<1>(k);
        break;
      case 2:
        add.template operator()<2>(k);
        break;
      case 3:
        add.template operator()<3>(k);
        break;
      default:
        add.template operator()<together>(k);
    }
#pragma unroll
  for (int w = 0; w < windows; ++w) s_sums[w * window_rows + place[w]] = sums[w];
  __syncthreads();
#pragma unroll
  for (int w = 0; w < windows; ++w)
    if (const Offset row = first + w * window_rows + thread; row < a.num_rows)
      to.store(row, last[w], W{0}, s_sums[w * window_rows + thread]);
}

// Mapping  a thread block per window, a warp per slice, a thread per row, eight entries of it at a time while the next
//          eight are on their way. Rows leave their order in shared memory, and are used by neighbours.
// Traffic  the slices once, and what `to` reads and writes; x by its columns, most of it from caches.
// Result   repeatable: in the order of the entries, then the diagonal. Columns are far, with `High` of two.
// Shared   a sum per row.
template <bool HasDiagonal, class High, class To, class W>
__global__ void __launch_bounds__(window_rows, 4) multiply_slices(SlicesView<W> a, const W* __restrict__ x, To to) {
  constexpr int together = 4;
  __shared__ W s_sums[window_rows];
  const Offset first = blockIdx.x * Offset{window_rows}, row = first + threadIdx.x;
  const bool there = row < a.num_rows;
  const Offset* const slice = a.slice_begin + first / slice_rows + threadIdx.x / slice_rows;
  const int num = static_cast<int>(static_cast<unsigned>(slice[1] - slice[0]) / (2 * slice_rows));
  const std::uint64_t from = static_cast<std::uint64_t>(slice[0]) / 2 + threadIdx.x % slice_rows;
  const auto* const vals = reinterpret_cast<const std::uint32_t*>(a.vals) + from;
  const auto* const low = reinterpret_cast<const std::uint32_t*>(a.low) + from;
  const auto* const high = reinterpret_cast<const High*>(a.high) + from;
  struct Pairs {
    std::uint32_t vals[together], low[together], high[together];
  };
  const auto load = [&](int k) {
    Pairs some;
#pragma unroll
    for (int i = 0; i < together; ++i)
      if (const int at = (k + i) * slice_rows; k + i < num)
        some.vals[i] = __ldcs(vals + at), some.low[i] = __ldcs(low + at), some.high[i] = __ldcs(high + at);
    return some;
  };
  W own = 0, diagonal = 0, sum = 0;
  const auto add = [&](std::uint32_t val, std::uint32_t low, std::uint32_t high) {
    constexpr bool packed = sizeof(High) == 2;
    const std::uint32_t one = packed ? low & 0xffffffu : low, other = packed ? high << 8 | low >> 24 : high;
    sum += static_cast<W>(__builtin_bit_cast(float, val << 16)) * x[one];
    sum += static_cast<W>(__builtin_bit_cast(float, val & 0xffff0000u)) * x[other];
  };
  typename To::Entry last{};
  Pairs now = load(0);
  const unsigned place = a.place[row];
  if (there) last = to.load(row);
  if (HasDiagonal && there) own = x[row], diagonal = a.diagonal[row];
  int k = 0;
#pragma unroll 1
  for (; k + together <= num; k += together) {
    const Pairs next = load(k + together);
#pragma unroll
    for (int i = 0; i < together; ++i) add(now.vals[i], now.low[i], now.high[i]);
    now = next;
  }
#pragma unroll
  for (int i = 0; i < together - 1; ++i)
    if (k + i < num) add(now.vals[i], now.low[i], now.high[i]);
  s_sums[place] = sum;
  __syncthreads();
  if (!there) return;
  sum = s_sums[threadIdx.x];
  to.store(row, last, own, HasDiagonal ? sum + diagonal * own : sum);
}

}  // namespace millrace::cuda
