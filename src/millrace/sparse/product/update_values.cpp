// New values on the same pattern, in every format.
#include <limits>

#include "millrace/base/parallel.hpp"
#include "millrace/sparse/product/spmv.hpp"

namespace millrace {

namespace cuda {
template <class T>
void update_values(Queue& queue, AnyFormat<T>& a, const Csr<T>& same_pattern);
}  // namespace cuda

namespace {

// Where new values go. Without `vals` only the pattern is compared.
template <class T>
struct Target {
  const Csr<T>& source;
  T* vals;

  void put(Offset to, Offset from, Index row) const {
    require(to >= 0, "update_values: the matrix has no entry in row ", row, ", column ", source.cols.data()[from],
            ", but the new values do");
    if (vals) vals[to] = source.vals.data()[from];
  }
};

// A format with fill finds the place of a column.
template <class T, class Format, class View>
void replace_filled(const Queue& queue, const Format& format, const View& view, const Target<T>& target) {
  parallel_for(queue.num_threads(), view.num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (auto row = static_cast<Index>(begin); row < end; ++row)
      for (Offset from = target.source.row_begin(row); from < target.source.row_begin(row + 1); ++from) {
        const Offset to = view.find(row, target.source.cols.data()[from]);
        target.put(to >= 0 && format.is_real(to) ? to : -1, from, row);
      }
  });
}

// What a format without fill says of its rows beside its view; the code is compiled for views, which members of a
// family share.
struct RowRule {
  const Array<Index>* basis;  // the matrix row of every stored one; null: as the view says
  Index most;                 // entries of a row that are stored here
  bool ordered;               // columns are sought: they are in an order of their own
};

template <class Format>
RowRule row_rule(const Format& format) {
  RowRule rule{basis_of(format), std::numeric_limits<Index>::max(), x_order_of(format) != nullptr};
  if constexpr (requires { format.layout.most; }) rule.most = format.layout.most;
  return rule;
}

// Entry k of a row goes to slot k.
template <class T, class View>
void replace_in_order(const Queue& queue, const RowRule& rule, const View& view, const Target<T>& target) {
  const Csr<T>& source = target.source;
  parallel_for(queue.num_threads(), view.num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (auto r = static_cast<Index>(begin); r < end; ++r) {
      const Index row = rule.basis ? rule.basis->data()[r] : view.output_row(r);
      require(std::min(source.row_length(row), rule.most) == view.length(r), "update_values: row ", row, " has ",
              source.row_length(row), " entries, but ", view.length(r), " in the pattern of the matrix");
      Offset from = source.row_begin(row);
      for (Index k = 0; k < view.length(r); ++k, ++from)
        target.put(rule.ordered ? slot_of_column(view, r, source.cols.data()[from]) : view.slot(r, k), from, row);
    }
  });
}

// Nothing is written before the whole pattern was found to be the same.
template <class T, class Format>
void replace_rows(const Queue& queue, Format& format, const Csr<T>& source) {
  const auto replace = [&](T* vals) {
    format.visit_view([&](const auto& view) {
      const Target<T> target{source, vals};
      if constexpr (has_fill<Format>)
        replace_filled(queue, format, view, target);
      else
        replace_in_order(queue, row_rule(format), view, target);
    });
  };
  replace(nullptr);
  rewrite_values(format, replace);
}

// A list of entries that remembers where each stands in the CSR matrix.
template <class T>
void replace_listed(const Queue& queue, Array<T>& vals, const Array<Offset>& place, const Csr<T>& source) {
  parallel_for(queue.num_threads(), vals.size(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) vals.data()[i] = source.vals.data()[place.data()[i]];
  });
}

template <class T, class Format>
void update_on_host(const Queue& queue, Format& format, const Csr<T>& source) {
  if constexpr (Format::is_row_format) {
    replace_rows(queue, format, source);
  } else if constexpr (is_composite<Format>) {
    replace_rows(queue, format.ell, source);
    replace_listed(queue, format.coo.vals, format.source, source);
  } else if constexpr (requires { format.source; }) {
    replace_listed(queue, format.vals, format.source, source);
  } else {
    format.vals.assign(source.vals.span());
  }
}

template <class Format>
bool values_borrowed(const Format& format) {
  if constexpr (is_composite<Format>)
    return false;
  else
    return format.vals.borrowed();
}

}  // namespace

template <class T>
void update_values(Queue& queue, AnyFormat<T>& a, const Csr<T>& source) {
  std::visit(
      [&](auto& format) {
        require(format.shape() == source.shape() && format.num_entries() == source.num_entries(),
                "update_values: the matrix is ", format.num_rows, " x ", format.num_cols, " with ",
                format.num_entries(), " entries, the new values are ", source.num_rows, " x ", source.num_cols,
                " with ", source.num_entries());
        require(!values_borrowed(format), "update_values: the values are the caller's own arrays; change them there");
        require(queue.device() == format.device() && source.device() == format.device(),
                "update_values: the matrix lives on ", to_string(format.device()),
                ", so queue and values must too; they are on ", to_string(queue.device()), " and ",
                to_string(source.device()));
      },
      a);
  if (queue.device().on_host())
    std::visit([&](auto& format) { update_on_host(queue, format, source); }, a);
  else if constexpr (build::cuda)
    cuda::update_values(queue, a, source);
}

#define MILLRACE_INSTANTIATE(T) template void update_values(Queue&, AnyFormat<T>&, const Csr<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
