// What follows from the list: names, making a format from its text, and the way back to CSR.
#include "millrace/sparse/formats.hpp"

#include <numeric>
#include <optional>
#include <vector>

#include "millrace/base/parallel.hpp"
#include "millrace/sparse/convert/convert.hpp"

namespace millrace {

std::string format_names() {
  std::string names;
  for_each_format<double>([&]<class Format>() { names += (names.empty() ? "" : " ") + std::string(Format::name); });
  return names;
}

std::string format_usage() {
  std::string names;
  for_each_format<double>(
      [&]<class Format>() { names += (names.empty() ? "" : " ") + std::string(Format::name) + Format::parameters; });
  return names;
}

template <class T>
AnyFormat<T> make_format(const Csr<T>& a, std::string_view text) {
  const FormatSpec spec = parse_format_spec(text);
  const bool by_host = spec.has("rcm") || spec.has("dict");  // orders and dictionaries, wherever the matrix is
  std::optional<AnyFormat<T>> made;
  for_each_format<T>([&]<class Format>() {
    if (spec.name != Format::name) return;
    if (a.device().on_host())
      made = Format::from_csr(a, spec);
    else if constexpr (build::cuda && converts_on_gpu<Format>)
      made = by_host ? Format::from_csr(a.to(Device::host()), spec).to(a.device()) : cuda::from_csr<Format>(a, spec);
    else
      throw Unsupported(join(Format::name, ": the CSR matrix lives on ", to_string(a.device()),
                             is_host_only<Format> ? ", this format is for a CPU" : ", the conversion on the host",
                             "; copy the matrix with to(Device::host())"));
  });
  require(made.has_value(), "unknown sparse format '", spec.name, "'; this build has: ", format_names());
  return std::move(*made);
}

namespace {

// The entries of a view in the order of its output rows. Compiled for views, which members of a family share;
// `is_real` says which slots are entries.
template <class T, class View, class IsReal>
Csr<T> view_to_csr(const View& view, const IsReal& is_real) {
  Array<std::int64_t> row_ptr(static_cast<std::int64_t>(view.num_rows) + 1, 0);
  const auto for_rows = [&](auto&& f) {
    parallel_for(default_num_threads(), view.num_rows, [&](std::int64_t begin, std::int64_t end) {
      for (auto r = static_cast<Index>(begin); r < end; ++r) f(r);
    });
  };
  for_rows([&](Index r) {
    std::int64_t& count = row_ptr.data()[view.output_row(r) + 1];
    for (Index k = 0; k < view.length(r); ++k) count += is_real(view.slot(r, k)) ? 1 : 0;
  });
  std::partial_sum(row_ptr.data(), row_ptr.data() + row_ptr.size(), row_ptr.data());
  Array<Index> cols(row_ptr.data()[view.num_rows]);
  Array<T> vals(cols.size());
  for_rows([&](Index r) {
    Offset to = row_ptr.data()[view.output_row(r)];
    for (Index k = 0; k < view.length(r); ++k) {
      const Offset s = view.slot(r, k);
      if (!is_real(s)) continue;
      cols.data()[to] = view.column(s);
      vals.data()[to++] = from_arith<T>(view.value(s));
    }
  });
  return {view.num_rows, view.num_cols, std::move(row_ptr), std::move(cols), std::move(vals)};
}

struct EverySlot {
  bool operator()(Offset) const { return true; }
};

template <class Format>
Csr<typename Format::value_type> rows_to_csr(const Format& format) {
  using T = typename Format::value_type;
  return format.visit_view([&](const auto& view) {
    if constexpr (has_fill<Format>)
      return view_to_csr<T>(view, [&](Offset s) { return format.is_real(s); });
    else
      return view_to_csr<T>(view, EverySlot{});
  });
}

// A list that remembers where every entry stood in CSR.
template <class Format>
Csr<typename Format::value_type> list_to_csr(const Format& format) {
  using T = typename Format::value_type;
  Array<std::int64_t> row_ptr(static_cast<std::int64_t>(format.num_rows) + 1, 0);
  Array<Index> cols(format.num_entries());
  Array<T> vals(format.num_entries());
  for_each_entry(format, [&](Index row, Index column, Offset s) {
    const Offset to = format.source.data()[s];
    ++row_ptr.data()[row + 1];
    cols.data()[to] = column;
    vals.data()[to] = format.vals.data()[s];
  });
  std::partial_sum(row_ptr.data(), row_ptr.data() + row_ptr.size(), row_ptr.data());
  return {format.num_rows, format.num_cols, std::move(row_ptr), std::move(cols), std::move(vals)};
}

// The entries of a simple format in the order of its vectors.
template <class Format>
Csr<typename Format::value_type> entries_to_csr(const Format& format) {
  if constexpr (Format::is_row_format)
    return rows_to_csr(format);
  else if constexpr (requires { format.source; })
    return list_to_csr(format);
  else
    return to_csr_keeping_duplicates(format);
}

// Two matrices of the same shape, the entries of each row of the second after those of the first.
template <class T>
Csr<T> join_rows(const Csr<T>& a, const Csr<T>& b) {
  Array<std::int64_t> row_ptr(static_cast<std::int64_t>(a.num_rows) + 1);
  for (Index r = 0; r <= a.num_rows; ++r) row_ptr.data()[r] = a.row_begin(r) + b.row_begin(r);
  Array<Index> cols(a.num_entries() + b.num_entries());
  Array<T> vals(cols.size());
  for (Index r = 0; r < a.num_rows; ++r) {
    Offset to = row_ptr.data()[r];
    for (const Csr<T>* part : {&a, &b}) {
      const Offset begin = part->row_begin(r), end = part->row_begin(r + 1);
      std::copy(part->cols.data() + begin, part->cols.data() + end, cols.data() + to);
      std::copy(part->vals.data() + begin, part->vals.data() + end, vals.data() + to);
      to += end - begin;
    }
  }
  return {a.num_rows, a.num_cols, std::move(row_ptr), std::move(cols), std::move(vals)};
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
        if constexpr (is_composite<Format>) {
          std::optional<Csr<T>> sum;
          format.for_each_part([&](const auto& part) {
            Csr<T> next = entries_to_csr(part);
            sum = sum ? join_rows(*sum, next) : std::move(next);
          });
          return std::move(*sum);
        } else {
          const Array<Index>* basis = basis_of(format);
          return basis ? leave_basis(entries_to_csr(format), basis->span()) : entries_to_csr(format);
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
