// How the places of products (product_places.hpp) are found on a GPU, from patterns alone.
#pragma once

#include "millrace/base/search.hpp"
#include "millrace/precond/multigrid/product_places.hpp"
#include "millrace/precond/multigrid/sum_rows.cuh"
#include "millrace/sparse/convert/steps.hpp"

namespace millrace::cuda {

using multigrid::RowsView;

/// Products of each row of A P.
struct CountProducts {
  convert::Rows a;
  RowsView p;
  Index* nums;  // [num_rows]

  __device__ void operator()(Offset row) const {
    Index num = 0;
    for (Offset s = a.begin(row); s < a.begin(row + 1); ++s) num += p.length(a.cols[s]);
    nums[row] = num;
  }
};

/// Words of each slice of rows: as many as its fullest row needs, for each.
struct CountWords {
  const Index* nums;  // of products, [num_rows]
  Offset num_rows;
  int per_word;
  Offset* lengths;  // [slices]

  __device__ void operator()(Offset slice) const {
    const Offset first = slice * multigrid::places_slice, end = first + multigrid::places_slice;
    Index most = 0;
    for (Offset r = first; r < end && r < num_rows; ++r)
      if (nums[r] > most) most = nums[r];
    lengths[slice] = Offset{most + per_word - 1} / per_word * multigrid::places_slice;
  }
};

/// Writes the places of a row's products, one after another.
template <int Bits>
class PlaceWriter {
 public:
  __device__ PlaceWriter(std::uint32_t* words, const Offset* slice_begin, Offset row)
      : to_(words + slice_begin[row / multigrid::places_slice] + row % multigrid::places_slice) {}
  __device__ void put(unsigned place) {
    word_ |= place << used_, used_ += Bits;
    if (used_ == 32) finish();
  }
  __device__ void finish() {
    if (used_ == 0) return;
    *to_ = word_, to_ += multigrid::places_slice;
    word_ = 0, used_ = 0;
  }

 private:
  std::uint32_t* to_;
  std::uint32_t word_ = 0;
  int used_ = 0;
};

/// The columns of a row per thread, numbered as they come; number k of thread t is [k][t], so that threads do not wait
/// for each other.
template <Index Room, int Threads>
struct NumberedColumns {
  Index cols[Room][Threads];     // by number
  Index numbers[Room][Threads];  // where their hashes are, or `nothing`

  __device__ void clear() {
#pragma unroll 8
    for (Index k = 0; k < Room; ++k) numbers[k][threadIdx.x] = nothing;
  }
  /// Of `num` columns so far, or of one more. Room: it would be one too many.
  __device__ Index number_of(Index column, Index& num) {
    unsigned at = first_place<Room>(column);
#pragma unroll 1
    for (Index probe = 0; probe < Room; ++probe, at = next_place<Room>(at)) {
      const Index number = numbers[at][threadIdx.x];
      if (number == nothing) {
        numbers[at][threadIdx.x] = num, cols[num][threadIdx.x] = column;
        return num++;
      }
      if (cols[number][threadIdx.x] == column) return number;
    }
    return Room;
  }
  /// Four of them; behind the last one: nothing.
  __device__ int4 four(Index k, Index num) const {
    const auto col = [&](Index i) { return i < num ? cols[i][threadIdx.x] : nothing; };
    return {col(k), col(k + 1), col(k + 2), col(k + 3)};
  }
};

/// The rows of A P: their columns in fours.
struct ProductFours {
  int4* cols;             // [num_rows, Room / 4]
  std::uint8_t* lengths;  // [num_rows]
  unsigned* too_long;     // not 0: a row has more columns than there is room for, and nothing here is of use
};

// Mapping  a thread per row of A P. Four terms, and four columns of each, are on their way at once.
// Traffic  A's columns, offsets and columns of the added rows, and the words and columns of A P, once.
// Result   repeatable: columns have the order in which they come.
// Shared   a table per row.
template <Index Room, int Threads>
__global__ void __launch_bounds__(Threads) find_product_places(convert::Rows a, RowsView p, const Offset* slice_begin,
                                                               std::uint32_t* words, ProductFours product) {
  constexpr int terms = 4, entries = 4;
  __shared__ NumberedColumns<Room, Threads> s_columns;
  const Offset row = blockIdx.x * Offset{Threads} + threadIdx.x;
  if (row >= a.num_rows) return;
  s_columns.clear();
  PlaceWriter<multigrid::place_bits<Room>> places(words, slice_begin, row);
  Index num = 0;
  bool fits = true;
  const auto find = [&](Index column) {
    const Index number = s_columns.number_of(column, num);
    fits = fits && number < Room;
    if (fits) places.put(static_cast<unsigned>(number));
  };
  const Offset end = a.begin(row + 1);
#pragma unroll 1
  for (Offset s = a.begin(row); s < end && fits; s += terms) {
    Offset first[terms];
    Index lengths[terms], own[terms][entries];
#pragma unroll
    for (int k = 0; k < terms; ++k) {
      first[k] = 0, lengths[k] = 0;
      if (s + k >= end) continue;
      const Index other = a.cols[s + k];
      first[k] = p.row_ptr[other], lengths[k] = static_cast<Index>(p.row_ptr[other + 1] - first[k]);
    }
#pragma unroll
    for (int k = 0; k < terms; ++k)
#pragma unroll
      for (int e = 0; e < entries; ++e) own[k][e] = e < lengths[k] ? p.cols[first[k] + e] : nothing;
#pragma unroll
    for (int k = 0; k < terms; ++k) {
#pragma unroll
      for (int e = 0; e < entries; ++e)
        if (e < lengths[k]) find(own[k][e]);
#pragma unroll 1
      for (int e = entries; e < lengths[k]; ++e) find(p.cols[first[k] + e]);
    }
  }
  places.finish();
  if (!fits) atomicOr(product.too_long, 1u);
  product.lengths[row] = static_cast<std::uint8_t>(num);
#pragma unroll 1
  for (Index k = 0; k < num; k += 4) product.cols[row * (Room / 4) + k / 4] = s_columns.four(k, num);
}

/// Fours of every term of a coarse row,
struct CountFours {
  RowsView transposed;
  const std::uint8_t* lengths;  // of the rows of A P
  std::uint8_t* fours;          // [entries of P^T]

