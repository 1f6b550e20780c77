// New values on the same pattern, in steps of host threads or a GPU: first where every entry of the CSR matrix is kept,
// then the values. The search is compiled for the few views of patterns, not for every scalar and storage.
#pragma once

#include "millrace/sparse/convert/check.hpp"
#include "millrace/sparse/convert/pattern.hpp"
#include "millrace/sparse/convert/sorted_columns.hpp"

namespace millrace {

/// What a format without fill says of its rows beside its view.
struct RowRule {
  const Index* order;  // the matrix row of every stored one; null: as the view says
  Index max_length;    // entries of a row that are stored here
  bool searched;       // columns are in an order of their own
};

template <class Format>
RowRule row_rule(const Format& format) {
  const Array<Index>* order = permutation_of(format);
  RowRule rule{order ? order->data() : nullptr, std::numeric_limits<Index>::max(), x_order_of(format) != nullptr};
  if constexpr (requires { format.layout.max_length; }) rule.max_length = format.layout.max_length;
  return rule;
}

/// What is found for an entry that has no slot: it is kept elsewhere, or the pattern is another.
inline constexpr Offset elsewhere = -1, not_there = -2;

/// A format with fill finds the place of a column.
template <convert::Steps S, class View>
void find_filled(S& steps, const View& view, const std::uint64_t* bits, const convert::Rows& source, Offset* slots) {
  steps.for_each_in(source, [=] MILLRACE_HD(Offset r, Offset s) {
    const Offset at = view.find(static_cast<Index>(r), source.cols[s]);
    slots[s] = at >= 0 && convert::is_set(bits, at) ? at : Offset{not_there};
  });
}

/// Entry k of a row is in slot k, where its column is compared, or its column is searched there.
template <convert::Steps S, RowFormat View>
void find_in_order(S& steps, const View& view, const RowRule& rule, const convert::Rows& source, Offset* slots) {
  steps.for_each(view.num_rows, [=] MILLRACE_HD(Offset i) {
    const auto r = static_cast<Index>(i);
    const Index row = rule.order ? rule.order[r] : view.output_row(r), length = view.length(r);
    Index k = 0;
    for (Offset s = source.begin(row); s < source.begin(Offset{row} + 1); ++s, ++k) {
      Offset slot = k < length ? view.slot(r, k) : Offset{elsewhere};
      if (k < length && rule.searched) {
        slot = slot_of_column(view, r, source.cols[s]);
      } else if (k < length) {
        const Index column = view.column(slot);
        if ((rule.order ? rule.order[column] : column) != source.cols[s]) slot = not_there;
      }
      slots[s] = rule.searched && slot < 0 ? Offset{not_there} : slot;
    }
  });
}

/// Refuses rows that have another number of entries.
template <convert::Steps S, RowFormat View>
void require_same_lengths(S& steps, const View& view, const RowRule& rule, const convert::Rows& source) {
  const Offset n = view.num_rows;
  const auto stored_here = [=] MILLRACE_HD(Offset row) {
    const Offset length = source.length(row);
    return length < rule.max_length ? length : Offset{rule.max_length};
  };
  const auto row_of = [=] MILLRACE_HD(Offset i) {
    return Offset{rule.order ? rule.order[i] : view.output_row(static_cast<Index>(i))};
  };
  const Offset other = steps.first(
      n, [=] MILLRACE_HD(Offset i) { return stored_here(row_of(i)) != view.length(static_cast<Index>(i)); });
  if (other == n) return;
  Array<Offset> found = steps.template scratch<Offset>(3);
  Offset* to = found.data();
  steps.for_each(1, [=] MILLRACE_HD(Offset) {
    to[0] = row_of(other);
    to[1] = source.length(to[0]);
    to[2] = view.length(static_cast<Index>(other));
  });
  const Offset *at = to, row = steps.read(at), given = steps.read(at + 1), here = steps.read(at + 2);
  throw Error(
      join("update_values: row ", row, " has ", given, " entries, but ", here, " in the pattern of the matrix"));
}

/// `what` ends the sentence: how the entry, the first at fault, differs.
template <convert::Steps S>
[[noreturn]] void refuse_pattern(S& steps, const convert::Rows& source, Offset entry, const char* what) {
  throw Error(
      join("update_values: the matrix and the new values have different patterns; the entry of the new ones in ",
           "row ", convert::row_of_entry(steps, source, entry), ", column ", steps.read(source.cols + entry), what));
}

/// Refuses an entry whose place was not found.
template <convert::Steps S>
void require_found(S& steps, const convert::Rows& source, const Offset* slots) {
  const Offset missing = steps.first(source.num_entries, [=] MILLRACE_HD(Offset s) { return slots[s] == not_there; });
  if (missing < source.num_entries)
    refuse_pattern(steps, source, missing, " is the first that the matrix has not there");
}

/// The slot of every entry.
template <bool Fill, convert::Steps S, class View>
void find_slots(S& steps, const View& view, const std::uint64_t* bits, const RowRule& rule, const convert::Rows& source,
                Offset* slots, Trust trusted) {
  if constexpr (Fill) {
    find_filled(steps, view, bits, source, slots);
  } else {
    if (!trusted.arrays) require_same_lengths(steps, view, rule, source);
    find_in_order(steps, view, rule, source, slots);
  }
  if (trusted.arrays) return;
  require_found(steps, source, slots);
  if (Fill || rule.searched) convert::sorted_columns(steps, "update_values", source);  // one place per position
}

/// Entries of a list are where they were when it was made: at that place of the CSR matrix, or in its order.
template <convert::Steps S, class View>
void require_same_list(S& steps, const View& view, const Offset* place, const convert::Rows& source) {
  const Offset n = view.num_entries;
  const Offset other = steps.first(n, [=] MILLRACE_HD(Offset i) {
    const Offset s = place ? place[i] : i, row = view.row(i);
    return source.cols[s] != view.column(i) || s < source.begin(row) || s >= source.begin(row + 1);
  });
  if (other == n) return;
  refuse_pattern(steps, source, place ? steps.read(place + other) : other, " is one that the matrix has elsewhere");
}

template <convert::Steps S, class A>
void write_values(S& steps, Offset n, const Offset* slots, const A* from, A* vals) {
  steps.for_each(n, [=] MILLRACE_HD(Offset s) {
    if (slots[s] >= 0) vals[slots[s]] = from[s];
  });
}
/// Of a list of entries that remembers where each stands in the CSR matrix.
template <convert::Steps S, class A>
void write_listed(S& steps, Offset n, const Offset* source, const A* from, A* vals) {
  steps.for_each(n, [=] MILLRACE_HD(Offset s) { vals[s] = from[source ? source[s] : s]; });
}

template <convert::Steps S, class T>
void update_list(S& steps, Array<T>& vals, const Offset* place, const Csr<T>& source) {
  write_listed<S, Arith<T>>(steps, vals.size(), place, arith(source.vals.data()), arith(vals.data()));
}

/// Values is an array or stored values: compiled for these, not for every format.
template <convert::Steps S, class T, class Values>
void write_found(S& steps, const Array<Offset>& slots, const Csr<T>& source, Values& values) {
  rewrite_stored(values, [&](T* vals) {
    write_values<S, Arith<T>>(steps, slots.size(), slots.data(), arith(source.vals.data()), arith(vals));
  });
}

/// Values of a pattern that nobody looks at go straight to where they belong. Traffic: CSR and the format once.
template <convert::Steps S, class A>
void write_diagonals(S& steps, const DiaView<float>& view, const convert::Rows& source, const A* from, A* vals) {
  steps.for_each(view.num_rows, [=] MILLRACE_HD(Offset r) {  // rows are short, and neighbours write to neighbours
    for (Offset s = source.begin(r); s < source.begin(r + 1); ++s) {
      const Offset at = view.find(static_cast<Index>(r), source.cols[s]);
      if (at >= 0) vals[at] = from[s];
    }
  });
}

template <convert::Steps S, class T, class Format>
void update_rows(S& steps, Format& format, const Csr<T>& source, Trust trusted) {
  if constexpr (std::is_same_v<Format, Csr<T>>)
    if (trusted.arrays) return update_list(steps, format.vals, nullptr, source);
  if constexpr (std::is_same_v<Format, Dia<T>>)
    if (trusted.arrays)
      return format.visit_pattern([&](const DiaView<float>& view) {
        write_diagonals<S, Arith<T>>(steps, view, convert::rows_of(source), arith(source.vals.data()),
                                     arith(format.vals.data()));
      });
  Array<Offset> slots = steps.template scratch<Offset>(source.num_entries());
  convert::with_pattern(steps, format, [&](const auto& view) {
    find_slots<has_fill<Format>>(steps, view, convert::entry_bits(format), row_rule(format), convert::rows_of(source),
                                 slots.data(), trusted);
  });
  write_found(steps, slots, source, format.vals);
}

/// Where each entry of a list of entries stood in the CSR matrix; null: in the same order.
template <class Format>
const Offset* places_of(const Format& format) {
  if constexpr (requires { format.source; })
    return format.source.data();
  else
    return nullptr;
}

template <convert::Steps S, class T, class List>
void check_list(S& steps, const List& list, const Offset* place, const Csr<T>& source, Trust trusted) {
  if (trusted.arrays) return;
  convert::with_pattern(steps, list,
                        [&](const auto& view) { require_same_list(steps, view, place, convert::rows_of(source)); });
}

template <convert::Steps S, class T>
void update_format(S& steps, AnyFormat<T>& a, const Csr<T>& source, Trust trusted) {
  std::visit(
      [&]<class Format>(Format& format) {
        if constexpr (Format::is_row_format) {
          update_rows(steps, format, source, trusted);
        } else if constexpr (is_composite<Format>) {
          check_list(steps, format.coo, places_of(format), source, trusted);
          update_rows(steps, format.ell, source, trusted);
          update_list(steps, format.coo.vals, places_of(format), source);
        } else {
          check_list(steps, format, places_of(format), source, trusted);
          update_list(steps, format.vals, places_of(format), source);
        }
      },
      a);
}

}  // namespace millrace
