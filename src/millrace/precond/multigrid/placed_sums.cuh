// Sums of rows on a GPU whose products have known places (product_places.hpp): A P, and of its rows the coarse matrix.
#pragma once

#include "millrace/precond/multigrid/product_places.hpp"
#include "millrace/precond/multigrid/sum_rows.cuh"

namespace millrace::cuda {

using multigrid::ProductPlacesView;
using multigrid::RowsView;

/// Numbers that are read and written at once.
template <class T>
struct alignas(16) Four {
  T values[4];
};

/// The places of a row's products, one after another. The next word is on its way while one is used.
template <int Bits>
class PlaceReader {
 public:
  __device__ PlaceReader(const ProductPlacesView& places, Offset row)
      : at_(places.words + places.slice_begin[row / multigrid::places_slice] + row % multigrid::places_slice),
        end_(places.words + places.slice_begin[row / multigrid::places_slice + 1]) {
    ahead_ = load();
  }
  __device__ unsigned next() {
    if (left_ == 0) word_ = ahead_, ahead_ = load(), left_ = 32 / Bits;
    const unsigned place = word_ & ((1u << Bits) - 1);
    word_ >>= Bits, --left_;
    return place;
  }

 private:
  __device__ std::uint32_t load() {
    const std::uint32_t word = at_ < end_ ? *at_ : 0;
    at_ += multigrid::places_slice;
    return word;
  }

  const std::uint32_t *at_, *end_;
  std::uint32_t word_ = 0, ahead_;
  int left_ = 0;
};

// Mapping  a thread per row. Four terms, and four numbers of each, are on their way at once.
// Traffic  the terms, offsets and values of the added rows, a place per product, and the sums in fours, once.
// Result   repeatable: sums in the order of the terms, rounded as in sum_rows.
// Shared   the sums of a row: number k of thread t is [k][t], so that threads do not wait for each other.
template <Index Room, int Threads, class Outer, class T>
__global__ void __launch_bounds__(Threads) add_products(Outer outer, const Offset* row_ptr, const T* vals,
                                                        ProductPlacesView places, Offset num_rows, Four<T>* sums) {
  constexpr int terms = 4, entries = 4;
  __shared__ T s_sums[Room][Threads];
  const unsigned thread = threadIdx.x;
  const Offset row = blockIdx.x * Offset{Threads} + thread;
  if (row >= num_rows) return;
#pragma unroll
  for (Index k = 0; k < Room; ++k) s_sums[k][thread] = 0;
  PlaceReader<multigrid::place_bits<Room>> place(places, row);
  int length = 0;
  const auto add = [&](T weight, T value) {
    const unsigned at = place.next();
    s_sums[at][thread] = fma(weight, value, s_sums[at][thread]);
    if (static_cast<int>(at) >= length) length = static_cast<int>(at) + 1;
  };
  const Offset end = outer.begin(row + 1);
#pragma unroll 1
  for (Offset t = outer.begin(row); t < end; t += terms) {
    Offset first[terms];
    Index lengths[terms];
    T weights[terms], own[terms][entries];
#pragma unroll
    for (int k = 0; k < terms; ++k) {
      first[k] = 0, lengths[k] = 0, weights[k] = 0;
      if (t + k >= end) continue;
      const Index other = outer.column(t + k);
      first[k] = row_ptr[other], lengths[k] = static_cast<Index>(row_ptr[other + 1] - first[k]);
      weights[k] = outer.value(t + k);
    }
#pragma unroll
    for (int k = 0; k < terms; ++k)
#pragma unroll
      for (int e = 0; e < entries; ++e) own[k][e] = e < lengths[k] ? vals[first[k] + e] : T{0};
#pragma unroll
    for (int k = 0; k < terms; ++k) {
#pragma unroll
      for (int e = 0; e < entries; ++e)
        if (e < lengths[k]) add(weights[k], own[k][e]);
#pragma unroll 1
      for (int e = entries; e < lengths[k]; ++e) add(weights[k], vals[first[k] + e]);
    }
  }
#pragma unroll 1
  for (int k = 0; k < length; k += 4)
    sums[row * (Room / 4) + k / 4] = {
        {s_sums[k][thread], s_sums[k + 1][thread], s_sums[k + 2][thread], s_sums[k + 3][thread]}};
}

// Mapping  `Size` neighbouring threads per coarse row, a four of a row of A P for each; they take term after term, four
//          of which are on their way at once.
// Traffic  the terms, and for each a row of A P, a byte, and a word per four of it; the values of the coarse row once.
// Result   repeatable: sums in the order of the terms, rounded as in sum_rows.
// Shared   the sums of a row. What fills a four up has a place behind those.
template <int Size, Index Room, int Threads, class Outer, class T>
__global__ void __launch_bounds__(Threads) add_rows(Outer outer, const Four<T>* rows, int fours_per_row,
                                                    ProductPlacesView places, Offset num_rows, SumOutput<T> out) {
  constexpr unsigned all = 0xffffffffu;
  constexpr int teams = Threads / Size, ahead = 4;
  constexpr Index places_per_row = Room + 4;
  __shared__ T s_sums[teams][places_per_row + 1];  // an odd number, so that teams begin at different banks
  T* const sums = s_sums[threadIdx.x / Size];
  const int lane = team_lane<Size>();
  const Offset row = blockIdx.x * Offset{teams} + threadIdx.x / Size;
  const bool there = row < num_rows;
  for (Index k = lane; k < places_per_row; k += Size) sums[k] = 0;
  const Offset first = there ? outer.begin(row) : 0, num_terms = there ? outer.begin(row + 1) - first : 0;
  const std::uint32_t* words = places.coarse_words + (there ? places.coarse_begin[row] : 0);
  const auto add = [&](std::uint32_t word, const Four<T>& four, T weight) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      T& sum = sums[word >> 8 * i & 0xff];
      sum = fma(weight, four.values[i], sum);
    }
  };
  __syncwarp();
