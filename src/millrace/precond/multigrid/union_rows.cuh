// Patterns on a GPU: every row is the union of columns that a source names, ascending.
#pragma once

#include "millrace/precond/multigrid/priority.hpp"
#include "millrace/precond/multigrid/rows.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

using multigrid::RowPattern;
using multigrid::RowsView;

// A source of columns:
//
//   struct Source {
//     Offset bound(Offset row) const;                                     // no more columns than these
//     void visit(Offset row, int lane, int num_lanes, F&& f) const;       // f(column) for a lane's share of them
//   };

/// A power of two of columns, in shared memory; `none` where there is no column.
inline constexpr Index no_column = INT32_MAX;

/// Threads that work on one row: a warp, or a whole thread block.
template <int Size>
struct Team {
  __device__ static int lane() { return static_cast<int>(threadIdx.x) % Size; }
  __device__ static void wait() {
    if constexpr (Size == 32)
      __syncwarp();
    else
      __syncthreads();
  }
};

/// True where the column was not there.
template <int Room>
__device__ inline bool insert_column(Index* s_table, Index column) {
  unsigned at = multigrid::mix_bits(static_cast<std::uint32_t>(column)) % Room;
  for (;;) {
    const Index was = atomicCAS(s_table + at, no_column, column);
    if (was == no_column) return true;
    if (was == column) return false;
    at = (at + 1) % Room;
  }
}

/// Makes `num` columns ascend; behind them there is room up to the next power of two.
template <int Size>
__device__ void sort_columns(Index* s_columns, int num) {
  const int lane = Team<Size>::lane();
  int even = 1;
  while (even < num) even *= 2;
  for (int i = num + lane; i < even; i += Size) s_columns[i] = no_column;
  Team<Size>::wait();
  for (int width = 2; width <= even; width *= 2)  // K. Batcher's bitonic sort (1968)
    for (int step = width / 2; step > 0; step /= 2) {
      for (int i = lane; i < even / 2; i += Size) {
        const int low = i / step * step * 2 + i % step, high = low + step;
        const Index a = s_columns[low], b = s_columns[high];
        if ((a > b) == ((low & width) == 0)) s_columns[low] = b, s_columns[high] = a;
      }
      Team<Size>::wait();
    }
}

/// Puts the columns of a table in front, ascending; `num` of them.
template <int Size, int Room>
__device__ void sort_table(Index* s_table, int num, int* s_next) {
  const int lane = Team<Size>::lane();
  if (lane == 0) *s_next = 0;
  Team<Size>::wait();
  for (int first = 0; first < Room; first += Size) {  // places in front of what is read are free
    const Index column = s_table[first + lane];
    Team<Size>::wait();
    if (column != no_column) s_table[atomicAdd(s_next, 1)] = column;
    Team<Size>::wait();
  }
  sort_columns<Size>(s_table, num);
}

/// What a launch makes: the lengths of rows, with the columns of those that have few, or the columns.
struct UnionOutput {
  Offset* lengths;        // [num_rows], or null in the second launch
  const Offset* row_ptr;  // [num_rows + 1], of the second launch
  Index* cols;            // the same
  Index* kept;            // columns of rows with few, from the first launch to the second; null: none

  __device__ Index length(Offset row) const { return static_cast<Index>(row_ptr[row + 1] - row_ptr[row]); }
};

// Mapping  `Size` threads per row, 128 or Size per thread block.
// Traffic  what the source reads, once for rows with up to `Keep` columns, whose columns move three times; for others
//          twice, and their columns once.
// Result   repeatable: a set, and it is sorted.
// Shared   a hash table of `Room` columns per row, at least a quarter empty, and a list of the first `Keep`, a power
//          of two.
template <int Size, int Room, int Keep, class Source>
__global__ void __launch_bounds__(128)
    collect_rows(Source source, const Index* list, Offset num, UnionOutput out) {  // kept: [num, Keep]
  constexpr int teams = 128 / Size;
  __shared__ Index s_tables[teams][Room], s_first[teams][Keep];
  __shared__ int s_counts[teams];
  const int team = static_cast<int>(threadIdx.x) / Size, lane = Team<Size>::lane();
  const Offset i = blockIdx.x * Offset{teams} + team;
  if (i >= num) return;
  const Offset row = list ? list[i] : i;
  Index* const kept = out.kept ? out.kept + i * Keep : nullptr;
  if (out.cols && kept)
    if (const Index length = out.length(row); length <= Keep) {
      for (int k = lane; k < length; k += Size) out.cols[out.row_ptr[row] + k] = kept[k];
      return;
    }
  Index* const s_table = s_tables[team];
  for (int k = lane; k < Room; k += Size) s_table[k] = no_column;
  if (lane == 0) s_counts[team] = 0;
  Team<Size>::wait();
  source.visit(row, lane, Size, [&](Index column) {
    if (!insert_column<Room>(s_table, column)) return;
    if (const int at = atomicAdd(&s_counts[team], 1); at < Keep) s_first[team][at] = column;
  });
  Team<Size>::wait();
  const int length = s_counts[team];
  if (out.cols) {
    Team<Size>::wait();
    sort_table<Size, Room>(s_table, length, &s_counts[team]);
    for (int k = lane; k < length; k += Size) out.cols[out.row_ptr[row] + k] = s_table[k];
    return;
  }
  if (lane == 0) out.lengths[row] = length;
  if (!kept || length > Keep) return;
  sort_columns<Size>(s_first[team], length);
  for (int k = lane; k < length; k += Size) kept[k] = s_first[team][k];
}

