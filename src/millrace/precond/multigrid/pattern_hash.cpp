// One pass over offsets and columns.
#include "millrace/precond/multigrid/pattern_hash.hpp"

#include <atomic>

#include "millrace/base/parallel.hpp"

namespace millrace::multigrid {
namespace {

/// splitmix64 (S. Vigna 2015) of a number at a place.
std::uint64_t mix(std::uint64_t number, std::uint64_t place) {
  std::uint64_t bits = number + (place + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

}  // namespace

template <class T>
std::uint64_t pattern_hash(int num_threads, const Csr<T>& a) {
  std::atomic<std::uint64_t> sum = mix(static_cast<std::uint64_t>(a.num_rows), 0);
  const auto add = [&](const auto* numbers, std::int64_t size, std::uint64_t other) {
    parallel_for(num_threads, size, [&](std::int64_t begin, std::int64_t end) {
      std::uint64_t own = 0;
      for (std::int64_t i = begin; i < end; ++i)
        own += mix(static_cast<std::uint64_t>(numbers[i]) ^ other, static_cast<std::uint64_t>(i));
      sum += own;
    });
  };
  a.visit_view([&](const auto& view) { add(view.row_ptr, std::int64_t{a.num_rows} + 1, 0); });
  add(a.cols.data(), a.num_entries(), std::uint64_t{1} << 63);
  return sum;
}

template std::uint64_t pattern_hash(int, const Csr<float>&);
template std::uint64_t pattern_hash(int, const Csr<double>&);

}  // namespace millrace::multigrid
