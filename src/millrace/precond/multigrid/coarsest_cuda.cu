// The inverse of the coarsest matrix on a GPU, one launch per pivot, and products with it.
#include "millrace/base/warp.cuh"
#include "millrace/precond/multigrid/coarsest.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

/// The unused unknown with the largest part of its diagonal left, the first of several; -1: none has more than nothing.
/// All threads of a block know it.
__device__ int find_pivot(Index n, const double* m, const double* size, const int* used, int step, double nothing) {
  __shared__ double s_most[256];
  __shared__ int s_best[256];
  double most = nothing;
  int best = -1;
  for (Index r = static_cast<Index>(threadIdx.x); r < n; r += 256) {
    if ((used[r] > 0 && used[r] <= step) || !(size[r] > 0)) continue;
    const double part = fabs(m[Offset{r} * n + r]) / size[r];
    if (part > most) most = part, best = r;
  }
  s_most[threadIdx.x] = most;
  s_best[threadIdx.x] = best;
  __syncthreads();
  for (unsigned half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      const double other = s_most[threadIdx.x + half];
      const int other_best = s_best[threadIdx.x + half], own_best = s_best[threadIdx.x];
      const bool better = other_best >= 0 && (own_best < 0 || other > s_most[threadIdx.x] ||
                                              (other == s_most[threadIdx.x] && other_best < own_best));
      if (better) s_most[threadIdx.x] = other, s_best[threadIdx.x] = other_best;
    }
    __syncthreads();
  }
  return s_best[0];
}

// Mapping  one thread per entry of the matrix; every block finds the pivot by itself.
// Traffic  the matrix read and written, from the second-level cache; its diagonal once per block.
// Result   repeatable. `used` gets step + 1 at the pivot: within the launch it still counts as unused.
__global__ void __launch_bounds__(256) eliminate(Index n, const double* __restrict__ in, double* __restrict__ out,
                                                 const double* size, int* used, int step, double nothing) {
  const int best = find_pivot(n, in, size, used, step, nothing);
  const Offset i = blockIdx.x * Offset{256} + threadIdx.x;
  if (i == 0 && best >= 0) used[best] = step + 1;
  if (i >= Offset{n} * n) return;
  const auto r = static_cast<Index>(i / n), c = static_cast<Index>(i % n);
  const double own = in[i];
  if (best < 0) {
    out[i] = own;
    return;
  }
  const double inverse = 1 / in[Offset{best} * n + best];
  if (r == best) {
    out[i] = c == best ? inverse : own * inverse;
    return;
  }
  const double factor = in[Offset{r} * n + best] * inverse;
  out[i] = c == best ? -factor : own - factor * in[Offset{best} * n + c];
}

// Mapping  one warp per row of the inverse.
// Traffic  the inverse once, b from caches.
// Result   repeatable: a tree of the warp.
template <class W>
__global__ void __launch_bounds__(128) multiply_dense(Index n, const W* inverse, const W* b, W* x) {
  const Index r = static_cast<Index>(blockIdx.x * 4 + threadIdx.x / 32);
  if (r >= n) return;
  const W* const row = inverse + Offset{r} * n;
  W sum = 0;
  for (Index c = static_cast<Index>(threadIdx.x % 32); c < n; c += 32) sum += row[c] * b[c];
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) x[r] = sum;
}

}  // namespace

template <class W>
Index invert(Queue& queue, const Csr<W>& a, double* factors, double* work, int* used, W* inverse) {
  DeviceSteps steps(queue);
  const Index n = a.num_rows;
  const Offset all = Offset{n} * n;
  double *in = factors, *out = factors + all;
  steps.for_each(all, [=] __device__(Offset i) { in[i] = 0; });
  const MatrixView<W> view = view_of(a);
  steps.for_each(n, [=] __device__(Offset r) {
    for (Offset s = view.begin(r); s < view.begin(r + 1); ++s)
      in[r * n + view.column(s)] += static_cast<double>(view.value(s));
    work[r] = fabs(in[r * n + r]);
    used[r] = 0;
  });
  for (int step = 0; step < n; ++step) {
    eliminate<<<num_blocks(all, 256), 256, 0, queue.stream()>>>(n, in, out, work, used, step, no_pivot<W>);
    std::swap(in, out);
  }
  check_launch("eliminate", queue.stream());
  const double* const made = in;
  steps.for_each(all, [=] __device__(Offset i) {
    inverse[i] = used[i / n] == 0 || used[i % n] == 0 ? W{0} : static_cast<W>(made[i]);
  });
  return static_cast<Index>(steps.sum(n, [=] __device__(Offset r) { return Offset{used[r] == 0}; }));
}

template <class W>
void apply_inverse(Queue& queue, Index num_rows, const W* inverse, const W* b, W* x) {
  if (num_rows == 0) return;
  const DeviceGuard guard(queue.device());
  multiply_dense<<<num_blocks(num_rows, 4), 128, 0, queue.stream()>>>(num_rows, inverse, b, x);
  check_launch("multiply_dense", queue.stream());
}

template Index invert(Queue&, const Csr<float>&, double*, double*, int*, float*);
template Index invert(Queue&, const Csr<double>&, double*, double*, int*, double*);
template void apply_inverse(Queue&, Index, const float*, const float*, float*);
template void apply_inverse(Queue&, Index, const double*, const double*, double*);

}  // namespace millrace::cuda
