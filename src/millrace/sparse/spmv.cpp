// Which schedule serves a format on a device, and new values on the same pattern.
#include "millrace/sparse/spmv.hpp"

#include <limits>

#include "millrace/sparse/coo_host.hpp"
#include "millrace/sparse/padded_host.hpp"
#include "millrace/sparse/scatter_host.hpp"
#include "millrace/sparse/schedule_host.hpp"

namespace millrace {

namespace cuda {
template <class T>
void spmv(Queue& queue, const AnyFormat<T>& a, const TransposePlan* plan, const Apply<T>& request);
template <class T>
void update_values(Queue& queue, AnyFormat<T>& a, const Csr<T>& same_pattern);
}  // namespace cuda

namespace {

template <class T>
Vectors<Arith<T>> arith(const Vectors<T>& v) {
  return {v.device, millrace::arith(v.data), v.size, v.num, v.stride};
}
template <class T>
Vectors<const Arith<T>> arith(const Vectors<const T>& v) {
  return {v.device, millrace::arith(v.data), v.size, v.num, v.stride};
}

// x into the order of the format, the product there, and y back out of it.
template <class Format, class A>
void multiply_in_order(Queue& queue, const Format& format, A alpha, const Vectors<const A>& x, A beta,
                       const Vectors<A>& y) {
  if constexpr (requires { format.x_order; }) {
    const auto ordered_x = queue.scratch<A>(x.size * x.num), ordered_y = queue.scratch<A>(y.size * y.num);
    const Index *order = format.x_order.data(), *place = format.y_place.data();
    parallel_for(queue.num_threads(), x.size, [&](std::int64_t begin, std::int64_t end) {
      for (int v = 0; v < x.num; ++v)
        for (std::int64_t i = begin; i < end; ++i) ordered_x.data()[v * x.size + i] = x.data[v * x.stride + order[i]];
    });
    format.visit_ordered_view([&](const auto& view) {
      host::multiply(queue.num_threads(), view, one<A>(),
                     Vectors<const A>(queue.device(), ordered_x.data(), x.size, x.num), A{},
                     Vectors<A>(queue.device(), ordered_y.data(), y.size, y.num));
    });
    parallel_for(queue.num_threads(), y.size, [&](std::int64_t begin, std::int64_t end) {
      for (int v = 0; v < y.num; ++v)
        for (std::int64_t i = begin; i < end; ++i)
          update(y.data[v * y.stride + i], alpha, ordered_y.data()[v * y.size + place[i]], beta);
    });
  }
}

template <class T, class Format>
void multiply_on_host(Queue& queue, const Format& format, const TransposePlan* plan, Apply<T> request) {
  if constexpr (is_composite<Format>) {
    std::size_t i = 0;
    format.for_each_part([&](const auto& part) {
      multiply_on_host(queue, part, plan ? &plan->parts[i] : nullptr, request);
      request.beta = T{1};  // the parts add up
      ++i;
    });
  } else {
    using A = Arith<T>;
    const A alpha = millrace::arith(request.alpha), beta = millrace::arith(request.beta);
    const Vectors<const A> x = arith(request.x);
    const Vectors<A> y = arith(request.y);
    const bool conjugated = request.op == Op::conjugate_transpose;
    const auto multiply = [&](const auto& view) { host::multiply(queue.num_threads(), view, alpha, x, beta, y); };
    if (x_order_of(format) && request.op == Op::none) {
      multiply_in_order(queue, format, alpha, x, beta, y);
    } else if (request.op == Op::none)
      visit_view(format, multiply);
    else if (plan)
      plan->visit_view(format, conjugated, multiply);
    else
      host::scatter(queue, format, conjugated, alpha, x, beta, y);
  }
}

}  // namespace

template <class T>
void spmv(Queue& queue, const AnyFormat<T>& a, const TransposePlan* plan, const Apply<T>& request) {
  if (queue.device().on_host()) {
    std::visit([&](const auto& format) { multiply_on_host(queue, format, plan, request); }, a);
  } else if constexpr (build::cuda) {
    require<Unsupported>(request.op == Op::none || plan,
                         "spmv: a transposed product on a GPU needs its plan; call prepare_transpose() once before");
    cuda::spmv(queue, a, plan, request);
  } else {
    throw Unsupported("spmv: a CUDA device was asked for, but this build has no CUDA");
  }
}

namespace {

// Calls f(to, from) for every entry: entry k of a row goes to slot k, or to where a format with fill keeps its column.
template <class T, class Format, class View, class F>
void for_each_replacement(const Queue& queue, const Format& format, const View& view, const Csr<T>& source, F&& f) {
  const Array<Index>* basis = basis_of(format);
  Index most = std::numeric_limits<Index>::max();
  if constexpr (requires { format.layout.most; }) most = format.layout.most;
  parallel_for(queue.num_threads(), view.num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (auto r = static_cast<Index>(begin); r < end; ++r) {
      const Index row = basis ? basis->data()[r] : view.output_row(r);
      Offset from = source.row_begin(row);
      if constexpr (has_fill<Format>) {
        for (; from < source.row_begin(row + 1); ++from) {
          const Offset to = view.find(row, source.cols.data()[from]);
          require(to >= 0 && format.is_real(to), "update_values: the matrix has no entry in row ", row, ", column ",
                  source.cols.data()[from], ", but the new values do");
          f(to, from);
        }
      } else {
        require(std::min(source.row_length(row), most) == view.length(r), "update_values: row ", row, " has ",
                source.row_length(row), " entries, but ", view.length(r), " in the pattern of the matrix");
        for (Index k = 0; k < view.length(r); ++k, ++from) {
          const Offset to = x_order_of(format) ? slot_of_column(view, r, source.cols.data()[from]) : view.slot(r, k);
          require(to >= 0, "update_values: the matrix has no entry in row ", row, ", column ", source.cols.data()[from],
                  ", but the new values do");
          f(to, from);
        }
      }
    }
  });
}

// Nothing is written before the whole pattern was found to be the same.
template <class T, class Format>
void replace_rows(const Queue& queue, Format& format, const Csr<T>& source) {
  format.visit_view(
      [&](const auto& view) { for_each_replacement(queue, format, view, source, [](Offset, Offset) {}); });
  rewrite_values(format, [&](T* vals) {
    format.visit_view([&](const auto& view) {
      for_each_replacement(queue, format, view, source,
                           [&](Offset to, Offset from) { vals[to] = source.vals.data()[from]; });
    });
  });
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

#define MILLRACE_INSTANTIATE(T)                                                           \
  template void spmv(Queue&, const AnyFormat<T>&, const TransposePlan*, const Apply<T>&); \
  template void update_values(Queue&, AnyFormat<T>&, const Csr<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
