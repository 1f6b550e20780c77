// Where the products of P^T (A P) go on a GPU, so that new values are added up without looking for columns.
#pragma once

#include "millrace/base/array.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace::multigrid {

/// Sums that a row of A P may have, and bits for the place of one of them.
template <Index Room>
inline constexpr int place_bits = Room <= 16 ? 4 : 8;
inline constexpr Index short_sums = 16, long_sums = 32;

/// Sums that a coarse row may have; behind them are four that nobody reads.
inline constexpr Index short_coarse = 60, long_coarse = 252;

inline constexpr Index places_slice = 32;  // rows of A P side by side

/// The arrays as plain pointers.
struct ProductPlacesView {
  // Of A P: word i of row k of a slice is at slice_begin[slice] + 32 i + k, and has the next places of the row's
  // products, from the lowest bits on.
  const Offset* slice_begin;   // [slices + 1]
  const std::uint32_t* words;  // [slice_begin[slices]]
  // Of P^T (A P): a row of A P is added in fours of numbers, a word for each.
  const std::uint8_t* fours;          // [entries of P^T]: of a row of A P
  const Offset* coarse_begin;         // [coarse rows + 1]
  const std::uint32_t* coarse_words;  // [coarse_begin[coarse rows]]: places of a row's terms, one behind another
};

/// The arrays. Places are those of columns in a row of A P, and in a coarse row.
struct ProductPlaces {
  Index room = 0, coarse_room = 0;  // of sums; room 0: there are none, for rows are too long
  Array<Offset> slice_begin{};
  Array<std::uint32_t> words{};
  Array<std::uint8_t> fours{};
  Array<Offset> coarse_begin{};
  Array<std::uint32_t> coarse_words{};

  ProductPlacesView view() const {
    return {slice_begin.data(), words.data(), fours.data(), coarse_begin.data(), coarse_words.data()};
  }
  std::int64_t bytes() const {
    return slice_begin.bytes() + words.bytes() + fours.bytes() + coarse_begin.bytes() + coarse_words.bytes();
  }
};

}  // namespace millrace::multigrid
