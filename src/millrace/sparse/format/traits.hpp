// What generic code asks of any format, whether it is a row format, a list of entries, or filled up with zeros.
#pragma once

#include "millrace/base/parallel.hpp"
#include "millrace/sparse/csr.hpp"
#include "millrace/sparse/format/values.hpp"

namespace millrace {

/// Do blocks or diagonals hold zeros that are no entries of the matrix, but part of the view?
template <class Format>
inline constexpr bool has_fill = requires { requires Format::has_fill; };

/// Is the format made of others, whose products add up?
template <class Format>
inline constexpr bool is_composite = requires { requires Format::is_composite; };

/// Is the format made for the caches of a CPU, and refuses to be copied to a GPU?
template <class Format>
inline constexpr bool is_host_only = requires { requires Format::is_host_only; };

/// Can a GPU make the format from CSR?
template <class Format>
inline constexpr bool converts_on_gpu = requires { requires Format::converts_on_gpu; };

/// Is this made on the host, wherever the matrix lives?
template <class Format>
bool only_host_makes([[maybe_unused]] const FormatSpec& spec) {
  if constexpr (requires { Format::only_host_makes(spec); })
    return Format::only_host_makes(spec);
  else
    return false;
}

/// From CSR that was checked, in the order of a queue; in the format's own way where it has no such conversion.
template <class Format>
Format from_csr(Queue& queue, const Csr<typename Format::value_type>& a, const FormatSpec& spec) {
  if constexpr (requires { Format::from_csr(queue, a, spec, trust); })
    return Format::from_csr(queue, a, spec, trust);
  else if constexpr (requires { Format::from_csr(queue, a, spec); })
    return Format::from_csr(queue, a, spec);
  else
    return Format::from_csr(a, spec);
}

template <class Format>
bool is_entry(const Format& format, [[maybe_unused]] Offset slot) {
  if constexpr (has_fill<Format>)
    return format.is_real(slot);
  else
    return true;
}

/// Calls f with the view of any format.
template <class Format, class F>
decltype(auto) visit_view(const Format& format, F&& f) {
  if constexpr (Format::is_row_format)
    return format.visit_view(f);
  else
    return f(format.view());
}

/// Calls f with a pointer to values, in the type they are stored in, and the table of codes if they are such.
template <class T, class F>
decltype(auto) visit_stored(const StoredValues<T>& values, F&& f) {
  return values.visit(f);
}
template <class T, class F>
decltype(auto) visit_stored(const Array<T>& values, F&& f) {
  return f(arith(values.data()), static_cast<const Arith<T>*>(nullptr));
}
template <class Format, class F>
decltype(auto) visit_values(const Format& format, F&& f) {
  return visit_stored(format.vals, f);
}

/// Hands values to f as a T* to be overwritten; narrowed storage is chosen again afterwards.
template <class T, class F>
void rewrite_stored(StoredValues<T>& values, F&& f) {
  values.rewrite(f);
}
template <class T, class F>
void rewrite_stored(Array<T>& values, F&& f) {
  f(values.data());
}

/// The matrix row of every stored row when vectors are in another order; null otherwise.
template <class Format>
const Array<Index>* permutation_of([[maybe_unused]] const Format& format) {
  if constexpr (requires { format.permutation(); })
    return format.permutation();
  else
    return nullptr;
}

/// Which entries of x the columns of visit_ordered_view mean, when the format wants x in an order of its own; else
/// null.
template <class Format>
const Array<Index>* x_order_of([[maybe_unused]] const Format& format) {
  if constexpr (requires { format.x_order; })
    return format.x_order.empty() ? nullptr : &format.x_order;
  else
    return nullptr;
}

/// Where stored row r keeps that column of the matrix, or -1.
template <RowFormat View>
MILLRACE_HD Offset slot_of_column(const View& view, Index r, Index column) {
  for (Index k = 0; k < view.length(r); ++k)
    if (view.column(view.slot(r, k)) == column) return view.slot(r, k);
  return -1;
}

/// Relative error of the stored values, if they were asked for as floats.
template <class Format>
double value_rounding_of(const Format& format) {
  if constexpr (is_composite<Format>) {
    double max_rounding = 0;
    format.for_each_part([&](const auto& part) { max_rounding = std::max(max_rounding, value_rounding_of(part)); });
    return max_rounding;
  } else if constexpr (requires { format.vals.is_rounded(); }) {
    return format.vals.is_rounded() ? 0x1p-24 : 0.0;
  } else {
    return 0;
  }
}

/// What a user wants to know of how the matrix is stored; empty if nothing.
template <class Format>
std::string details_of([[maybe_unused]] const Format& format) {
  if constexpr (requires { format.details(); })
    return format.details();
  else
    return {};
}

}  // namespace millrace
