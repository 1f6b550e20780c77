// Row lengths and their histogram.
#include <bit>
#include <cmath>
#include <map>

#include "millrace/sparse/stats.hpp"

namespace millrace {
namespace {

constexpr Index few = 24;  // different lengths that still get a bin each: a screen full

constexpr Index short_rows = 4096;  // rows below this length are counted in a table, the rare others in a map

struct LengthCount {
  Index length = 0;
  Offset count = 0;
};

struct Counts {
  std::vector<Offset> of_short;  // [short_rows]
  std::map<Index, Offset> of_long;
};

// Rows of every length that occurs, ascending.
template <class RowOffset>
std::vector<LengthCount> count_lengths(const Array<RowOffset>& row_ptr, Index num_rows, int num_threads) {
  std::vector<Counts> counts(static_cast<std::size_t>(num_threads));
  parallel(threads_for(num_threads, num_rows, {.bytes = 16}), [&](int part, int num_parts) {
    const auto [begin, end] = even_part(num_rows, part, num_parts);
    Counts& mine = counts[static_cast<std::size_t>(part)];
    mine.of_short.assign(std::size_t{short_rows}, 0);
    for (std::int64_t r = begin; r < end; ++r) {
      const Index length = static_cast<Index>(row_ptr.data()[r + 1] - row_ptr.data()[r]);
      if (length < short_rows)
        ++mine.of_short[static_cast<std::size_t>(length)];
      else
        ++mine.of_long[length];
    }
  });
  for (std::size_t part = 1; part < counts.size(); ++part) {
    if (counts[part].of_short.empty()) break;  // on one thread
    for (std::size_t k = 0; k < std::size_t{short_rows}; ++k) counts[0].of_short[k] += counts[part].of_short[k];
    for (const auto& [length, count] : counts[part].of_long) counts[0].of_long[length] += count;
  }
  std::vector<LengthCount> found;
  for (Index length = 0; length < short_rows; ++length)
    if (const Offset count = counts[0].of_short[static_cast<std::size_t>(length)]; count > 0)
      found.push_back({length, count});
  for (const auto& [length, count] : counts[0].of_long) found.push_back({length, count});
  return found;
}

std::vector<HistogramBin> make_bins(const std::vector<LengthCount>& lengths) {
  std::vector<HistogramBin> bins;
  if (lengths.size() <= std::size_t{few}) {
    for (const LengthCount& l : lengths) bins.push_back({l.length, l.length, l.count});
    return bins;
  }
  // Bin 0 holds the empty rows, bin k the lengths 2^(k-1) .. 2^k - 1.
  const auto bin_of = [](Index length) { return static_cast<int>(std::bit_width(static_cast<std::uint32_t>(length))); };
  const int first = bin_of(lengths.front().length), last = bin_of(lengths.back().length);
  for (int k = first; k <= last; ++k) {
    const std::int64_t end = std::int64_t{1} << k;
    bins.push_back({static_cast<Index>(end / 2), static_cast<Index>(end - 1), 0});
  }
  for (const LengthCount& l : lengths) bins[static_cast<std::size_t>(bin_of(l.length) - first)].count += l.count;
  return bins;
}

}  // namespace

RowLengths row_lengths(const RowOffsets& row_ptr, int num_threads) {
  if (num_threads <= 0) num_threads = default_num_threads();
  const Index num_rows =
      std::visit([](const auto& offsets) { return static_cast<Index>(offsets.size() - 1); }, row_ptr);
  if (num_rows <= 0) return {};
  const std::vector<LengthCount> lengths =
      std::visit([&](const auto& offsets) { return count_lengths(offsets, num_rows, num_threads); }, row_ptr);

  RowLengths rows;
  rows.min = lengths.front().length;
  rows.max = lengths.back().length;
  rows.num_empty = rows.min == 0 ? static_cast<Index>(lengths.front().count) : 0;
  double sum = 0, squares = 0;
  for (const LengthCount& l : lengths) sum += static_cast<double>(l.length) * static_cast<double>(l.count);
  rows.mean = sum / num_rows;
  for (const LengthCount& l : lengths) squares += std::pow(l.length - rows.mean, 2) * static_cast<double>(l.count);
  rows.std = std::sqrt(squares / num_rows);
  rows.histogram = make_bins(lengths);
  return rows;
}

}  // namespace millrace
