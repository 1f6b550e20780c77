// Triangular solutions of incomplete factors on a GPU, block = 1. Rows are taken by tickets in the order of the levels,
// so the first unfinished row is always at work and waits for finished rows only: no deadlock, on any number of warps.
#pragma once

#include <algorithm>

#include "millrace/base/dispatch.hpp"
#include "millrace/base/occupancy.cuh"
#include "millrace/base/scalar.hpp"
#include "millrace/base/warp.cuh"
#include "millrace/precond/incomplete_cuda.hpp"
#include "millrace/precond/ready_cuda.cuh"

namespace millrace::cuda {

constexpr int triangle_threads = 128;

/// Warps of a solution: enough rows at work to have the next few levels' entries on their way; more would only poll.
constexpr unsigned warps_in_flight(std::int64_t num_rows, std::int64_t num_levels, int lanes, int num_units) {
  const std::int64_t rows_per_warp = 32 / lanes, level = num_rows / std::max<std::int64_t>(1, num_levels) + 1;
  const std::int64_t wanted = 4 * level / rows_per_warp + 1, all = (num_rows + rows_per_warp - 1) / rows_per_warp;
  const std::int64_t min = 4 * num_units, max = 32 * num_units;  // 1 to 8 blocks of 4 warps per multiprocessor
  return static_cast<unsigned>(std::clamp(wanted, std::min(min, all), std::min(max, std::max(min, all))));
}
static_assert(warps_in_flight(4096000, 478, 1, 132) == 1072 && warps_in_flight(10, 10, 1, 132) == 1);

/// Lanes that share a row of a triangle: one while rows are short.
constexpr int triangle_lanes(double mean_length) { return mean_length <= 12 ? 1 : mean_length <= 48 ? 4 : 32; }

/// z = x - L z. Clears w for the other triangle.
template <class A, class S>
struct LowerRows {
  FactorView v;
  const S* vals;
  const A* x;
  Ready<A>* z;  // zeros at first
  Ready<A>* w;

  __device__ Index row(Index place) const { return place; }
  __device__ FactorView::Entry begin(Index i) const { return v.lower_ptr[i]; }
  __device__ FactorView::Entry end(Index i) const { return v.lower_ptr[i + 1]; }
  __device__ Index column(FactorView::Entry e) const { return v.lower_cols[e]; }
  __device__ A value(FactorView::Entry e) const { return change_type<A>(vals[e]); }
  __device__ const Ready<A>& input(Index column) const { return z[column]; }
  __device__ A start(Index i) const { return x[v.order[i]]; }
  __device__ void finish(Index i, A result) const {
    z[i].publish(result);
    w[i].clear();
  }
};

/// w = D^-1 z - U w, and y = alpha w + beta y. Leaves zeros in z.
template <class A, class S>
struct UpperRows {
  FactorView v;
  const S* vals;
  A alpha, beta;
  A* y;
  Ready<A>* z;
  Ready<A>* w;  // zeros at first

