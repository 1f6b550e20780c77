// Columns in 1 or 2 bytes and doubles as floats, in parallel steps: the choices of columns.cpp and values.hpp.
#pragma once

#include "millrace/sparse/convert/steps.hpp"
#include "millrace/sparse/format/columns.hpp"
#include "millrace/sparse/format/values.hpp"

namespace millrace::convert {

/// The smallest column of every group of slots, and how far the largest is from it; padding (-1) does not count.
struct ColumnRanges {
  Array<Index> low, extent;  // [groups]
};

template <Stage S>
ColumnRanges column_ranges(S& stage, const Array<Index>& columns, int log2_group) {
  const Offset slots = columns.size(), group = Offset{1} << log2_group, groups = (slots + group - 1) >> log2_group;
  ColumnRanges ranges{stage.template scratch<Index>(groups), stage.template scratch<Index>(groups)};
  Index *lows = ranges.low.data(), *extents = ranges.extent.data();
  const Index* column = columns.data();
  stage.for_each(groups, [=] MILLRACE_HD(Offset g) {
    Index low = 0, high = -1;
    const Offset end = (g + 1) * group < slots ? (g + 1) * group : slots;
    for (Offset s = g * group; s < end; ++s) {
      const Index c = column[s];
      if (c < 0) continue;
      if (high < 0 || c < low) low = c;
      if (c > high) high = c;
    }
    lows[g] = low;
    extents[g] = high < 0 ? 0 : high - low;
  });
  return ranges;
}

template <Stage S>
Offset count_beyond(S& stage, const ColumnRanges& ranges, Index most) {
  const Index* extent = ranges.extent.data();
  return stage.sum(ranges.extent.size(), [=] MILLRACE_HD(Offset g) { return Offset{extent[g] > most ? 1 : 0}; });
}

template <class I, Stage S>
Columns pack_columns(S& stage, const Array<Index>& columns, const ColumnRanges& ranges, Offset num_wide,
                     int log2_group) {
  constexpr Index most = std::numeric_limits<I>::max();
  const Offset slots = columns.size(), groups = ranges.low.size(), in_group = (Offset{1} << log2_group) - 1;
  Array<Offset> ranks = stage.template scratch<Offset>(groups);
  Array<Index> bases = stage.template make<Index>(groups);
  Array<Index> wide = make_filled(stage, num_wide << log2_group, Index{0});
  Array<I> offsets = stage.template make<I>(slots);
  Offset* rank = ranks.data();
  Index *base = bases.data(), *wide_column = wide.data();
  I* offset = offsets.data();
  const Index *low = ranges.low.data(), *extent = ranges.extent.data(), *column = columns.data();
  stage.for_each(groups, [=] MILLRACE_HD(Offset g) { rank[g] = extent[g] > most ? 1 : 0; });
  stage.scan(rank, groups);
  stage.for_each(groups,
                 [=] MILLRACE_HD(Offset g) { base[g] = extent[g] > most ? ~static_cast<Index>(rank[g] - 1) : low[g]; });
  stage.for_each(slots, [=] MILLRACE_HD(Offset s) {
    const Index from = base[s >> log2_group], c = column[s];
    offset[s] = static_cast<I>(from < 0 || c < 0 ? 0 : c - from);
    if (from < 0) wide_column[(static_cast<Offset>(~from) << log2_group) + (s & in_group)] = c < 0 ? 0 : c;
  });
  return Columns(std::move(offsets), std::move(bases), std::move(wide), log2_group);
}

/// As Columns::compressed: the narrowest in all bytes; padding (-1) becomes some column.
template <Stage S>
Columns compress_columns(S& stage, Array<Index> columns, int log2_group) {
  const ColumnRanges ranges = column_ranges(stage, columns, log2_group);
  const Offset beyond_1 = count_beyond(stage, ranges, 0xff), beyond_2 = count_beyond(stage, ranges, 0xffff);
  const int width = Columns::cheapest_width(columns.size(), log2_group, beyond_1, beyond_2);
  if (width == 1) return pack_columns<std::uint8_t>(stage, columns, ranges, beyond_1, log2_group);
  if (width == 2) return pack_columns<std::uint16_t>(stage, columns, ranges, beyond_2, log2_group);
  Index* column = columns.data();
  stage.for_each(columns.size(), [=] MILLRACE_HD(Offset s) {
    if (column[s] < 0) column[s] = 0;
  });
  return Columns(std::move(columns));
}

/// Doubles as floats where that is exact, or was asked for.
template <Stage S>
Array<float> floats_of(S& stage, const Array<double>& values, Storage storage) {
  const Offset n = values.size();
  const double* value = values.data();
  if (storage == Storage::full || n == 0) return stage.template make<float>(0);
  if (storage == Storage::automatic && stage.first(n, [=] MILLRACE_HD(Offset i) {
        return static_cast<double>(static_cast<float>(value[i])) != value[i];
      }) < n)
    return stage.template make<float>(0);
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Offset beyond = stage.first(n, [=] MILLRACE_HD(Offset i) {
    const double v = value[i], rounded = static_cast<float>(v);
    return v != inf && v != -inf && (rounded == inf || rounded == -inf);
  });
  if (beyond < n) Values<double>::refuse_range(stage.read(value + beyond));
  Array<float> floats = stage.template make<float>(n);
  float* to = floats.data();
  stage.for_each(n, [=] MILLRACE_HD(Offset i) { to[i] = static_cast<float>(value[i]); });
  return floats;
}

/// As Values<T>(values, storage) stores them.
template <Stage S, class T>
Values<T> narrow_values(S& stage, Array<T> values, Storage storage) {
  Array<float> floats = stage.template make<float>(0);
  if constexpr (Values<T>::can_narrow) floats = floats_of(stage, values, storage);
  if (!floats.empty()) values = stage.template make<T>(0);
  return Values<T>::stored(std::move(values), std::move(floats), storage);
}

}  // namespace millrace::convert
