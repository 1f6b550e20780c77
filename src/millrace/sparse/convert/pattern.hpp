// Where a format keeps its entries, without its values: operations that are seldom done (back to CSR, new values, plans
// of transposed products) are compiled for these few views, not for every scalar and every way to store values.
#pragma once

#include "millrace/sparse/convert/narrow.hpp"
#include "millrace/sparse/formats.hpp"

namespace millrace::convert {

/// Calls f with a view of the format that has no values and whose columns have 4 bytes. A format that has no such view
/// hands out its own.
template <Steps S, class Format, class F>
decltype(auto) with_pattern(S& steps, const Format& format, F&& f) {
  if constexpr (requires { requires std::same_as<decltype(format.cols), Columns>; })
    return format.visit_pattern(decoded(steps, format.cols).data(), f);
  else if constexpr (requires { format.visit_pattern(f); })
    return format.visit_pattern(f);
  else
    return visit_view(format, f);
}

template <Steps S, class T, class F>
decltype(auto) with_pattern(S&, const Csr<T>& a, F&& f) {
  return std::visit(
      [&]<class RowOffset>(const Array<RowOffset>& offsets) -> decltype(auto) {
        CsrView<float, RowOffset> view{};
        view.num_rows = a.num_rows;
        view.num_cols = a.num_cols;
        view.num_entries = a.num_entries();
        view.row_ptr = offsets.data();
        view.cols = a.cols.data();
        return f(view);
      },
      a.row_ptr);
}

/// One bit per slot: is it an entry? Null where all slots of the view are.
template <class Format>
const std::uint64_t* entry_bits([[maybe_unused]] const Format& format) {
  if constexpr (has_fill<Format>)
    return format.real.empty() ? nullptr : format.real.data();
  else
    return nullptr;
}
MILLRACE_HD inline bool is_set(const std::uint64_t* bits, Offset slot) {
  return bits == nullptr || (bits[slot / 64] >> (slot % 64) & 1) != 0;
}

}  // namespace millrace::convert
