// CSR into the padded family, in parallel steps. On a GPU the values go the way of the slots: every slot looks up its
// row and its entry, so writes are contiguous and a long row is nobody's alone. Host threads take row after row.
#pragma once

#include "millrace/sparse/convert/narrow.hpp"
#include "millrace/sparse/convert/sorted_columns.hpp"
#include "millrace/sparse/format/padded.hpp"
#include "millrace/sparse/order.hpp"

namespace millrace::convert {

/// The stored row and the entry of it that a slot is for; the inverse of the views' slot().
struct SlotOwner {
  Index row, k;
};
/// Groups of slots: slices.
struct Slices : Ranges {
  Offset slice, num_rows;
  MILLRACE_HD Offset rows_of(Offset number) const {
    const Offset left = num_rows - number * slice;
    return left < slice ? left : slice;
  }
  MILLRACE_HD SlotOwner owner(Offset number, Offset s) const {
    const Offset stride = rows_of(number), local = s - starts[number];
    return {static_cast<Index>(number * slice + local % stride), static_cast<Index>(local / stride)};
  }
  /// The slots of a stored row: the first, their distance, and how many there are.
  struct Row {
    Offset first, stride, width;
    MILLRACE_HD Offset slot(Offset k) const { return first + k * stride; }
  };
  Row row(Offset r, const Index*) const {
    const Offset number = r / slice, stride = rows_of(number);
    return {starts[number] + r % slice, stride, (starts[number + 1] - starts[number]) / stride};
  }
};
/// Groups of slots: jagged columns.
struct JaggedColumns : Ranges {
  Offset block;
  MILLRACE_HD SlotOwner owner(Offset k, Offset s) const {
    return {static_cast<Index>(s - starts[k]), static_cast<Index>(k)};
  }
  struct Row {
    const Offset* starts;
    Offset r, width;
    MILLRACE_HD Offset slot(Offset k) const { return starts[k] + r; }
  };
  Row row(Offset r, const Index* length) const { return {starts, r, length[r / block * block]}; }
};

/// Where slices begin: the running sum of rows times the longest of them.
template <Steps S>
Array<Offset> slice_starts(S& steps, const Array<Index>& lengths, Offset slice, Index longest) {
  const Offset num_rows = lengths.size(), num_slices = slice == 0 ? 0 : (num_rows + slice - 1) / slice;
  Array<Offset> starts = make_filled(steps, num_slices + 1, Offset{num_slices == 1 ? longest : 0});
  Offset* start = starts.data();
  const Index* length = lengths.data();
  if (num_slices > 1)
    steps.for_each(num_rows, [=] MILLRACE_HD(Offset r) { fetch_max(start + r / slice + 1, length[r]); });
  steps.for_each(num_slices + 1, [=] MILLRACE_HD(Offset s) {
    const Offset left = num_rows - (s - 1) * slice;
    start[s] = s == 0 ? 0 : start[s] * (left < slice ? left : slice);
  });
  steps.scan(start, num_slices + 1);
  return starts;
}

/// Where jagged columns begin: column k holds the blocks whose longest row, their first, has more than k entries.
template <Steps S>
Array<Offset> column_starts(S& steps, const Array<Index>& lengths, Offset block, Index longest) {
  const Offset num_rows = lengths.size(), num_blocks = (num_rows + block - 1) / block;
  Array<Offset> starts = steps.template make<Offset>(Offset{longest} + 1);
  Offset* start = starts.data();
  const Index* length = lengths.data();
  steps.for_each(Offset{longest} + 1, [=] MILLRACE_HD(Offset i) {  // lengths fall: count the blocks that reach i - 1
    const Offset blocks =
        first_where(Offset{0}, i == 0 ? Offset{0} : num_blocks, [&](Offset b) { return length[b * block] < i; });
    start[i] = blocks * block < num_rows ? blocks * block : num_rows;
  });
  steps.scan(start, starts.size());
  return starts;
}

/// Entries before every 64th row.
template <Steps S>
Array<Offset> shares(S& steps, const Array<Index>& lengths) {
  const Offset num_rows = lengths.size(), size = (num_rows >> 6) + 2;
  Array<Offset> share = steps.template make<Offset>(size);
  Offset* to = share.data();
  const Index* length = lengths.data();
  steps.for_each(size, [=] MILLRACE_HD(Offset i) {
    Offset sum = 0;
    for (Offset r = (i - 1) * 64; i > 0 && r < i * 64 && r < num_rows; ++r) sum += length[r];
    to[i] = sum;
  });
  steps.scan(to, size);
  return share;
}

/// Fills every slot from the CSR matrix; `padding` is the column of slots without an entry.
template <Steps S, class A, class Slots>
void fill_slots(S& steps, const Slots& slots, const Rows& a, const A* from, const Index* row_of,
                const Array<Index>& lengths, Index padding, Index* cols, A* vals) {
  const Index* length = lengths.data();
  if constexpr (S::few_threads) {  // the matrix in its own order; much padding is written before, slot after slot
    const bool fill_first = slots.num_items() / 5 > a.num_entries / 4;
    if (fill_first)
      steps.for_each(slots.num_items(), [=](Offset s) {
        cols[s] = padding;
        vals[s] = A{};
      });
    steps.for_each(lengths.size(), [=](Offset r) {
      const auto row = slots.row(r, length);
      Offset source = a.begin(row_of ? row_of[r] : r), k = 0;
      for (; k < length[r]; ++k, ++source) {
        const Offset s = row.slot(k);
        cols[s] = a.cols[source];
        vals[s] = from[source];
      }
      for (; !fill_first && k < row.width; ++k) {
        cols[row.slot(k)] = padding;
        vals[row.slot(k)] = A{};
      }
    });
  } else {
    steps.for_each_in(slots, [=] MILLRACE_HD(Offset group, Offset s) {
      const SlotOwner at = slots.owner(group, s);
      const bool real = at.k < length[at.row];
      const Offset source = real ? a.begin(row_of ? row_of[at.row] : at.row) + at.k : 0;
      cols[s] = real ? a.cols[source] : padding;
      vals[s] = real ? from[source] : A{};
    });
  }
}

/// The lengths of the rows in stored order.
template <Steps S>
Array<Index> row_lengths(S& steps, const Rows& a, Index max_length, const Index* order) {
  Array<Index> lengths = steps.template make<Index>(a.num_rows);
  Index* length = lengths.data();
  steps.for_each(a.num_rows, [=] MILLRACE_HD(Offset i) {
    const Index all = a.length(order ? order[i] : i);
    length[i] = all < max_length ? all : max_length;
  });
  return lengths;
}

/// Is the column of a slot not the base of its group plus its place there?
template <class I>
struct IsNoRun {
  ColumnsView<I> cols;
  MILLRACE_HD bool operator()(Offset s) const {
    return cols.bases[s >> cols.log2_group] < 0 || cols(s) != cols.in_run(s);
  }
};

/// Marks the slices with such a column.
template <Steps S, class I>
void mark_other_slices(S& steps, const Slices& slices, const Index* length, const IsNoRun<I>& is_no_run,
                       Offset* marks) {
  if constexpr (S::few_threads) {  // most slices of most matrices are done at their first entry
    steps.for_each(slices.num, [=](Offset number) {
      const Offset first = number * slices.slice, last = first + slices.rows_of(number);
      for (Offset r = first; r < last && marks[number] == 0; ++r) {
        const auto row = slices.row(r, length);
        for (Offset k = 0; k < length[r] && marks[number] == 0; ++k) marks[number] = is_no_run(row.slot(k)) ? 1 : 0;
      }
    });
  } else {
    steps.for_each_in(slices, [=] MILLRACE_HD(Offset number, Offset s) {
      const SlotOwner at = slices.owner(number, s);
      if (at.k < length[at.row] && is_no_run(s)) set_mark(marks + number, 1);
    });
  }
}

/// What kernels know of a slice before they read it: its shortest row, or ~ of it where all columns run with the rows.
template <Steps S, class T>
void describe_slices(S& steps, const Slices& slices, PaddedArrays<T>& b) {
  const Offset num_slices = slices.num, slice = slices.slice;
  Array<Offset> shortest = steps.template scratch<Offset>(num_slices),
                other = steps.template scratch<Offset>(num_slices);
  fill(steps, shortest, std::numeric_limits<Offset>::max());
  fill(steps, other, Offset{b.cols.width() < 4 ? 0 : 1});
  b.shortest = steps.template make<Index>(num_slices);
  Offset *min_length = shortest.data(), *not_runs = other.data();
  Index* told = b.shortest.data();
  const Index* length = b.row_len.data();
  const Offset* start = slices.starts;
  steps.for_each(slices.num_rows, [=] MILLRACE_HD(Offset r) { fetch_min(min_length + r / slice, length[r]); });
  b.cols.visit_view([&]<class I>(const ColumnsView<I>& cols) {
    if constexpr (ColumnsView<I>::narrow) mark_other_slices(steps, slices, length, IsNoRun<I>{cols}, not_runs);
  });
  steps.for_each(num_slices, [=] MILLRACE_HD(Offset i) {
    const auto rows = static_cast<Index>(min_length[i]);
    told[i] = rows > 0 && not_runs[i] == 0 ? ~rows : rows;
  });
  b.run_slots =
      steps.sum(num_slices, [=] MILLRACE_HD(Offset i) { return told[i] < 0 ? start[i + 1] - start[i] : Offset{0}; });
  b.ragged_rows = static_cast<Index>(steps.sum(num_slices, [=] MILLRACE_HD(Offset i) {
    const Offset rows = slices.rows_of(i);
    return min_length[i] * rows != start[i + 1] - start[i] ? rows : Offset{0};
  }));
}

/// All members of the family: jagged columns where the shape has blocks, else slices.
template <Steps S, class T>
PaddedArrays<T> make_padded(S& steps, const char* name, const Csr<T>& a, const PaddedShape& shape) {
  const Rows rows = rows_of(a);
  const bool jagged = shape.block > 0;
  PaddedArrays<T> b;
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  b.layout = shape;
  b.row_len = row_lengths(steps, rows, shape.max_length, nullptr);
  const Index* length = b.row_len.data();
  const auto longest =
      static_cast<Index>(steps.max(a.num_rows, [=] MILLRACE_HD(Offset r) { return Offset{length[r]}; }));
  b.entries = shape.max_length == std::numeric_limits<Index>::max()
                  ? a.num_entries()
                  : steps.sum(a.num_rows, [=] MILLRACE_HD(Offset r) { return Offset{length[r]}; });
  b.row_of = order_by_length(steps, b.row_len, longest, shape.window);
  const Index* row_of = b.row_of.empty() ? nullptr : b.row_of.data();
  if (row_of) b.row_len = row_lengths(steps, rows, shape.max_length, row_of);

  const Offset slice = shape.slice ? shape.slice : a.num_rows;
  b.starts =
      jagged ? column_starts(steps, b.row_len, shape.block, longest) : slice_starts(steps, b.row_len, slice, longest);
  const Offset num_slots = steps.read(static_cast<const Offset*>(b.starts.data()) + b.starts.size() - 1);
  require_reasonable_padding(name, num_slots, b.starts.bytes() + b.row_len.bytes(), a, longest, b.entries);
  b.share = jagged ? shares(steps, b.row_len) : steps.template make<Offset>(0);
  const bool narrow = shape.narrows(a.num_rows, longest);
  Array<Index> cols = steps.template make<Index>(num_slots);
  Array<T> vals = steps.template make<T>(num_slots);
  const Ranges ranges{b.starts.data(), b.starts.size() - 1, num_slots};
  const Slices slices{ranges, slice, a.num_rows};
  const auto fill_by = [&](const auto& slots) {
    fill_slots<S, Arith<T>>(steps, slots, rows, arith(a.vals.data()), row_of, b.row_len,
                            shape.row_lengths && !narrow ? 0 : -1, cols.data(), arith(vals.data()));
  };
  if (jagged)
    fill_by(JaggedColumns{ranges, shape.block});
  else
    fill_by(slices);
  b.cols = narrow ? compress_columns(steps, std::move(cols), shape.log2_group()) : Columns(std::move(cols));
  b.vals = store_values(steps, std::move(vals), shape.storage);
  if (!jagged) describe_slices(steps, slices, b);
  if (!shape.row_lengths) b.row_len = steps.template make<Index>(0);
  return b;
}

/// Rows and columns in reverse Cuthill-McKee order, found on the host.
template <Steps S, class T>
PaddedArrays<T> make_ordered(S& steps, const char* name, const Csr<T>& a, const PaddedShape& shape) {
  sorted_columns(steps, name, rows_of(a));  // refuses repeated ones
  const std::vector<Index> order = make_ordering(a, Ordering::rcm);
  PaddedArrays<T> b = make_padded(steps, name, permute(a, order, order), shape);
  Array<Index> rows = std::exchange(b.row_of, Array<Index>(a.num_rows));
  b.y_place = Array<Index>(a.num_rows);
  for (Index r = 0; r < a.num_rows; ++r) {
    const Index row = order[static_cast<std::size_t>(rows.empty() ? r : rows.data()[r])];
    b.row_of.data()[r] = row;
    b.y_place.data()[row] = r;
  }
  b.x_order = Array<Index>(std::span<const Index>(order));
  return b;
}

template <class T, class Member>
struct Conversion<Padded<T, Member>> {
  template <Steps S>
  static Padded<T, Member> run(S& steps, const Csr<T>& a, const FormatSpec& spec) {
    const PaddedShape shape = Member::shape(spec);
    if constexpr (S::few_threads)
      if (shape.rcm) return Padded<T, Member>(make_ordered(steps, Member::name, a, shape));
    return Padded<T, Member>(make_padded(steps, Member::name, a, shape));
  }
};

}  // namespace millrace::convert
