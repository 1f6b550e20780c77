// A number that stands for the pattern of a matrix, so that another pattern is noticed without keeping this one.
#pragma once

#include "millrace/sparse/csr.hpp"

namespace millrace::multigrid {

/// splitmix64 (S. Vigna 2015) of a number at a place.
MILLRACE_HD inline std::uint64_t mix_place(std::uint64_t number, std::uint64_t place) {
  std::uint64_t bits = number + (place + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}
inline constexpr std::uint64_t column_bit = std::uint64_t{1} << 63;  // columns are other numbers than offsets

/// A sum over all offsets and columns of hashes of them and their places: the same on every device and for any number
/// of threads.
template <class T>
std::uint64_t pattern_hash(Queue& queue, const Csr<T>& a);

}  // namespace millrace::multigrid
