// CSR into the padded family and the hybrid format, in parallel steps. The values go the way of the slots: every slot
// looks up its row and its entry, so writes are contiguous and a long row is nobody's alone.
#pragma once

#include "millrace/sparse/convert/narrow.hpp"
#include "millrace/sparse/format/hyb.hpp"
#include "millrace/sparse/format/limits.hpp"

namespace millrace::convert {

/// The stored row and the entry of it that a slot is for; the inverse of the views' slot().
struct SlotOwner {
  Index row, k;
};
struct SlicedSlots {
  const Offset* starts;  // [num_slices + 1]
  Offset num_slices, slice, num_rows;
  MILLRACE_HD SlotOwner operator()(Offset s) const {
    const Offset number = last_at_most(starts, 0, num_slices, s), first = number * slice;
    const Offset stride = num_rows - first < slice ? num_rows - first : slice, local = s - starts[number];
    return {static_cast<Index>(first + local % stride), static_cast<Index>(local / stride)};
  }
};
struct JaggedSlots {
  const Offset* starts;  // [longest + 1]
  Offset longest;
  MILLRACE_HD SlotOwner operator()(Offset s) const {
    const Offset k = last_at_most(starts, 0, longest, s);
    return {static_cast<Index>(s - starts[k]), static_cast<Index>(k)};
  }
};

/// Where slices begin: the running sum of rows times the longest of them.
template <Stage S>
Array<Offset> slice_starts(S& stage, const Array<Index>& lengths, Offset slice, Index longest) {
  const Offset num_rows = lengths.size(), num_slices = slice == 0 ? 0 : (num_rows + slice - 1) / slice;
  Array<Offset> starts = make_filled(stage, num_slices + 1, Offset{num_slices == 1 ? longest : 0});
  Offset* start = starts.data();
  const Index* length = lengths.data();
  if (num_slices > 1)
    stage.for_each(num_rows, [=] MILLRACE_HD(Offset r) { fetch_max(start + r / slice + 1, length[r]); });
  stage.for_each(num_slices + 1, [=] MILLRACE_HD(Offset s) {
    const Offset left = num_rows - (s - 1) * slice;
    start[s] = s == 0 ? 0 : start[s] * (left < slice ? left : slice);
  });
  stage.scan(start, num_slices + 1);
  return starts;
}

/// Where jagged columns begin: column k holds the blocks whose longest row, their first, has more than k entries.
template <Stage S>
Array<Offset> column_starts(S& stage, const Array<Index>& lengths, Offset block, Index longest) {
  const Offset num_rows = lengths.size(), num_blocks = (num_rows + block - 1) / block;
  Array<Offset> starts = stage.template make<Offset>(Offset{longest} + 1);
  Offset* start = starts.data();
  const Index* length = lengths.data();
  stage.for_each(Offset{longest} + 1, [=] MILLRACE_HD(Offset i) {  // lengths fall: count the blocks that reach i - 1
    Offset low = 0, high = i == 0 ? 0 : num_blocks;
    while (low < high) {
      const Offset middle = low + (high - low) / 2;
      if (length[middle * block] >= i)
        low = middle + 1;
      else
        high = middle;
    }
    start[i] = low * block < num_rows ? low * block : num_rows;
  });
  stage.scan(start, starts.size());
  return starts;
}

/// Entries before every 64th row.
template <Stage S>
Array<Offset> shares(S& stage, const Array<Index>& lengths) {
  const Offset num_rows = lengths.size(), size = (num_rows >> 6) + 2;
  Array<Offset> share = stage.template make<Offset>(size);
  Offset* to = share.data();
  const Index* length = lengths.data();
  stage.for_each(size, [=] MILLRACE_HD(Offset i) {
    Offset sum = 0;
    for (Offset r = (i - 1) * 64; i > 0 && r < i * 64 && r < num_rows; ++r) sum += length[r];
    to[i] = sum;
  });
  stage.scan(to, size);
  return share;
}

/// Fills every slot from the CSR matrix; `padding` is the column of slots without an entry.
template <Stage S, class A, class Owner>
void fill_slots(S& stage, Offset num_slots, const Owner& owner, const Rows& a, const A* from, const Index* row_of,
                const Index* length, Index padding, Index* cols, A* vals) {
  stage.for_each(num_slots, [=] MILLRACE_HD(Offset s) {
    const SlotOwner at = owner(s);
    const bool real = at.k < length[at.row];
    const Offset source = real ? a.begin(row_of ? row_of[at.row] : at.row) + at.k : 0;
    cols[s] = real ? a.cols[source] : padding;
    vals[s] = real ? from[source] : A{};
  });
}

/// The lengths of the rows in stored order.
template <Stage S>
Array<Index> row_lengths(S& stage, const Rows& a, Index most, const Index* order) {
  Array<Index> lengths = stage.template make<Index>(a.num_rows);
  Index* length = lengths.data();
  stage.for_each(a.num_rows, [=] MILLRACE_HD(Offset i) {
    const Index all = a.length(order ? order[i] : static_cast<Index>(i));
    length[i] = all < most ? all : most;
  });
  return lengths;
}

/// Marks the slices where a column is not the base of its group plus its place there.
template <Stage S, class I>
void mark_unlike_runs(S& stage, Offset num_slots, const SlicedSlots& owner, const Index* length,
                      const ColumnsView<I>& cols, Offset* unlike) {
  stage.for_each(num_slots, [=] MILLRACE_HD(Offset s) {
    const SlotOwner at = owner(s);
    if (at.k >= length[at.row]) return;
    const Index base = cols.bases[s >> cols.log2_group];
    const auto place = static_cast<Index>(s & ((Offset{1} << cols.log2_group) - 1));
    if (base < 0 || cols(s) != base + place) unlike[at.row / owner.slice] = 1;  // many write, all the same
  });
}

/// What kernels know of a slice before they read it: its shortest row, or ~ of it where all columns run with the rows.
template <Stage S, class Format>
void describe_slices(S& stage, const SlicedSlots& owner, Format& b) {
  const Offset num_slices = owner.num_slices, slice = owner.slice, num_rows = owner.num_rows;
  Array<Offset> shortest = stage.template scratch<Offset>(num_slices),
                unlike = stage.template scratch<Offset>(num_slices);
  fill(stage, shortest, std::numeric_limits<Offset>::max());
  fill(stage, unlike, Offset{b.cols.width() < 4 ? 0 : 1});
  b.shortest = stage.template make<Index>(num_slices);
  Offset *least = shortest.data(), *not_runs = unlike.data();
  Index* told = b.shortest.data();
  const Index* length = b.row_len.data();
  const Offset* start = owner.starts;
  stage.for_each(num_rows, [=] MILLRACE_HD(Offset r) { fetch_min(least + r / slice, length[r]); });
  b.cols.visit_view([&]<class I>(const ColumnsView<I>& cols) {
    if constexpr (ColumnsView<I>::narrow)
      mark_unlike_runs(stage, b.cols.size(), owner, b.row_len.data(), cols, unlike.data());
  });
  stage.for_each(num_slices, [=] MILLRACE_HD(Offset i) {
    const auto rows = static_cast<Index>(least[i]);
    told[i] = rows > 0 && not_runs[i] == 0 ? ~rows : rows;
  });
  b.run_slots =
      stage.sum(num_slices, [=] MILLRACE_HD(Offset i) { return told[i] < 0 ? start[i + 1] - start[i] : Offset{0}; });
  b.ragged_rows = static_cast<Index>(stage.sum(num_slices, [=] MILLRACE_HD(Offset i) {
    const Offset rows = num_rows - i * slice < slice ? num_rows - i * slice : slice;
    return least[i] * rows != start[i + 1] - start[i] ? rows : Offset{0};
  }));
}

template <Stage S, class T, class Member>
void make_padded(S& stage, const Csr<T>& a, const PaddedShape& shape, Padded<T, Member>& b) {
  require<Unsupported>(!shape.rcm && shape.storage != Storage::dictionary, b.name,
                       ": orders (rcm) and dictionaries (dict) are made on the host; convert there and copy with to()");
  const Rows rows = rows_of(a);
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  b.layout = shape;
  b.row_len = row_lengths(stage, rows, shape.most, nullptr);
  const Index* length = b.row_len.data();
  const auto longest =
      static_cast<Index>(stage.largest(a.num_rows, [=] MILLRACE_HD(Offset r) { return Offset{length[r]}; }));
  b.entries = shape.most == std::numeric_limits<Index>::max()
                  ? a.num_entries()
                  : stage.sum(a.num_rows, [=] MILLRACE_HD(Offset r) { return Offset{length[r]}; });
  b.row_of = order_by_length(stage, b.row_len, longest, shape.window);
  const Index* row_of = b.row_of.empty() ? nullptr : b.row_of.data();
  if (row_of) b.row_len = row_lengths(stage, rows, shape.most, row_of);

  const Offset slice = shape.slice ? shape.slice : a.num_rows;
  b.starts = Member::jagged ? column_starts(stage, b.row_len, shape.block, longest)
                            : slice_starts(stage, b.row_len, slice, longest);
  const Offset slots = stage.read(static_cast<const Offset*>(b.starts.data()) + b.starts.size() - 1);
  require_reasonable_padding(b.name, slots, b.starts.bytes() + b.row_len.bytes(), a, longest, b.entries);
  b.share = Member::jagged ? shares(stage, b.row_len) : stage.template make<Offset>(0);
  const bool narrow = shape.narrows(a.num_rows, longest);
  Array<Index> cols = stage.template make<Index>(slots);
  Array<T> vals = stage.template make<T>(slots);
  const auto fill_by = [&](const auto& owner) {
    fill_slots<S, Arith<T>>(stage, slots, owner, rows, arith(a.vals.data()), row_of, b.row_len.data(),
                            shape.row_lengths && !narrow ? 0 : -1, cols.data(), arith(vals.data()));
  };
  if constexpr (Member::jagged)
    fill_by(JaggedSlots{b.starts.data(), b.starts.size() - 1});
  else
    fill_by(SlicedSlots{b.starts.data(), b.starts.size() - 1, slice, a.num_rows});
  b.cols = narrow ? compress_columns(stage, std::move(cols), shape.log2_group()) : Columns(std::move(cols));
  b.vals = narrow_values(stage, std::move(vals), shape.storage);
  if constexpr (!Member::jagged)
    describe_slices(stage, SlicedSlots{b.starts.data(), b.starts.size() - 1, slice, a.num_rows}, b);
  if (!shape.row_lengths) b.row_len = stage.template make<Index>(0);
}

template <Stage S, class T, class Member>
void make(S& stage, const Csr<T>& a, const FormatSpec& spec, Padded<T, Member>& b) {
  make_padded(stage, a, Member::shape(spec), b);
}

}  // namespace millrace::convert
