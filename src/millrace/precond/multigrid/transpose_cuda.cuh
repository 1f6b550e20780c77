// Entries by their columns on a GPU: a stable sort.
#pragma once

#include "millrace/precond/multigrid/rows.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

/// What a stable sort of entries by column has found.
struct ByColumn {
  Array<Offset> row_ptr;         // [num_cols + 1]: where a column's entries begin
  Array<convert::Place> places;  // [entries]: where they were; beyond row_ptr[num_cols] those of no column
};

/// column_of(place) is from 0 to num_cols, which is no column.
template <class ColumnOf>
ByColumn sort_by_column(Queue& queue, Offset num_entries, Index num_cols, const ColumnOf& column_of) {
  require(num_entries <= INT64_C(0xffffffff), "amg: a level's prolongator has ", num_entries,
          " entries; up to 2^32 - 1 can be sorted on a GPU");
  DeviceSteps steps(queue);
  Array<std::uint32_t> keys = steps.scratch<std::uint32_t>(num_entries);
  ByColumn made{Array<Offset>(queue, Offset{num_cols} + 1), steps.scratch<convert::Place>(num_entries)};
  std::uint32_t* const key = keys.data();
  convert::Place* const place = made.places.data();
  steps.for_each(num_entries, [=] __device__(Offset s) {
    key[s] = static_cast<std::uint32_t>(column_of(s));
    place[s] = static_cast<convert::Place>(s);
  });
  steps.sort(keys, made.places, static_cast<std::uint32_t>(num_cols));
  const std::uint32_t* const sorted = keys.data();
  Offset* const row_ptr = made.row_ptr.data();
  steps.for_each(Offset{num_cols} + 1, [=] __device__(Offset c) {
    row_ptr[c] = first_at_least(sorted, Offset{0}, num_entries, static_cast<std::uint32_t>(c));
  });
  return made;
}

}  // namespace millrace::cuda
