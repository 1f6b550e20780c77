// New values on the same pattern, in steps of host threads or a GPU: first where every entry of the CSR matrix is kept,
// then the values. The search is compiled for the few views of patterns, not for every scalar and storage.
#pragma once

#include "millrace/sparse/convert/pattern.hpp"

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

/// A format with fill finds the place of a column; -1: it has none.
template <convert::Steps S, class View>
void find_filled(S& steps, const View& view, const std::uint64_t* bits, const convert::Rows& source, Offset* slots) {
  steps.for_each_in(source, [=] MILLRACE_HD(Offset r, Offset s) {
    const Offset at = view.find(static_cast<Index>(r), source.cols[s]);
    slots[s] = at >= 0 && convert::is_set(bits, at) ? at : -1;
  });
}

/// Entry k of a row is in slot k, or its column is searched there; -1: the row keeps it elsewhere, or has none.
template <convert::Steps S, RowFormat View>
void find_in_order(S& steps, const View& view, const RowRule& rule, const convert::Rows& source, Offset* slots) {
  steps.for_each(view.num_rows, [=] MILLRACE_HD(Offset i) {
    const auto r = static_cast<Index>(i);
    const Index row = rule.order ? rule.order[r] : view.output_row(r), length = view.length(r);
    Index k = 0;
    for (Offset s = source.begin(row); s < source.begin(Offset{row} + 1); ++s, ++k)
      slots[s] = k >= length ? -1 : rule.searched ? slot_of_column(view, r, source.cols[s]) : view.slot(r, k);
  });
}

/// Refuses rows that have another number of entries.
template <convert::Steps S, RowFormat View>
void require_same_lengths(S& steps, const View& view, const RowRule& rule, const convert::Rows& source) {
  const auto row_of = [=](Offset r) { return rule.order ? rule.order[r] : view.output_row(static_cast<Index>(r)); };
  const Offset other = steps.first(view.num_rows, [=](Offset r) {
    return std::min(source.length(row_of(r)), rule.max_length) != view.length(static_cast<Index>(r));
  });
  if (other < view.num_rows)
    throw Error(join("update_values: row ", row_of(other), " has ", source.length(row_of(other)), " entries, but ",
                     view.length(static_cast<Index>(other)), " in the pattern of the matrix"));
}

template <convert::Steps S>
void require_found(S& steps, const convert::Rows& source, const Offset* slots) {
  const Offset missing = steps.first(source.num_entries, [=](Offset s) { return slots[s] < 0; });
  if (missing < source.num_entries)
    throw Error(join("update_values: the matrix has no entry in row ", convert::group_of(source, missing), ", column ",
                     source.cols[missing], ", but the new values do"));
}

/// The slot of every entry. The host compares the whole pattern, before anything is written; a GPU takes it as the
/// same.
template <bool Fill, convert::Steps S, class View>
void find_slots(S& steps, const View& view, const std::uint64_t* bits, const RowRule& rule, const convert::Rows& source,
                Offset* slots) {
  if constexpr (Fill) {
    find_filled(steps, view, bits, source, slots);
  } else {
    if constexpr (S::few_threads) require_same_lengths(steps, view, rule, source);
    find_in_order(steps, view, rule, source, slots);
  }
  if constexpr (S::few_threads)
    if (Fill || rule.searched) require_found(steps, source, slots);
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

/// Values is an array or stored values: compiled for these, not for every format.
template <convert::Steps S, class T, class Values>
void write_found(S& steps, const Array<Offset>& slots, const Csr<T>& source, Values& values) {
  rewrite_stored(values, [&](T* vals) {
    write_values<S, Arith<T>>(steps, slots.size(), slots.data(), arith(source.vals.data()), arith(vals));
  });
}

template <convert::Steps S, class T, class Format>
void update_rows(S& steps, Format& format, const Csr<T>& source) {
  Array<Offset> slots = steps.template scratch<Offset>(source.num_entries());
  convert::with_pattern(steps, format, [&](const auto& view) {
    find_slots<has_fill<Format>>(steps, view, convert::entry_bits(format), row_rule(format), convert::rows_of(source),
                                 slots.data());
  });
  write_found(steps, slots, source, format.vals);
}

template <convert::Steps S, class T>
void update_list(S& steps, Array<T>& vals, const Offset* place, const Csr<T>& source) {
  write_listed<S, Arith<T>>(steps, vals.size(), place, arith(source.vals.data()), arith(vals.data()));
}

template <convert::Steps S, class T>
void update_format(S& steps, AnyFormat<T>& a, const Csr<T>& source) {
  std::visit(
      [&]<class Format>(Format& format) {
        if constexpr (Format::is_row_format) {
          update_rows(steps, format, source);
        } else if constexpr (is_composite<Format>) {
          update_rows(steps, format.ell, source);
          update_list(steps, format.coo.vals, format.source.data(), source);
        } else if constexpr (requires { format.source; }) {
          update_list(steps, format.vals, format.source.data(), source);
        } else {
          update_list(steps, format.vals, nullptr, source);
        }
      },
      a);
}

}  // namespace millrace
