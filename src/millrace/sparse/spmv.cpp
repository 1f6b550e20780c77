// Which schedule serves a format on a device, and new values on the same pattern.
#include "millrace/sparse/spmv.hpp"

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

template <class T, class Format>
void multiply_on_host(Queue& queue, const Format& format, const TransposePlan* plan, const Apply<T>& request) {
  using A = Arith<T>;
  const A alpha = millrace::arith(request.alpha), beta = millrace::arith(request.beta);
  const Vectors<const A> x = arith(request.x);
  const Vectors<A> y = arith(request.y);
  const bool conjugated = request.op == Op::conjugate_transpose;
  if (request.op != Op::none && plan) {
    const TransposedView<A> view{format.num_cols,
                                 format.num_rows,
                                 format.num_entries(),
                                 plan->col_ptr.data(),
                                 plan->rows.data(),
                                 plan->slots.data(),
                                 millrace::arith(format.vals.data()),
                                 conjugated};
    host::multiply(queue.num_threads(), view, alpha, x, beta, y);
  } else if (request.op != Op::none) {
    host::scatter(queue, format, conjugated, alpha, x, beta, y);
  } else if constexpr (Format::is_row_format) {
    format.visit_view([&](const auto& view) { host::multiply(queue.num_threads(), view, alpha, x, beta, y); });
  } else {
    host::multiply(queue.num_threads(), format.view(), alpha, x, beta, y);
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

template <class T, class Format>
void update_on_host(const Queue& queue, Format& format, const Csr<T>& source) {
  if constexpr (Format::is_row_format) {
    const Index* order = nullptr;
    if constexpr (requires { format.basis(); })
      if (format.basis()) order = format.basis()->data();
    T* vals = format.vals.data();
    format.visit_view([&](const auto& view) {
      parallel_for(queue.num_threads(), view.num_rows, [&](std::int64_t begin, std::int64_t end) {
        for (auto r = static_cast<Index>(begin); r < end; ++r) {
          const Index row = order ? order[r] : view.output_row(r);
          require(source.row_length(row) == view.length(r), "update_values: row ", row, " has ", source.row_length(row),
                  " entries, but ", view.length(r), " in the pattern of the matrix");
          const Offset from = source.row_begin(row);
          for (Index k = 0; k < view.length(r); ++k) vals[view.slot(r, k)] = source.vals.data()[from + k];
        }
      });
    });
  } else {
    format.vals.assign(source.vals.span());
  }
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
        require(!format.vals.borrowed(), "update_values: the values are the caller's own arrays; change them there");
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
