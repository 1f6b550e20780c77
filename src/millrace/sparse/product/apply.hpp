// Which schedule serves a format on a device: the templates of `spmv`, which spmv.cpp and spmv_complex.cpp compile.
#pragma once

#include "millrace/sparse/product/coo_host.hpp"
#include "millrace/sparse/product/padded_host.hpp"
#include "millrace/sparse/product/rows_host.hpp"
#include "millrace/sparse/product/scatter_host.hpp"
#include "millrace/sparse/product/spmv.hpp"

namespace millrace {

namespace cuda {
template <class T>
void spmv(Queue& queue, const AnyFormat<T>& a, const TransposePlan* plan, const ApplyRequest<T>& request);
}  // namespace cuda

namespace host {

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
void multiply_on_host(Queue& queue, const Format& format, const TransposePlan* plan, ApplyRequest<T> request) {
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

}  // namespace host

template <class T>
void spmv(Queue& queue, const AnyFormat<T>& a, const TransposePlan* plan, const ApplyRequest<T>& request) {
  if (queue.device().on_host()) {
    std::visit([&](const auto& format) { host::multiply_on_host(queue, format, plan, request); }, a);
  } else if constexpr (build::cuda) {
    require<Unsupported>(request.op == Op::none || plan,
                         "spmv: a transposed product on a GPU needs its plan; call prepare_transpose() once before");
    cuda::spmv(queue, a, plan, request);
  } else {
    throw Unsupported("spmv: a CUDA device was asked for, but this build has no CUDA");
  }
}

}  // namespace millrace
