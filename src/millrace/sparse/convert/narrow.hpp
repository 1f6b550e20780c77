// Columns in 1 or 2 bytes and doubles as floats, in parallel steps.
#pragma once

#include "millrace/sparse/convert/steps.hpp"
#include "millrace/sparse/format/columns.hpp"
#include "millrace/sparse/format/values.hpp"

namespace millrace::convert {

/// The smallest column of every group of slots, and how far the largest is from it; padding (-1) does not count.
struct ColumnRanges {
  Array<Index> low, extent;  // [groups]
};

template <Steps S>
ColumnRanges column_ranges(S& steps, const Array<Index>& columns, int log2_group) {
  const Offset slots = columns.size(), group = Offset{1} << log2_group, groups = (slots + group - 1) >> log2_group;
  ColumnRanges ranges{steps.template scratch<Index>(groups), steps.template scratch<Index>(groups)};
  Index *lows = ranges.low.data(), *extents = ranges.extent.data();
  const Index* column = columns.data();
  steps.for_each(groups, [=] MILLRACE_HD(Offset g) {
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

template <Steps S>
Offset count_beyond(S& steps, const ColumnRanges& ranges, Index limit) {
  const Index* extent = ranges.extent.data();
  return steps.sum(ranges.extent.size(), [=] MILLRACE_HD(Offset g) { return Offset{extent[g] > limit ? 1 : 0}; });
}

template <class I, Steps S>
Columns pack_columns(S& steps, const Array<Index>& columns, const ColumnRanges& ranges, Offset num_wide,
                     int log2_group) {
  constexpr Index limit = std::numeric_limits<I>::max();
  const Offset slots = columns.size(), groups = ranges.low.size(), in_group = (Offset{1} << log2_group) - 1;
  Array<Offset> ranks = steps.template scratch<Offset>(groups);
  Array<Index> bases = steps.template make<Index>(groups);
  Array<Index> wide = make_filled(steps, num_wide << log2_group, Index{0});
  Array<I> offsets = steps.template make<I>(slots);
  Offset* rank = ranks.data();
  Index *base = bases.data(), *wide_column = wide.data();
  I* offset = offsets.data();
  const Index *low = ranges.low.data(), *extent = ranges.extent.data(), *column = columns.data();
  steps.for_each(groups, [=] MILLRACE_HD(Offset g) { rank[g] = extent[g] > limit ? 1 : 0; });
  steps.scan(rank, groups);
  steps.for_each(
      groups, [=] MILLRACE_HD(Offset g) { base[g] = extent[g] > limit ? ~static_cast<Index>(rank[g] - 1) : low[g]; });
  steps.for_each(slots, [=] MILLRACE_HD(Offset s) {
    const Index from = base[s >> log2_group], c = column[s];
    offset[s] = static_cast<I>(from < 0 || c < 0 ? 0 : c - from);
    if (from < 0) wide_column[(static_cast<Offset>(~from) << log2_group) + (s & in_group)] = c < 0 ? 0 : c;
  });
  return Columns(std::move(offsets), std::move(bases), std::move(wide), log2_group);
}

/// As Columns::compressed: the narrowest in all bytes; padding (-1) becomes some column.
template <Steps S>
Columns compress_columns(S& steps, Array<Index> columns, int log2_group) {
  const ColumnRanges ranges = column_ranges(steps, columns, log2_group);
  const Offset beyond_1 = count_beyond(steps, ranges, 0xff), beyond_2 = count_beyond(steps, ranges, 0xffff);
  const int width = Columns::cheapest_width(columns.size(), log2_group, beyond_1, beyond_2);
  if (width == 1) return pack_columns<std::uint8_t>(steps, columns, ranges, beyond_1, log2_group);
  if (width == 2) return pack_columns<std::uint16_t>(steps, columns, ranges, beyond_2, log2_group);
  Index* column = columns.data();
  steps.for_each(columns.size(), [=] MILLRACE_HD(Offset s) {
    if (column[s] < 0) column[s] = 0;
  });
  return Columns(std::move(columns));
}

/// Doubles as floats where that is exact, or was asked for.
template <Steps S>
Array<float> floats_of(S& steps, const Array<double>& values, Storage storage) {
  const Offset n = values.size();
  const double* value = values.data();
  if (storage == Storage::full || n == 0) return steps.template make<float>(0);
  if (storage == Storage::automatic && steps.first(n, [=] MILLRACE_HD(Offset i) {
        return static_cast<double>(static_cast<float>(value[i])) != value[i];
      }) < n)
    return steps.template make<float>(0);
  constexpr double inf = std::numeric_limits<double>::infinity();
  const Offset beyond = steps.first(n, [=] MILLRACE_HD(Offset i) {
    const double v = value[i], rounded = static_cast<float>(v);
    return v != inf && v != -inf && (rounded == inf || rounded == -inf);
  });
  if (beyond < n) StoredValues<double>::refuse_range(steps.read(value + beyond));
  Array<float> floats = steps.template make<float>(n);
  float* to = floats.data();
  steps.for_each(n, [=] MILLRACE_HD(Offset i) { to[i] = static_cast<float>(value[i]); });
  return floats;
}

/// As StoredValues<T>(values, storage) stores them; dictionaries are made on the host.
template <Steps S, class T>
StoredValues<T> store_values(S& steps, Array<T> values, Storage storage) {
  if (S::few_threads && storage == Storage::dictionary) return StoredValues<T>(std::move(values), storage);
  Array<float> floats = steps.template make<float>(0);
  if constexpr (StoredValues<T>::can_narrow) floats = floats_of(steps, values, storage);
  if (!floats.empty()) values = steps.template make<T>(0);
  return StoredValues<T>::stored(std::move(values), std::move(floats), storage);
}

template <Steps S, class I>
Array<Index> decode_columns(S& steps, const ColumnsView<I>& columns, Offset size) {
  Array<Index> plain = steps.template scratch<Index>(size);
  Index* to = plain.data();
  steps.for_each(size, [=] MILLRACE_HD(Offset s) { to[s] = columns(s); });
  return plain;
}

/// The columns as they are, 4 bytes each: in place where they are stored so, else decoded.
template <Steps S>
Array<Index> decoded(S& steps, const Columns& columns) {
  return columns.visit_view([&]<class I>(const ColumnsView<I>& view) {
    if constexpr (ColumnsView<I>::narrow)
      return decode_columns(steps, view, columns.size());
    else
      return Array<Index>::borrow({steps.device(), const_cast<Index*>(view.offsets), columns.size()});  // only read
  });
}

}  // namespace millrace::convert