#pragma unroll 1
  for (Offset done = 0; __any_sync(all, done < num_terms); done += Size) {
    const bool goes_on = done + lane < num_terms;
    const Offset t = first + done + lane;
    const int own_num = goes_on ? places.fours[t] : 0;
    const Index own_row = goes_on ? outer.column(t) : 0;
    const T own_weight = goes_on ? outer.value(t) : T{0};
    const int up_to = team_sum_up_to<Size>(own_num), own_begin = up_to - own_num;
#pragma unroll 1
    for (int k = 0; k < Size; k += ahead) {
      int num[ahead], begin[ahead];
      const Four<T>* from[ahead];
      T weight[ahead];
      std::uint32_t word[ahead];
      Four<T> four[ahead];
      bool is_long = false;
#pragma unroll
      for (int j = 0; j < ahead; ++j) {
        num[j] = __shfl_sync(all, own_num, k + j, Size), begin[j] = __shfl_sync(all, own_begin, k + j, Size);
        from[j] = rows + Offset{__shfl_sync(all, own_row, k + j, Size)} * fours_per_row;
        weight[j] = __shfl_sync(all, own_weight, k + j, Size);
        if (lane < num[j]) word[j] = words[begin[j] + lane], four[j] = from[j][lane];
        is_long = is_long || num[j] > Size;
      }
      is_long = __any_sync(all, is_long);
#pragma unroll
      for (int j = 0; j < ahead; ++j) {
        if (lane < num[j]) add(word[j], four[j], weight[j]);
        if (is_long)
          for (int q = lane + Size; q < num[j]; q += Size) add(words[begin[j] + q], from[j][q], weight[j]);
        __syncwarp();
      }
    }
    words += __shfl_sync(all, up_to, Size - 1, Size);
  }
  const Index length = there ? static_cast<Index>(out.known_begin(row + 1) - out.known_begin(row)) : 0;
  for (Index k = lane; k < length; k += Size) out.vals[out.known_begin(row) + k] = sums[k];
}

}  // namespace millrace::cuda
