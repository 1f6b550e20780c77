// QR decompositions of near-null vectors on a GPU: one warp per aggregate.
#include "millrace/base/warp.cuh"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/precond/multigrid/transpose_cuda.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

struct AggregateOf {
  const Index* of;  // [num_nodes]
  Index none;
  __device__ Index operator()(Offset node) const { return of[node] < 0 ? none : of[node]; }
};

/// Where the rows of an aggregate have their entries of the vectors.
struct MemberRows {
  const Offset* row_ptr;          // [num aggregates + 1]
  const convert::Place* members;  // nodes of every aggregate, ascending
  Index block, num;

  /// f(place) for a lane's nodes of aggregate g, row by row.
  template <class F>
  __device__ void visit(Offset g, F&& f) const {
    for (Offset m = row_ptr[g] + threadIdx.x % 32; m < row_ptr[g + 1]; m += 32) {
      const Offset first = Offset{members[m]} * block * num;
      for (Index c = 0; c < block; ++c) f(first + c * num);
    }
  }
};

/// Lane by lane, then in a tree of the warp.
__device__ double column_product(const MemberRows& at, Offset g, const double* q, Index j, Index k) {
  double sum = 0;
  at.visit(g, [&](Offset place) { sum += q[place + j] * q[place + k]; });
  return warp_sum_everywhere(sum);
}

// Mapping  one warp per aggregate, a lane has every 32nd of its nodes.
// Traffic  about num + 2 times the vectors, most of it from caches.
// Result   repeatable: sums in a tree of the warp.
template <class T>
__global__ void __launch_bounds__(128)
    orthonormalise_aggregates(MemberRows at, Offset num_aggregates, const T* vectors, double* q, T* values, T* coarse) {
  constexpr double nothing = 1e-20;  // of the square of a vector's length
  const Offset g = blockIdx.x * Offset{4} + threadIdx.x / 32;
  if (g >= num_aggregates) return;
  const bool first = threadIdx.x % 32 == 0;
  const Index num = at.num;
  const double scale = sqrt(static_cast<double>(at.row_ptr[g + 1] - at.row_ptr[g])), shrink = 1 / scale;
  T* const r = coarse + g * num * num;
  if (first)
    for (Index i = 0; i < num * num; ++i) r[i] = T{0};
  at.visit(g, [&](Offset place) {
    for (Index k = 0; k < num; ++k) q[place + k] = static_cast<double>(vectors[place + k]);
  });
  for (Index k = 0; k < num; ++k) {
    const double square = column_product(at, g, q, k, k);
    for (int pass = 0; pass < 2; ++pass)
      for (Index j = 0; j < k; ++j) {
        const double along = column_product(at, g, q, j, k);
        if (first) r[j * num + k] += static_cast<T>(along * shrink);
        at.visit(g, [&](Offset place) { q[place + k] -= along * q[place + j]; });
      }
    const double left = column_product(at, g, q, k, k);
    const bool zero = !(left > nothing * square);
    const double length = zero ? 0 : sqrt(left), inverse = zero ? 0 : 1 / length;
    if (first) r[k * num + k] = static_cast<T>(length * shrink);
    at.visit(g, [&](Offset place) {
      q[place + k] *= inverse;
      values[place + k] = static_cast<T>(q[place + k] * scale);
    });
  }
}

}  // namespace

template <class T>
void orthonormalise(Queue& queue, const Aggregates& aggregates, const NearNull<T>& near_null, Tentative<T>& made) {
  const Index* const of = aggregates.of.data();
  const Index none = aggregates.num;
  const ByColumn members = sort_by_column(queue, aggregates.of.size(), aggregates.num, AggregateOf{of, none});
  const MemberRows at{members.row_ptr.data(), members.places.data(), near_null.block, near_null.num};
  Array<double> q(queue, near_null.vectors.size());
  if (aggregates.num == 0) return;
  orthonormalise_aggregates<T><<<num_blocks(aggregates.num, 4), 128, 0, queue.stream()>>>(
      at, aggregates.num, near_null.vectors.data(), q.data(), made.values.data(), made.coarse.vectors.data());
  check_launch("orthonormalise_aggregates", queue.stream());
}

template void orthonormalise(Queue&, const Aggregates&, const NearNull<float>&, Tentative<float>&);
template void orthonormalise(Queue&, const Aggregates&, const NearNull<double>&, Tentative<double>&);

}  // namespace millrace::cuda
