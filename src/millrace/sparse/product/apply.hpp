// Which schedule serves a format on a device: the templates of `spmv`, which spmv.cpp and spmv_complex.cpp compile.
#pragma once

#include "millrace/sparse/product/coo_host.hpp"
#include "millrace/sparse/product/multiply.hpp"
#include "millrace/sparse/product/padded_host.hpp"
#include "millrace/sparse/product/rows_host.hpp"
#include "millrace/sparse/product/scatter_host.hpp"
#include "millrace/sparse/product/spmv.hpp"

namespace millrace {

namespace cuda {
template <class T>
void spmv(Queue& queue, const AnyFormat<T>& a, const Plans& plans, const ApplyRequest<T>& request);
}  // namespace cuda

namespace host {

/// The host's threads, as the back end of multiply_format.
struct Backend {
  static constexpr bool on_host = true;
  Queue& queue;

  template <class View, class A>
  void multiply(const View& view, const Product<A>& p) const {
    host::multiply(queue.num_threads(), view, p.alpha, p.x, p.beta, p.y);
  }
  template <class Format, class A>
  void scatter(const Format& format, bool conjugated, const Product<A>& p) const {
    host::scatter(queue, format, conjugated, p.alpha, p.x, p.beta, p.y);
  }
  template <class A>
  void gather(const Index* order, const Vectors<const A>& x, const Vectors<A>& to) const {
    for_entries(x.size, x.num,
                [&](int v, std::int64_t i) { to.data[v * to.stride + i] = x.data[v * x.stride + order[i]]; });
  }
  template <class A>
  void update(const Index* place, const Vectors<A>& from, const Product<A>& p) const {
    for_entries(p.y.size, p.y.num, [&](int v, std::int64_t i) {
      millrace::update(p.y.data[v * p.y.stride + i], p.alpha, from.data[v * from.stride + place[i]], p.beta);
    });
  }

 private:
  template <class F>
  void for_entries(std::int64_t size, int num, F&& f) const {
    parallel_for(queue.num_threads(), size, [&](std::int64_t begin, std::int64_t end) {
      for (int v = 0; v < num; ++v)
        for (std::int64_t i = begin; i < end; ++i) f(v, i);
    });
  }
};

}  // namespace host

template <class T>
void spmv(Queue& queue, const AnyFormat<T>& a, const Plans& plans, const ApplyRequest<T>& request) {
  if (queue.device().on_host()) {
    host::Backend backend{queue};
    std::visit([&](const auto& format) { multiply_format(backend, format, plans.transpose, request); }, a);
  } else if constexpr (build::cuda) {
    require<Unsupported>(request.op == Op::none || plans.transpose,
                         "spmv: a transposed product on a GPU needs its plan, and there is none");
    cuda::spmv(queue, a, plans, request);
  } else {
    throw Unsupported("spmv: a CUDA device was asked for, but this build has no CUDA");
  }
}

}  // namespace millrace