  __device__ Index row(Index place) const { return v.num_rows - 1 - place; }
  __device__ FactorView::Entry begin(Index i) const { return v.upper_ptr[i]; }
  __device__ FactorView::Entry end(Index i) const { return v.upper_ptr[i + 1]; }
  __device__ Index column(FactorView::Entry e) const { return v.upper_cols[e]; }
  __device__ A value(FactorView::Entry e) const { return change_type<A>(vals[v.upper_slot(e)]); }
  __device__ const Ready<A>& input(Index column) const { return w[column]; }
  __device__ A start(Index i) const {
    A right{};
    z[i].read(right);  // written by the launch before
    return change_type<A>(vals[v.diagonal_slot(i)]) * right;
  }
  __device__ void finish(Index i, A result) const {
    w[i].publish(result);
    z[i].clear();
    update(y[v.order[i]], alpha, result, beta);
  }
};

// Mapping  a warp takes 32 / Width rows by a ticket; lane k of a row takes entries k, k + Width, ..., four at a time.
//          No lane waits inside: all look again and again, so rows of one warp may wait for each other.
// Traffic  entries, indices, and the vectors of the triangle once; inputs that are not there are looked at again.
// Result   repeatable: a lane sums its entries ascending, then a fixed tree over the lanes.
template <int Width, class Rows, class A>
__global__ void __launch_bounds__(triangle_threads) solve_triangle(Rows rows, unsigned num_tickets, unsigned* counter) {
  constexpr int U = 4;
  constexpr unsigned all = 0xffffffffu;
  const int lane = threadIdx.x % 32, k = lane % Width;
  const unsigned takers = gridDim.x * (triangle_threads / 32);
  const unsigned group = (Width == 32 ? all : (1u << Width) - 1) << (lane - k);
  while (true) {
    const unsigned ticket = shuffle(lane == 0 ? take_ticket(counter, num_tickets, takers) : 0u, 0);
    if (ticket >= num_tickets) return;
    const Index place = static_cast<Index>(ticket * (32 / Width) + lane / Width);
    bool finished = place >= rows.v.num_rows;
    const Index i = finished ? 0 : rows.row(place);
    std::int64_t at = finished ? 0 : std::int64_t{rows.begin(i)} + k;
    const std::int64_t end = finished ? 0 : rows.end(i);
    const A start = !finished && k == 0 ? rows.start(i) : A{};
    A sum{}, r_value[U];
    Index r_column[U];
    bool loaded = false;
    while (!__all_sync(all, finished)) {
      if (at < end && !loaded) {
#pragma unroll
        for (int u = 0; u < U; ++u) {
          const auto e = static_cast<FactorView::Entry>(at + u * Width < end ? at + u * Width : at);
          r_column[u] = rows.column(e);
          r_value[u] = at + u * Width < end ? rows.value(e) : A{};
        }
        loaded = true;
      }
      if (at < end) {
        A r_input[U];
        bool there = true;
#pragma unroll
        for (int u = 0; u < U; ++u) there = rows.input(r_column[u]).read(r_input[u]) && there;
        if (there) {
#pragma unroll
          for (int u = 0; u < U; ++u)
            if (at + u * Width < end) sum = multiply_add(r_value[u], r_input[u], sum);
          at += U * Width;
          loaded = false;
        }
      }
      const unsigned done = __ballot_sync(all, at >= end);  // by all lanes, the finished ones too
      const bool complete = !finished && (done & group) == group;
      if (__any_sync(all, complete)) {
        const A total = warp_sum<Width>(sum);
        if (complete && k == 0) rows.finish(i, multiply_subtract(one<A>(), total, start));
        finished = finished || complete;
      }
    }
  }
}

// Mapping  one thread per row.
// Traffic  entries, indices and two vectors once, inputs by gathers.
// Result   repeatable: every row is summed in stored order.
template <class Rows, class A>
__global__ void __launch_bounds__(256) sweep_triangle(Rows rows, const A* __restrict__ from, A* __restrict__ to) {
  const std::int64_t place = blockIdx.x * std::int64_t{256} + threadIdx.x;
  if (place >= rows.v.num_rows) return;
  const auto i = static_cast<Index>(place);
  A sum = rows.start(i);
  if (from)
    for (auto e = rows.begin(i); e < rows.end(i); ++e)
      sum = multiply_subtract(rows.value(e), from[rows.column(e)], sum);
  rows.finish(i, sum, to);
}

/// Rows of a triangle for Jacobi sweeps: plain vectors instead of Ready ones.
template <class A, class S>
struct LowerSweep {
  FactorView v;
  const S* vals;
  const A* x;

  __device__ FactorView::Entry begin(Index i) const { return v.lower_ptr[i]; }
  __device__ FactorView::Entry end(Index i) const { return v.lower_ptr[i + 1]; }
  __device__ Index column(FactorView::Entry e) const { return v.lower_cols[e]; }
  __device__ A value(FactorView::Entry e) const { return change_type<A>(vals[e]); }
  __device__ A start(Index i) const { return x[v.order[i]]; }
  __device__ void finish(Index i, A result, A* to) const { to[i] = result; }
};
template <class A, class S>
struct UpperSweep {
  FactorView v;
  const S* vals;
  const A* z;
  A alpha, beta;
  A* y;  // null: not the last sweep

