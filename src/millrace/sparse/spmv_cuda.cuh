// The product on a GPU for one scalar; instantiated in a file of its own for each kind of scalar.
#pragma once

#include "millrace/sparse/coo_cuda.cuh"
#include "millrace/sparse/schedule_cuda.cuh"
#include "millrace/sparse/spmv.hpp"

namespace millrace::cuda {

// Mapping  one thread a stored row.
// Traffic  the values twice (read in CSR order, written in the format's), the row extents of both.
// Result   repeatable.
template <RowFormat V, RowFormat Source>
__global__ void __launch_bounds__(256)
    replace_values(V a, typename V::value_type* vals, const Index* order, Source from) {
  const std::int64_t row = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (row >= a.num_rows) return;
  const auto r = static_cast<Index>(row);
  const Index source = order ? order[r] : a.output_row(r);
  for (Index k = 0; k < a.length(r); ++k) vals[a.slot(r, k)] = from.value(from.slot(source, k));
}

template <class T>
void spmv(Queue& queue, const AnyFormat<T>& a, const TransposePlan* plan, const Apply<T>& request) {
  using A = Arith<T>;
  const DeviceGuard guard(queue.device());
  const A alpha = arith(request.alpha), beta = arith(request.beta);
  const Vectors<const A> x(request.x.device, arith(request.x.data), request.x.size, request.x.num, request.x.stride);
  const Vectors<A> y(request.y.device, arith(request.y.data), request.y.size, request.y.num, request.y.stride);
  std::visit(
      [&]<class Format>(const Format& format) {
        if (request.op != Op::none) {
          const TransposedView<A> view{
              format.num_cols,   format.num_rows,    format.num_entries(),      plan->col_ptr.data(),
              plan->rows.data(), plan->slots.data(), arith(format.vals.data()), request.op == Op::conjugate_transpose};
          multiply(queue, view, alpha, x, beta, y);
        } else if constexpr (Format::is_row_format) {
          format.visit_view([&](const auto& view) { multiply(queue, view, alpha, x, beta, y); });
        } else {
          multiply(queue, format.view(), alpha, x, beta, y);
        }
      },
      a);
}

template <class T>
void update_values(Queue& queue, AnyFormat<T>& a, const Csr<T>& same_pattern) {
  const DeviceGuard guard(queue.device());
  std::visit(
      [&]<class Format>(Format& format) {
        if constexpr (Format::is_row_format) {
          const Index* order = nullptr;
          if constexpr (requires { format.basis(); })
            if (format.basis()) order = format.basis()->data();
          auto* vals = arith(format.vals.data());
          if (format.num_rows == 0) return;
          const unsigned blocks = num_blocks(format.num_rows, 256);
          format.visit_view([&](const auto& view) {
            same_pattern.visit_view([&](const auto& source) {
              replace_values<<<blocks, 256, 0, queue.stream()>>>(view, vals, order, source);
            });
          });
          check_launch("replace_values", queue.stream());
        } else {
          copy_bytes(queue, format.device(), format.vals.data(), format.device(), same_pattern.vals.data(),
                     static_cast<std::size_t>(format.vals.bytes()));
        }
      },
      a);
}

}  // namespace millrace::cuda
