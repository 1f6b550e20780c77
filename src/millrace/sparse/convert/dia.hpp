// CSR into diagonals, in parallel steps: a mark for every possible diagonal, then a place for every entry.
#pragma once

#include "millrace/sparse/convert/sorted_columns.hpp"
#include "millrace/sparse/format/dia.hpp"

namespace millrace::convert {

/// Numbers the diagonals that hold an entry: number[column - row + num_rows] is 1 + how many come before it, and the
/// offsets of all of them are returned, ascending.
template <Steps S>
Array<Index> find_diagonals(S& steps, const Rows& a, Array<Offset>& numbers) {
  const Offset possible = Offset{a.num_rows} + a.num_cols, num_rows = a.num_rows;
  numbers = steps.template scratch<Offset>(possible);
  fill(steps, numbers, Offset{0});
  Offset* number = numbers.data();
  steps.for_each_in(a,
                    [=] MILLRACE_HD(Offset r, Offset s) { set_mark(number + (Offset{a.cols[s]} - r + num_rows), 1); });
  steps.scan(number, possible);
  const Offset num_diags = possible == 0 ? 0 : steps.read(static_cast<const Offset*>(number) + possible - 1);
  Array<Index> offsets = steps.template make<Index>(num_diags);
  Index* offset = offsets.data();
  steps.for_each(possible, [=] MILLRACE_HD(Offset i) {
    if (i == 0 ? number[i] == 1 : number[i] != number[i - 1]) offset[number[i] - 1] = static_cast<Index>(i - num_rows);
  });
  return offsets;
}

/// Places the entries, and sets the byte of each slot that gets one unless there are no bytes.
template <Steps S, class View, class A>
void place_entries(S& steps, const Rows& a, const Offset* number, const View& view, const A* from, A* vals,
                   std::uint8_t* is_entry) {
  const Offset num_rows = a.num_rows;
  steps.for_each_in(a, [=] MILLRACE_HD(Offset r, Offset s) {
    const auto diag = static_cast<Index>(number[Offset{a.cols[s]} - r + num_rows] - 1);
    const Offset slot = view.slot_of(static_cast<Index>(r), diag);
    vals[slot] = from[s];
    if (is_entry) is_entry[slot] = 1;
  });
}

/// One bit per byte, which is 0 or 1; there are 64 of them for every word.
template <Steps S>
Array<std::uint64_t> bits_of(S& steps, const Array<std::uint8_t>& bytes) {
  Array<std::uint64_t> bits = steps.template make<std::uint64_t>(bytes.size() / 64);
  std::uint64_t* word = bits.data();
  const auto* eights = reinterpret_cast<const std::uint64_t*>(bytes.data());
  steps.for_each(bits.size(), [=] MILLRACE_HD(Offset i) {
    std::uint64_t all = 0;
    for (int k = 0; k < 8; ++k)  // the product gathers the lowest bits of eight bytes in its highest byte
      all |= (eights[i * 8 + k] * 0x0102040810204080u >> 56) << (8 * k);
    word[i] = all;
  });
  return bits;
}

template <class T>
struct Conversion<Dia<T>> {
  template <Steps S>
  static Dia<T> run(S& steps, const Csr<T>& a, const FormatSpec& spec) {
    Dia<T> b;
    b.tile = Dia<T>::asked_tile(spec);
    const Rows csr = rows_of(a);
    Array<Offset> numbers;
    b.offsets = find_diagonals(steps, csr, numbers);
    require_reasonable_diagonals(a, b.offsets.size());
    sorted_columns(steps, b.name, csr);  // refuses repeated ones
    b.num_rows = a.num_rows;
    b.num_cols = a.num_cols;
    b.entries = a.num_entries();
    const Index* offset = b.offsets.data();
    const Offset num_rows = a.num_rows, num_cols = a.num_cols;
    const Offset inside = steps.sum(b.offsets.size(), [=] MILLRACE_HD(Offset d) {
      const Offset end = num_cols - offset[d], begin = -Offset{offset[d]};
      return (end < num_rows ? end : num_rows) - (begin > 0 ? begin : 0);
    });
    b.vals = steps.template make<T>(num_rows * b.offsets.size());
    if (b.vals.size() > b.entries) fill_zero(steps, b.vals);
    Array<std::uint8_t> bytes =
        steps.template scratch<std::uint8_t>(inside == b.entries ? 0 : (b.vals.size() + 63) / 64 * 64);
    fill(steps, bytes, std::uint8_t{0});
    b.visit_view([&](const auto& view) {
      place_entries(steps, csr, numbers.data(), view, arith(a.vals.data()), arith(b.vals.data()),
                    bytes.empty() ? nullptr : bytes.data());
    });
    b.real = bits_of(steps, bytes);
    return b;
  }
};

}  // namespace millrace::convert