// Mapping  one thread per row.
// Traffic  as collect_rows.
// Result   repeatable: sorted.
// Shared   the columns of a row, [Room, threads], so that threads of a warp never wait for each other.
template <int Room, int Keep, class Source>
__global__ void __launch_bounds__(64)
    collect_short_rows(Source source, const Index* list, Offset num, UnionOutput out) {  // kept: [Keep, num]
  __shared__ Index s_lists[Room][64];
  const Offset i = blockIdx.x * Offset{64} + threadIdx.x;
  if (i >= num) return;
  const Offset row = list ? list[i] : i;
  Index* const kept = out.kept ? out.kept + i : nullptr;
  if (out.cols && kept)
    if (const Index length = out.length(row); length <= Keep) {
      for (int k = 0; k < length; ++k) out.cols[out.row_ptr[row] + k] = kept[k * num];
      return;
    }
  int length = 0;
  source.visit(row, 0, 1, [&](Index column) {
    int at = length;
    while (at > 0 && s_lists[at - 1][threadIdx.x] > column) --at;
    if (at > 0 && s_lists[at - 1][threadIdx.x] == column) return;
    for (int k = length; k > at; --k) s_lists[k][threadIdx.x] = s_lists[k - 1][threadIdx.x];
    s_lists[at][threadIdx.x] = column;
    ++length;
  });
  Index* to = out.cols ? out.cols + out.row_ptr[row] : kept;
  const Offset stride = out.cols ? 1 : num;
  if (!out.cols) out.lengths[row] = length;
  if (!to || (!out.cols && length > Keep)) return;
  for (int k = 0; k < length; ++k, to += stride) *to = s_lists[k][threadIdx.x];
}

// Mapping  a thread block per row, one row after another.
// Traffic  what the source reads, and a bit per possible column three times.
// Result   repeatable: a set, in order.
template <class Source>
__global__ void __launch_bounds__(256)
    collect_long_rows(Source source, const Index* list, Offset num, Index num_words, unsigned* words, UnionOutput out) {
  __shared__ int s_counts[256];
  unsigned* const own = words + blockIdx.x * Offset{num_words};
  const int each = (num_words + 255) / 256;  // words of a thread, neighbours
  const int begin = min(num_words, static_cast<int>(threadIdx.x) * each), end = min(num_words, begin + each);
  for (Offset i = blockIdx.x; i < num; i += gridDim.x) {
    const Offset row = list[i];
    for (Index w = static_cast<Index>(threadIdx.x); w < num_words; w += 256) own[w] = 0;
    __syncthreads();
    source.visit(row, static_cast<int>(threadIdx.x), 256,
                 [&](Index column) { atomicOr(own + column / 32, 1u << (column % 32)); });
    __syncthreads();
    int count = 0;
    for (int w = begin; w < end; ++w) count += __popc(own[w]);
    s_counts[threadIdx.x] = count;
    __syncthreads();
    int before = 0, all = 0;
    for (int t = 0; t < 256; ++t) {
      if (t == static_cast<int>(threadIdx.x)) before = all;
      all += s_counts[t];
    }
    if (!out.cols) {
      if (threadIdx.x == 0) out.lengths[row] = all;
    } else {
      Index* to = out.cols + out.row_ptr[row] + before;
      for (int w = begin; w < end; ++w)
        for (unsigned bits = own[w]; bits != 0; bits &= bits - 1) *to++ = w * 32 + __ffs(static_cast<int>(bits)) - 1;
    }
    __syncthreads();
  }
}

/// Rows by the most columns that they may have: 0 to 16, 48, 384, 1536, 6144, and more.
inline constexpr int num_row_kinds = 6;
__device__ inline int row_kind(Index bound) {
  return bound <= 16 ? 0 : bound <= 48 ? 1 : bound <= 384 ? 2 : bound <= 1536 ? 3 : bound <= 6144 ? 4 : 5;
}

template <class Source>
class RowUnion {
 public:
  RowUnion(Queue& queue, Index num_rows, Index num_cols, const Source& source)
      : queue_(queue), steps_(queue), source_(source), num_rows_(num_rows), num_cols_(num_cols) {
    find_kinds();
  }

