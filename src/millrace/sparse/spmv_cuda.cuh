// The product on a GPU for one scalar; instantiated in a file of its own for each kind of scalar.
#pragma once

#include "millrace/sparse/blocks_cuda.cuh"
#include "millrace/sparse/coo_cuda.cuh"
#include "millrace/sparse/csr_cuda.cuh"
#include "millrace/sparse/dia_cuda.cuh"
#include "millrace/sparse/padded_cuda.cuh"
#include "millrace/sparse/schedule_cuda.cuh"
#include "millrace/sparse/spmv.hpp"

namespace millrace::cuda {

// Mapping  one thread a stored row.
// Traffic  the values twice (read in CSR order, written in the format's), the row extents of both.
// Result   repeatable.
template <bool Fill, RowFormat V, RowFormat Source>
__global__ void __launch_bounds__(256)
    replace_rows(V a, bool ordered, typename V::value_type* vals, const Index* order, Source from) {
  const std::int64_t row = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (row >= a.num_rows) return;
  const auto r = static_cast<Index>(row);
  const Index source = order ? order[r] : a.output_row(r);
  const Index length = Fill ? from.length(source) : a.length(r);
  for (Index k = 0; k < length; ++k) {
    const Offset s = from.slot(source, k);
    if constexpr (Fill) {
      const Offset to = a.find(source, from.column(s));
      if (to >= 0) vals[to] = from.value(s);
    } else {
      const Offset to = ordered ? slot_of_column(a, r, from.column(s)) : a.slot(r, k);
      if (to >= 0) vals[to] = from.value(s);
    }
  }
}

// Mapping  a grid that is resident at once strides over the entries; block row v is vector v. First it asks for all of
// x,
//          which is read, and y, which the product will write, line by line: random accesses then find them in the
//          cache.
// Traffic  the order and x once (x by gathers), the result once, y once.
// Result   repeatable.
template <class A>
__global__ void __launch_bounds__(256) gather_vectors(std::int64_t size, const Index* order, const A* __restrict__ x,
                                                      std::int64_t ldx, A* ordered, const A* y, std::int64_t ldy) {
  constexpr std::int64_t line = 128 / sizeof(A);
  const std::int64_t thread = blockIdx.x * std::int64_t{256} + threadIdx.x, num_threads = gridDim.x * std::int64_t{256};
  x += blockIdx.y * ldx, y += blockIdx.y * ldy;
  for (std::int64_t i = thread * line; i < size; i += num_threads * line) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(x + i));
    asm volatile("prefetch.global.L2 [%0];" ::"l"(y + i));
  }
#pragma unroll 4
  for (std::int64_t i = thread; i < size; i += num_threads)
    ordered[blockIdx.y * size + i] = x[load_streamed(order + i)];
}

// Mapping  one thread an entry.
// Traffic  the values twice, read through `place`, which is read once.
// Result   repeatable.
template <class A>
__global__ void __launch_bounds__(256) replace_listed(std::int64_t size, A* vals, const Offset* place, const A* from) {
  const std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (i < size) vals[i] = from[place[i]];
}

template <class T, class Format>
void multiply_on_device(Queue& queue, const Format& format, const TransposePlan* plan, Apply<T> request) {
  if constexpr (is_host_only<Format>) {
    throw Unsupported(join(format.name, ": this format is for a CPU"));  // and never came here
  } else if constexpr (is_composite<Format>) {
    std::size_t i = 0;
    format.for_each_part([&](const auto& part) {
      multiply_on_device(queue, part, plan ? &plan->parts[i] : nullptr, request);
      request.beta = T{1};  // the parts add up
      ++i;
    });
  } else {
    using A = Arith<T>;
    const A alpha = arith(request.alpha), beta = arith(request.beta);
    const Vectors<const A> x(request.x.device, arith(request.x.data), request.x.size, request.x.num, request.x.stride);
    const Vectors<A> y(request.y.device, arith(request.y.data), request.y.size, request.y.num, request.y.stride);
    const auto product = [&](const auto& view) { multiply(queue, view, alpha, x, beta, y); };
    if (const Array<Index>* order = x_order_of(format); order && request.op == Op::none) {
      const std::int64_t size = order->size();
      const auto ordered = queue.scratch<A>(size * x.num);
      const unsigned blocks = std::min(num_blocks(size, 256), 1024u);  // 8 for each of an H200's multiprocessors
      gather_vectors<<<dim3(blocks, static_cast<unsigned>(x.num)), 256, 0, queue.stream()>>>(
          size, order->data(), x.data, x.stride, ordered.data(), y.data, y.stride);
      check_launch("gather_vectors", queue.stream());
      const Vectors<const A> there(queue.device(), ordered.data(), size, x.num);
      visit_ordered_view(format, [&](const auto& view) { multiply(queue, view, alpha, there, beta, y); });
    } else if (request.op == Op::none)
      visit_view(format, product);
    else
      plan->visit_view(format, request.op == Op::conjugate_transpose, product);
  }
}

template <class T>
void spmv(Queue& queue, const AnyFormat<T>& a, const TransposePlan* plan, const Apply<T>& request) {
  const DeviceGuard guard(queue.device());
  std::visit([&](const auto& format) { multiply_on_device(queue, format, plan, request); }, a);
}

template <class T, class Format>
void update_rows(Queue& queue, Format& format, const Csr<T>& same_pattern) {
  if (format.num_rows == 0) return;
  const Array<Index>* basis = basis_of(format);
  rewrite_values(format, [&](T* vals) {
    format.visit_view([&](const auto& view) {
      same_pattern.visit_view([&](const auto& source) {
        replace_rows<has_fill<Format>><<<num_blocks(format.num_rows, 256), 256, 0, queue.stream()>>>(
            view, x_order_of(format) != nullptr, arith(vals), basis ? basis->data() : nullptr, source);
      });
    });
  });
  check_launch("replace_rows", queue.stream());
}

template <class T>
void update_listed(Queue& queue, Array<T>& vals, const Array<Offset>& place, const Csr<T>& same_pattern) {
  if (vals.empty()) return;
  replace_listed<<<num_blocks(vals.size(), 256), 256, 0, queue.stream()>>>(
      vals.size(), arith(vals.data()), place.data(), arith(same_pattern.vals.data()));
  check_launch("replace_listed", queue.stream());
}

template <class T>
void update_values(Queue& queue, AnyFormat<T>& a, const Csr<T>& same_pattern) {
  const DeviceGuard guard(queue.device());
  std::visit(
      [&]<class Format>(Format& format) {
        if constexpr (Format::is_row_format) {
          update_rows(queue, format, same_pattern);
        } else if constexpr (is_composite<Format>) {
          update_rows(queue, format.ell, same_pattern);
          update_listed(queue, format.coo.vals, format.source, same_pattern);
        } else if constexpr (requires { format.source; }) {
          update_listed(queue, format.vals, format.source, same_pattern);
        } else {
          copy_bytes(queue, format.device(), format.vals.data(), format.device(), same_pattern.vals.data(),
                     static_cast<std::size_t>(format.vals.bytes()));
        }
      },
      a);
}

}  // namespace millrace::cuda
