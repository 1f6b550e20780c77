// All entries of a format in stored order, decoded: what becomes of them is compiled once, not for every format.
#pragma once

#include "millrace/sparse/convert/host_steps.hpp"
#include "millrace/sparse/convert/pattern.hpp"

namespace millrace::convert {

/// Entries of stored row i are starts[i] .. starts[i + 1] - 1; in a list of entries every one is a row of its own, and
/// there are no starts.
struct StoredEntries {
  Index num_rows, num_cols;
  Array<Offset> starts;  // [num_stored_rows + 1], or empty
  Array<Index> rows;     // [num_stored_rows], the row of the vectors
  Array<Index> cols;     // [num_entries], the column of the vectors
  Array<Offset> slots;   // [num_entries], where its value is

  Offset begin(Offset i) const { return starts.empty() ? i : starts.data()[i]; }
};

/// Entries of the rows of a view; `bits` say which slots are entries.
template <RowFormat View>
StoredEntries list_rows(const HostSteps& steps, const View& view, const std::uint64_t* bits) {
  StoredEntries list{
      view.num_rows, view.num_cols, Array<Offset>(Offset{view.num_rows} + 1), Array<Index>(view.num_rows), {}, {}};
  Offset* start = list.starts.data();
  start[0] = 0;
  steps.for_each(view.num_rows, [&](Offset i) {
    const auto r = static_cast<Index>(i);
    const Index length = view.length(r);
    Offset count = bits == nullptr ? length : 0;
    for (Index k = 0; bits != nullptr && k < length; ++k) count += is_set(bits, view.slot(r, k)) ? 1 : 0;
    start[i + 1] = count;
    list.rows.data()[i] = view.output_row(r);
  });
  steps.scan(start, list.starts.size());
  list.cols = Array<Index>(start[view.num_rows]);
  list.slots = Array<Offset>(start[view.num_rows]);
  steps.for_each(view.num_rows, [&](Offset i) {
    const auto r = static_cast<Index>(i);
    Index k = 0;
    for (Offset to = start[i]; to < start[i + 1]; ++k) {
      const Offset s = view.slot(r, k);
      if (!is_set(bits, s)) continue;
      list.cols.data()[to] = view.column(s);
      list.slots.data()[to++] = s;
    }
  });
  return list;
}
extern template StoredEntries list_rows(const HostSteps&, const SlicedView<float, float, Index>&, const std::uint64_t*);
extern template StoredEntries list_rows(const HostSteps&, const JaggedView<float, float, Index>&, const std::uint64_t*);
extern template StoredEntries list_rows(const HostSteps&, const CsrView<float, std::int32_t>&, const std::uint64_t*);
extern template StoredEntries list_rows(const HostSteps&, const CsrView<float, std::int64_t>&, const std::uint64_t*);
extern template StoredEntries list_rows(const HostSteps&, const BsrView<float>&, const std::uint64_t*);
extern template StoredEntries list_rows(const HostSteps&, const DbfView<float>&, const std::uint64_t*);
extern template StoredEntries list_rows(const HostSteps&, const DiaView<float>&, const std::uint64_t*);

template <class View>
StoredEntries list_list(const HostSteps& steps, const View& view) {
  const Offset n = view.num_entries;
  StoredEntries list{view.num_rows, view.num_cols, {}, Array<Index>(n), Array<Index>(n), Array<Offset>(n)};
  steps.for_each(n, [&](Offset s) {
    list.rows.data()[s] = view.row(s);
    list.cols.data()[s] = view.column(s);
    list.slots.data()[s] = s;
  });
  return list;
}
extern template StoredEntries list_list(const HostSteps&, const CooView<float>&);
extern template StoredEntries list_list(const HostSteps&, const TcooView<float>&);

/// Of a format on the host that is not made of others.
template <class Format>
StoredEntries list_entries(const HostSteps& steps, const Format& format) {
  return with_pattern(steps, format, [&](const auto& view) {
    if constexpr (Format::is_row_format)
      return list_rows(steps, view, entry_bits(format));
    else
      return list_list(steps, view);
  });
}

}  // namespace millrace::convert