  __device__ void operator()(Offset t) const {
    fours[t] = static_cast<std::uint8_t>((lengths[transposed.cols[t]] + 3) / 4);
  }
};
/// and of all its terms.
struct CountCoarseWords {
  RowsView transposed;
  const std::uint8_t* fours;  // [entries of P^T]
  Offset* lengths;            // [coarse rows]

  __device__ void operator()(Offset g) const {
    Offset num = 0;
    for (Offset t = transposed.row_ptr[g]; t < transposed.row_ptr[g + 1]; ++t) num += fours[t];
    lengths[g] = num;
  }
};

// Mapping  `Size` neighbouring threads per coarse row, a term for each.
// Traffic  the terms, the columns of the rows of A P that they name, the coarse columns and the words once.
// Result   repeatable.
// Shared   the columns of a coarse row.
template <int Size, Index Room, int Threads>
__global__ void __launch_bounds__(Threads)
    find_coarse_places(RowsView transposed, const int4* product, Index fours_per_row, convert::Rows coarse,
                       const std::uint8_t* fours, const Offset* begin, std::uint32_t* words) {
  constexpr unsigned all = 0xffffffffu;
  constexpr int teams = Threads / Size;
  __shared__ Index s_cols[teams][Room];
  Index* const cols = s_cols[threadIdx.x / Size];
  const int lane = team_lane<Size>();
  const Offset row = blockIdx.x * Offset{teams} + threadIdx.x / Size;
  const bool there = row < coarse.num_rows;
  const Index length = there ? coarse.length(row) : 0;
  for (Index k = lane; k < length; k += Size) cols[k] = coarse.cols[coarse.begin(row) + k];
  const Offset first = there ? transposed.row_ptr[row] : 0, end = there ? transposed.row_ptr[row + 1] : 0;
  std::uint32_t* to = words + (there ? begin[row] : 0);
  const auto place_of = [&](Index column, Index otherwise) {
    return static_cast<std::uint32_t>(column == nothing ? otherwise : first_at_least(cols, Index{0}, length, column));
  };
  __syncwarp();
  for (Offset front = first; __any_sync(all, front < end); front += Size) {
    const Offset t = front + lane;
    const int num = t < end ? fours[t] : 0, up_to = team_sum_up_to<Size>(num);
    const int4* const from = product + Offset{num > 0 ? transposed.cols[t] : 0} * fours_per_row;
    for (int k = 0; k < num; ++k) {
      const int4 four = from[k];
      to[up_to - num + k] = place_of(four.x, Room) | place_of(four.y, Room + 1) << 8 |
                            place_of(four.z, Room + 2) << 16 | place_of(four.w, Room + 3) << 24;
    }
    to += __shfl_sync(all, up_to, Size - 1, Size);
  }
}

}  // namespace millrace::cuda
