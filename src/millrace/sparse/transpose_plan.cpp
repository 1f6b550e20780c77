// The plan lists the entries of every column by a counting sort.
#include "millrace/sparse/transpose_plan.hpp"

#include <numeric>

namespace millrace {
namespace {

// Calls f(row, column, slot) for every entry, rows in stored order.
template <class Format, class F>
void for_each_entry(const Format& format, F&& f) {
  if constexpr (Format::is_row_format) {
    format.visit_view([&](const auto& view) {
      for (Index r = 0; r < view.num_rows; ++r)
        for (Index k = 0; k < view.length(r); ++k) {
          const Offset s = view.slot(r, k);
          f(view.output_row(r), view.column(s), s);
        }
    });
  } else {
    for (Offset s = 0; s < format.num_entries(); ++s) f(format.rows.data()[s], format.cols.data()[s], s);
  }
}

}  // namespace

template <class T>
TransposePlan make_transpose_plan(const AnyFormat<T>& any) {
  return std::visit(
      [](const auto& format) {
        TransposePlan plan{Array<Offset>(static_cast<std::int64_t>(format.num_cols) + 1, 0),
                           Array<Index>(format.num_entries()), Array<Offset>(format.num_entries())};
        Offset* count = plan.col_ptr.data() + 1;
        for_each_entry(format, [&](Index, Index c, Offset) { ++count[c]; });
        std::partial_sum(plan.col_ptr.data(), plan.col_ptr.data() + plan.col_ptr.size(), plan.col_ptr.data());
        Array<Offset> next = plan.col_ptr.clone();
        for_each_entry(format, [&](Index r, Index c, Offset s) {
          const Offset to = next.data()[c]++;
          plan.rows.data()[to] = r;
          plan.slots.data()[to] = s;
        });
        return plan;
      },
      any);
}

template TransposePlan make_transpose_plan(const AnyFormat<float>&);
template TransposePlan make_transpose_plan(const AnyFormat<double>&);
template TransposePlan make_transpose_plan(const AnyFormat<std::complex<float>>&);
template TransposePlan make_transpose_plan(const AnyFormat<std::complex<double>>&);

}  // namespace millrace
