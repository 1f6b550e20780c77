// CSR into diagonals, in parallel steps: a mark for every possible diagonal, then a place for every entry.
#pragma once

#include "millrace/sparse/convert/steps.hpp"
#include "millrace/sparse/format/dia.hpp"
#include "millrace/sparse/format/limits.hpp"

namespace millrace::convert {

/// Numbers the diagonals that hold an entry: number[column - row + num_rows] is 1 + how many come before it, and the
/// offsets of all of them are returned, ascending.
template <Stage S>
Array<Index> find_diagonals(S& stage, const Rows& a, const Index* rows, Array<Offset>& numbers) {
  const Offset possible = Offset{a.num_rows} + a.num_cols, num_rows = a.num_rows;
  numbers = stage.template scratch<Offset>(possible);
  fill(stage, numbers, Offset{0});
  Offset* number = numbers.data();
  stage.for_each(a.num_entries, [=] MILLRACE_HD(Offset s) {
    Offset* mark = number + (Offset{a.cols[s]} - rows[s] + num_rows);
    if (*mark == 0) *mark = 1;  // many write, all the same
  });
  stage.scan(number, possible);
  const Offset num_diags = possible == 0 ? 0 : stage.read(static_cast<const Offset*>(number) + possible - 1);
  Array<Index> offsets = stage.template make<Index>(num_diags);
  Index* offset = offsets.data();
  stage.for_each(possible, [=] MILLRACE_HD(Offset i) {
    if (i == 0 ? number[i] == 1 : number[i] != number[i - 1]) offset[number[i] - 1] = static_cast<Index>(i - num_rows);
  });
  return offsets;
}

/// Places the entries and marks them. The smallest row * num_cols + column that came twice, or -1.
template <Stage S, class View, class A>
Offset place_entries(S& stage, const Rows& a, const Index* rows, const Offset* number, const View& view, const A* from,
                     A* vals, std::uint64_t* bits) {
  const Offset none = std::numeric_limits<Offset>::max(), num_rows = a.num_rows, num_cols = a.num_cols;
  Array<Offset> repeated = stage.template scratch<Offset>(1);
  fill(stage, repeated, none);
  Offset* twice = repeated.data();
  stage.for_each(a.num_entries, [=] MILLRACE_HD(Offset s) {
    const Index r = rows[s], c = a.cols[s];
    const Offset slot = view.slot_of(r, static_cast<Index>(number[Offset{c} - r + num_rows] - 1));
    const std::uint64_t bit = std::uint64_t{1} << (slot % 64);
    if ((fetch_or(bits + slot / 64, bit) & bit) != 0) fetch_min(twice, r * num_cols + c);
    vals[slot] = from[s];
  });
  const Offset found = stage.read(static_cast<const Offset*>(twice));
  return found == none ? -1 : found;
}

template <Stage S, class T>
void make(S& stage, const Csr<T>& a, const FormatSpec& spec, Dia<T>& b) {
  b.tile = Dia<T>::from_csr(Csr<T>{}, spec).tile;  // checks the text
  const Rows csr = rows_of(a);
  Array<Index> rows = stage.template scratch<Index>(a.num_entries());
  expand_rows(stage, csr, rows.data());
  Array<Offset> numbers;
  b.offsets = find_diagonals(stage, csr, rows.data(), numbers);
  require_reasonable_diagonals(a, b.offsets.size());
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  b.entries = a.num_entries();
  b.vals = stage.template make<T>(a.num_rows * b.offsets.size());
  fill_zero(stage, b.vals);
  b.real = make_filled(stage, (b.vals.size() + 63) / 64, std::uint64_t{0});
  const Offset twice = b.visit_view([&](const auto& view) {
    return place_entries<S>(stage, csr, rows.data(), numbers.data(), view, arith(a.vals.data()), arith(b.vals.data()),
                            b.real.data());
  });
  if (twice >= 0)
    refuse_repeated(b.name, static_cast<Index>(twice / a.num_cols), static_cast<Index>(twice % a.num_cols));
  const Index* offset = b.offsets.data();
  const Offset num_rows = a.num_rows, num_cols = a.num_cols;
  const Offset inside = stage.sum(b.offsets.size(), [=] MILLRACE_HD(Offset d) {
    const Offset end = num_cols - offset[d], begin = -Offset{offset[d]};
    return (end < num_rows ? end : num_rows) - (begin > 0 ? begin : 0);
  });
  if (inside == b.entries) b.real = stage.template make<std::uint64_t>(0);
}

}  // namespace millrace::convert
