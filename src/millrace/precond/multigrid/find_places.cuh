// How the places of products (product_places.hpp) are found on a GPU, from rows of A P and a coarse matrix that are
// there.
#pragma once

#include "millrace/base/search.hpp"
#include "millrace/precond/multigrid/matrix_view.hpp"
#include "millrace/precond/multigrid/product_places.hpp"
#include "millrace/precond/multigrid/sum_rows.cuh"

namespace millrace::cuda {

using multigrid::RowsView;

/// From the rows of A P and the coarse matrix, which both are there. Where rows are too long for places, there are
/// none.
template <class T>
void find_places(Queue& queue, const Csr<T>& a, const multigrid::RowPattern& p, const RowsView& transposed,
                 const ScatteredRows<T>& product, const Csr<T>& coarse, multigrid::ProductPlaces& places);

/// Products of each row of A P.
template <class Outer>
struct CountProducts {
  Outer a;
  RowsView p;
  Index* nums;  // [num_rows]

  __device__ void operator()(Offset row) const {
    Index num = 0;
    for (Offset s = a.begin(row); s < a.begin(row + 1); ++s) num += p.length(a.column(s));
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

/// Places in rows of A P, a thread per row.
template <class Outer, class Inner>
struct FindPlaces {
  Outer a;
  RowsView p;
  Inner product;
  const Offset* slice_begin;
  int bits;
  std::uint32_t* words;

  __device__ void operator()(Offset row) const {
    const RowHead head = product.head(static_cast<Index>(row));
    std::uint32_t* to = words + slice_begin[row / multigrid::places_slice] + row % multigrid::places_slice;
    std::uint32_t word = 0;
    int used = 0;
    for (Offset s = a.begin(row); s < a.begin(row + 1); ++s) {
      const Index other = a.column(s);
      for (Offset q = p.row_ptr[other]; q < p.row_ptr[other + 1]; ++q) {
        std::uint32_t at = 0;
        while (product.entry(head.begin + at).column != p.cols[q]) ++at;
        word |= at << used, used += bits;
        if (used < 32) continue;
        *to = word, to += multigrid::places_slice;
        word = 0, used = 0;
      }
    }
    if (used > 0) *to = word;
  }
};

/// Fours of every term, and their number in each coarse row.
template <class Inner>
struct CountFours {
  RowsView transposed;
  Inner product;
  std::uint8_t* fours;  // [entries of P^T]
  Offset* lengths;      // [coarse rows]

  __device__ void operator()(Offset g) const {
    Offset num = 0;
    for (Offset t = transposed.row_ptr[g]; t < transposed.row_ptr[g + 1]; ++t) {
      const Index own = (product.head(transposed.cols[t]).length + 3) / 4;
      fours[t] = static_cast<std::uint8_t>(own), num += own;
    }
    lengths[g] = num;
  }
};

/// Places in coarse rows, a thread per coarse row.
template <class Inner>
struct FindCoarsePlaces {
  RowsView transposed;
  Inner product;
  convert::Rows coarse;
  const Offset* begin;  // [coarse rows + 1]
  Index room;           // of sums
  std::uint32_t* words;

  __device__ void operator()(Offset g) const {
    std::uint32_t* to = words + begin[g];
    const Offset first = coarse.begin(g), last = coarse.begin(g + 1);
    for (Offset t = transposed.row_ptr[g]; t < transposed.row_ptr[g + 1]; ++t) {
      const RowHead head = product.head(transposed.cols[t]);
      for (Index k = 0; k < head.length; k += 4) {
        std::uint32_t word = 0;
        for (Index i = 0; i < 4; ++i) {
          const Offset at =
              k + i < head.length
                  ? first_at_least(coarse.cols, first, last, product.entry(head.begin + k + i).column) - first
                  : Offset{room + i};
          word |= static_cast<std::uint32_t>(at) << 8 * i;
        }
        *to++ = word;
      }
    }
  }
};

}  // namespace millrace::cuda
