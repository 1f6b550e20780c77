// The product of any format, once for the host and for a GPU. A back end has
//   multiply(view, product)                       the schedule of a view
//   scatter(format, conjugated, product)          a transposed product without a plan
//   gather(order, x, to)                          to[i] = x[order[i]], for every vector
//   update(place, from, product)                  y[i] = alpha from[place[i]] + beta y[i], for every vector
#pragma once

#include "millrace/sparse/product/request.hpp"
#include "millrace/sparse/product/transpose_plan.hpp"

namespace millrace {

/// x into the order of the format, the product there, and y back out of it.
template <class Backend, class Format, class A>
void multiply_reordered(Backend& backend, const Format& format, const Product<A>& p) {
  if constexpr (requires { format.x_order; }) {
    if (p.y.size == 0) return;
    const auto ordered_x = backend.queue.template scratch<A>(p.x.size * p.x.num);
    const auto ordered_y = backend.queue.template scratch<A>(p.y.size * p.y.num);
    const Device device = backend.queue.device();
    const Vectors<A> x(device, ordered_x.data(), p.x.size, p.x.num), y(device, ordered_y.data(), p.y.size, p.y.num);
    backend.gather(format.x_order.data(), p.x, x);
    format.visit_ordered_view([&](const auto& view) { backend.multiply(view, Product<A>{one<A>(), x, A{}, y}); });
    backend.update(format.y_place.data(), y, p);
  }
}

template <class Backend, class T, class Format>
void multiply_format(Backend& backend, const Format& format, const TransposePlan* plan, ApplyRequest<T> request) {
  if constexpr (is_host_only<Format> && !Backend::on_host) {
    throw Unsupported(join(format.name, ": this format is for a CPU"));  // and never came here
  } else if constexpr (is_composite<Format>) {
    std::size_t i = 0;
    format.for_each_part([&](const auto& part) {
      multiply_format(backend, part, plan ? &plan->parts[i] : nullptr, request);
      request.beta = T{1};  // the parts add up
      ++i;
    });
  } else {
    const Product<Arith<T>> product = make_product(request);
    const bool conjugated = request.op == Op::conjugate_transpose;
    const auto multiply = [&](const auto& view) { backend.multiply(view, product); };
    if (request.op == Op::none && x_order_of(format))
      multiply_reordered(backend, format, product);
    else if (request.op == Op::none)
      visit_view(format, multiply);
    else if (plan)
      plan->visit_view(format, conjugated, multiply);
    else
      backend.scatter(format, conjugated, product);
  }
}

}  // namespace millrace
