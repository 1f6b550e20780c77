// What follows from the list: names, making a format from its text, and the way back to CSR.
#include "millrace/sparse/formats.hpp"

#include <optional>
#include <vector>

#include "millrace/base/parallel.hpp"

namespace millrace {

std::string format_names() {
  std::string names;
  for_each_format<double>([&]<class Format>() { names += (names.empty() ? "" : " ") + std::string(Format::name); });
  return names;
}

template <class T>
AnyFormat<T> make_format(const Csr<T>& a, std::string_view text) {
  const FormatSpec spec = parse_format_spec(text);
  std::optional<AnyFormat<T>> made;
  for_each_format<T>([&]<class Format>() {
    if (spec.name == Format::name) made = Format::from_csr(a, spec);
  });
  require(made.has_value(), "unknown sparse format '", spec.name, "'; this build has: ", format_names());
  return std::move(*made);
}

namespace {

// Any row format back to CSR: the view says where everything is.
template <class T, RowFormat V>
Csr<T> rows_to_csr(const V& view, const T* vals) {
  Array<std::int64_t> row_ptr(static_cast<std::int64_t>(view.num_rows) + 1, 0);
  for (Index r = 0; r < view.num_rows; ++r) row_ptr.data()[view.output_row(r) + 1] = view.length(r);
  for (Index r = 0; r < view.num_rows; ++r) row_ptr.data()[r + 1] += row_ptr.data()[r];
  Array<Index> new_cols(row_ptr.data()[view.num_rows]);
  Array<T> new_vals(new_cols.size());
  parallel_for(default_num_threads(), view.num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (auto r = static_cast<Index>(begin); r < end; ++r) {
      Offset to = row_ptr.data()[view.output_row(r)];
      for (Index k = 0; k < view.length(r); ++k, ++to) {
        const Offset s = view.slot(r, k);
        new_cols.data()[to] = view.column(s);
        new_vals.data()[to] = vals[s];
      }
    }
  });
  return {view.num_rows, view.num_cols, std::move(row_ptr), std::move(new_cols), std::move(new_vals)};
}

// From the order of the sorted rows back to the user's: row i becomes row order[i], column likewise.
template <class T>
Csr<T> leave_basis(const Csr<T>& a, std::span<const Index> order) {
  std::vector<Index> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<Index>(i);
  Csr<T> b = permute_rows(a, place);
  for (Index& c : b.cols.span()) c = order[static_cast<std::size_t>(c)];
  return b;
}

}  // namespace

template <class T>
Csr<T> to_csr(const AnyFormat<T>& a) {
  return std::visit(
      []<class Format>(const Format& format) -> Csr<T> {
        require(format.device().on_host(), "to_csr: the matrix lives on ", to_string(format.device()),
                "; copy it with to(Device::host())");
        if constexpr (Format::is_row_format) {
          Csr<T> b = format.visit_view([&](const auto& view) { return rows_to_csr<T>(view, format.vals.data()); });
          if constexpr (requires { format.basis(); })
            if (format.basis()) return leave_basis(b, format.basis()->span());
          return b;
        } else {
          return to_csr_keeping_duplicates(format);
        }
      },
      a);
}

#define MILLRACE_INSTANTIATE(T)                                       \
  template AnyFormat<T> make_format(const Csr<T>&, std::string_view); \
  template Csr<T> to_csr(const AnyFormat<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