  __device__ FactorView::Entry begin(Index i) const { return v.upper_ptr[i]; }
  __device__ FactorView::Entry end(Index i) const { return v.upper_ptr[i + 1]; }
  __device__ Index column(FactorView::Entry e) const { return v.upper_cols[e]; }
  __device__ A value(FactorView::Entry e) const { return change_type<A>(vals[v.upper_slot(e)]); }
  __device__ A start(Index i) const { return change_type<A>(vals[v.diagonal_slot(i)]) * z[i]; }
  __device__ void finish(Index i, A result, A* to) const {
    if (y)
      update(y[v.order[i]], alpha, result, beta);
    else
      to[i] = result;
  }
};

template <class Rows, class A>
void launch_triangle(Queue& queue, const Rows& rows, double mean_length, Index num_levels, unsigned* counter) {
  const cudaStream_t stream = queue.stream();
  dispatch<1, 4, 32>("lanes per row", triangle_lanes(mean_length), [&]<int Width>() {
    const unsigned warps = warps_in_flight(rows.v.num_rows, num_levels, Width, num_units(queue.device()));
    const unsigned blocks = num_blocks(warps, triangle_threads / 32);
    solve_triangle<Width, Rows, A>
        <<<blocks, triangle_threads, 0, stream>>>(rows, num_blocks(rows.v.num_rows, 32 / Width), counter);
  });
  check_launch("solve_triangle", stream);
}

template <class T>
void solve_triangles(Queue& queue, const FactorPattern& pattern, const NarrowArray<T>& factors, Arith<T> alpha,
                     const Vectors<const Arith<T>>& x, Arith<T> beta, const Vectors<Arith<T>>& y) {
  using A = Arith<T>;
  const DeviceGuard guard(queue.device());
  const FactorView v = pattern.view();
  const Index levels = pattern.levels().num_levels();
  const auto zeros = queue.zeros(Offset{v.num_rows} * (sizeof(A) / 4) + 2);
  const auto memory = queue.scratch<Ready<A>>(v.num_rows);
  auto* z = reinterpret_cast<Ready<A>*>(zeros.data() + 2);  // after the counter, aligned to 8 bytes
  const double rows = v.num_rows;
  factors.visit([&]<class S>(const S* vals) {
    for (int k = 0; k < y.num; ++k) {
      const LowerRows<A, S> lower{v, vals, x.data + k * x.stride, z, memory.data()};
      launch_triangle<LowerRows<A, S>, A>(queue, lower, v.num_lower / rows, levels, zeros.data());
      const UpperRows<A, S> upper{v, vals, alpha, beta, y.data + k * y.stride, z, memory.data()};
      launch_triangle<UpperRows<A, S>, A>(queue, upper, v.num_upper / rows, levels, zeros.data());
    }
  });
}

template <class T>
void sweep_triangles(Queue& queue, const FactorPattern& pattern, const NarrowArray<T>& factors, int sweeps,
                     Arith<T> alpha, const Vectors<const Arith<T>>& x, Arith<T> beta, const Vectors<Arith<T>>& y) {
  using A = Arith<T>;
  const DeviceGuard guard(queue.device());
  const FactorView v = pattern.view();
  const auto memory = queue.scratch<A>(Offset{3} * v.num_rows);
  const unsigned blocks = num_blocks(v.num_rows, 256);
  const cudaStream_t stream = queue.stream();
  factors.visit([&]<class S>(const S* vals) {
    for (int k = 0; k < y.num; ++k) {
      A *z = memory.data(), *w = z + v.num_rows, *spare = w + v.num_rows;
      const A* nothing = nullptr;
      for (int s = 0; s <= sweeps; ++s, std::swap(z, spare))
        sweep_triangle<<<blocks, 256, 0, stream>>>(LowerSweep<A, S>{v, vals, x.data + k * x.stride}, s ? z : nothing,
                                                   spare);
      for (int s = 0; s <= sweeps; ++s, std::swap(w, spare))
        sweep_triangle<<<blocks, 256, 0, stream>>>(
            UpperSweep<A, S>{v, vals, z, alpha, beta, s == sweeps ? y.data + k * y.stride : nullptr}, s ? w : nothing,
            spare);
      check_launch("sweep_triangle", stream);
    }
  });
}

}  // namespace millrace::cuda