  RowPattern run() {
    RowPattern made{num_rows_, num_cols_, Array<Offset>(queue_, Offset{num_rows_} + 1), Array<Index>(queue_, 0)};
    Offset* const row_ptr = made.row_ptr.data();
    steps_.set(row_ptr, Offset{0});
    launch({row_ptr + 1, nullptr, nullptr, nullptr});
    steps_.scan(row_ptr + 1, num_rows_);
    const Offset num = num_rows_ > 0 ? steps_.read(row_ptr + num_rows_) : 0;
    made.cols = Array<Index>(queue_, num);
    launch({nullptr, row_ptr, made.cols.data(), nullptr});
    return made;
  }

  // Public, as functions with lambdas for a GPU must be:
  void find_kinds();

 private:
  void launch(const UnionOutput& out) {
    launch_short<16, 8>(0, out);
    launch_short<48, 16>(1, out);
    launch_team<32, 512, 64>(2, out);
    launch_team<32, 2048, 128>(3, out);
    launch_team<128, 8192, 256>(4, out);
    const Offset num = nums_[5];
    if (num == 0) return;
    const Index num_words = (num_cols_ + 31) / 32;
    const Offset blocks = num < 264 ? num : 264;
    Array<unsigned> words(queue_, blocks * num_words);
    collect_long_rows<<<static_cast<unsigned>(blocks), 256, 0, queue_.stream()>>>(source_, lists_[5].data(), num,
                                                                                  num_words, words.data(), out);
    check_launch("collect_long_rows", queue_.stream());
  }
  template <int Room, int Keep>
  void launch_short(int kind, const UnionOutput& out) {
    const Offset num = nums_[kind];
    if (num == 0) return;
    collect_short_rows<Room, Keep>
        <<<num_blocks(num, 64), 64, 0, queue_.stream()>>>(source_, list_of(kind), num, with_kept(kind, Keep, out));
    check_launch("collect_short_rows", queue_.stream());
  }
  template <int Size, int Room, int Keep>
  void launch_team(int kind, const UnionOutput& out) {
    const Offset num = nums_[kind];
    if (num == 0) return;
    collect_rows<Size, Room, Keep><<<num_blocks(num, 128 / Size), 128, 0, queue_.stream()>>>(
        source_, list_of(kind), num, with_kept(kind, Keep, out));
    check_launch("collect_rows", queue_.stream());
  }
  const Index* list_of(int kind) const { return nums_[kind] == num_rows_ ? nullptr : lists_[kind].data(); }
  UnionOutput with_kept(int kind, int keep, UnionOutput out) {
    constexpr Offset most = Offset{1} << 30;  // columns; more memory than they take is worth a second search
    const Offset size = nums_[kind] * keep;
    if (kept_[kind].empty() && size <= most) kept_[kind] = Array<Index>(queue_, size);
    out.kept = kept_[kind].empty() ? nullptr : kept_[kind].data();
    return out;
  }

  Queue& queue_;
  DeviceSteps steps_;
  Source source_;
  Index num_rows_, num_cols_;
  Offset nums_[num_row_kinds] = {};
  Array<Index> lists_[num_row_kinds];  // rows of each kind; empty where all are of it
  Array<Index> kept_[num_row_kinds];   // UnionOutput::kept of each kind
};

template <class Source>
void RowUnion<Source>::find_kinds() {
  const Source source = source_;
  const Offset num_cols = num_cols_;
  Array<Index> bounds = steps_.template scratch<Index>(num_rows_);
  Index* const bound = bounds.data();
  steps_.for_each(num_rows_, [=] __device__(Offset r) {
    const Offset most = source.bound(r);
    bound[r] = static_cast<Index>(most < num_cols ? most : num_cols);
  });
  Offset left = num_rows_;
  for (int kind = 0; kind < num_row_kinds && left > 0; ++kind) {
    const Offset num = steps_.sum(num_rows_, [=] __device__(Offset r) { return Offset{row_kind(bound[r]) == kind}; });
    nums_[kind] = num;
    left -= num;
    if (num == 0 || (num == num_rows_ && kind < num_row_kinds - 1)) continue;
    Array<Offset> places = steps_.template scratch<Offset>(num_rows_);
    Offset* const place = places.data();
    steps_.for_each(num_rows_, [=] __device__(Offset r) { place[r] = row_kind(bound[r]) == kind; });
    steps_.scan(place, num_rows_);
    lists_[kind] = Array<Index>(queue_, num);
    Index* const list = lists_[kind].data();
    steps_.for_each(num_rows_, [=] __device__(Offset r) {
      if (row_kind(bound[r]) == kind) list[place[r] - 1] = static_cast<Index>(r);
    });
  }
}

/// The pattern [num_rows, num_cols] whose rows are what the source names.
template <class Source>
RowPattern union_rows(Queue& queue, Index num_rows, Index num_cols, const Source& source) {
  return RowUnion<Source>(queue, num_rows, num_cols, source).run();
}

}  // namespace millrace::cuda
