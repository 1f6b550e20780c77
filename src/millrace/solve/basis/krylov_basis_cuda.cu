// The operations on a Krylov basis on a GPU: one kernel each, which reads it once. One block per multiprocessor walks
// its own rows; the second kernel of a step walks them backwards, so that it begins with what the cache still holds.
#include "millrace/base/mailbox.cuh"
#include "millrace/base/occupancy.cuh"
#include "millrace/solve/basis/krylov_basis.cuh"

namespace millrace::cuda {
namespace {

using namespace krylov;
using detail::ArnoldiScalars, detail::Team, detail::arnoldi_work, detail::finish_arnoldi_step, detail::num_arnoldi_sums,
    detail::solve_least_squares;

// Mapping  one block per run of rows, tile by tile; a thread holds its rows of u and w and meets four vectors at once,
//          while the next four are under way. The last block to arrive adds all sums and ends the step.
// Traffic  k vectors of the basis, u and w once; 2 k + 3 sums per block.
// Result   repeatable: rows, warps and the tree over the blocks depend on the length alone; no atomics on sums.
// Shared   2 k + 3 sums per warp; in the last block the totals and the small matrices' columns.
template <class A, class S>
__global__ void __launch_bounds__(threads, 1)
    project_kernel(const S* v, std::int64_t stride, std::int64_t n, int k, const A* u, const A* w,
                   Arnoldi<Wide<A>> arnoldi, A* parts, unsigned* arrived, MailboxView mail) {
  extern __shared__ double2 s_memory[];
  if (!arnoldi.now->building) return;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const int num = num_arnoldi_sums(k), blocks = static_cast<int>(gridDim.x);
  A* s_all = reinterpret_cast<A*>(s_memory);  // [warps, num]
  A* s_sums = s_all + warp * num;
  for (int q = lane; q < num; q += 32) s_sums[q] = A{};
  __syncwarp();
  A r_rest[3] = {};
  const Rows rows = rows_of<A>(n, static_cast<int>(blockIdx.x));
  for (int t = 0; t < rows.num_tiles; ++t) {
    const std::int64_t first = rows.begin + t * rows.tile;
    const std::int64_t last = first + rows.tile < rows.end ? first + rows.tile : rows.end;
    add_tile(v, stride, k, u, w, first + threadIdx.x, last, s_sums, r_rest);
  }
#pragma unroll
  for (int q = 0; q < 3; ++q) {
    const A sum = warp_sum_everywhere(r_rest[q]);
    if (lane == 0) s_sums[2 * k + q] = sum;
  }
  __syncthreads();
  for (int q = static_cast<int>(threadIdx.x); q < num; q += threads) {
    A sum = s_all[q];
    for (int other = 1; other < warps; ++other) sum += s_all[other * num + q];
    parts[q * blocks + static_cast<int>(blockIdx.x)] = sum;
  }
  __syncthreads();  // all its sums, before thread 0 says that the block has arrived
  if (!arrive_last(arrived, gridDim.x)) return;
  Wide<A>* s_small = reinterpret_cast<Wide<A>*>(s_memory);
  add_parts(parts, num, blocks, s_small);
  __syncthreads();
  if (!mail) return finish_arnoldi_step(arnoldi, k, w != nullptr, s_small, s_small + num, Team{});
  if (threadIdx.x == 0) ring(mail, num * num_reals<A>);
  for (int q = static_cast<int>(threadIdx.x); q < num; q += threads) hand_over(mail, q, s_small[q]);
}

// Mapping  one block.
// Traffic  the sums of all ranks, from the host.
// Result   repeatable: ranks add in their order.
// Shared   the totals and the small matrices' columns.
template <class W>
__global__ void __launch_bounds__(threads, 1)
    finish_project_kernel(int k, bool with_product, Arnoldi<W> arnoldi, MailboxView mail) {
  extern __shared__ double2 s_memory[];
  if (!arnoldi.now->building) return;
  const int num = num_arnoldi_sums(k);
  W* s_small = reinterpret_cast<W*>(s_memory);
  for (int q = static_cast<int>(threadIdx.x); q < num; q += threads) s_small[q] = wait_for_number<W>(mail, q);
  __syncthreads();
  if (threadIdx.x == 0) end_turn(mail);
  finish_arnoldi_step(arnoldi, k, with_product, s_small, s_small + num, Team{});
}

// Mapping  as project_kernel, tiles from the last to the first.
// Traffic  k vectors of the basis, u and w once; writes vector k and u.
// Result   repeatable: every entry belongs to one thread.
// Shared   the coefficients.
template <class A, class S>
__global__ void __launch_bounds__(threads, 1)
    orthogonalise_kernel(S* v, std::int64_t stride, std::int64_t n, int k, A* u, const A* w, Arnoldi<Wide<A>> arnoldi) {
  extern __shared__ double2 s_memory[];
  constexpr int E = num_entries<A>;
  const ArnoldiScalars<Wide<A>>& now = *arnoldi.now;
  if (!now.building) return;
  A* s_y = reinterpret_cast<A*>(s_memory);  // [2, pad]
  const int pad = padded(k);
  for (int j = static_cast<int>(threadIdx.x); j < pad; j += threads) {
    s_y[j] = j < k ? change_type<A>(-arnoldi.column(arnoldi.s, k)[j]) : A{};
    s_y[pad + j] = j < k && w ? change_type<A>(-arnoldi.column(arnoldi.h, k)[j]) : A{};
  }
  const auto inverse = static_cast<RealOf<A>>(1 / now.alpha), scale = static_cast<RealOf<A>>(now.scale);
  const A newest = change_type<A>(now.last);
  __syncthreads();
  const Rows rows = rows_of<A>(n, static_cast<int>(blockIdx.x));
  S* next = v + k * stride;
  for (int t = rows.num_tiles - 1; t >= 0; --t) {
    const std::int64_t begin = rows.begin + t * rows.tile;
    const std::int64_t last = begin + rows.tile < rows.end ? begin + rows.tile : rows.end;
    const std::int64_t first = begin + threadIdx.x;
    A r_sums[2][E] = {};
    load_vector(r_sums[0], u, first, last);
    if (w) load_vector(r_sums[1], w, first, last);
    add_combination(r_sums, static_cast<const S*>(v), stride, k, s_y, pad, first, last);
#pragma unroll
    for (int e = 0; e < E; ++e) {
      const std::int64_t i = first + e * threads;
      if (i >= last) continue;
      const S vector = change_type<S>(inverse * r_sums[0][e]);
      next[i] = vector;
      if (w) u[i] = scale * (r_sums[1][e] - newest * change_type<A>(vector));
    }
  }
}

// Mapping  as project_kernel.
// Traffic  the vectors of the answer once, d (read too when beta is not 0).
// Result   repeatable: every entry belongs to one thread.
// Shared   the coefficients.
template <class A, class S>
__global__ void __launch_bounds__(threads, 1)
    combine_kernel(const S* v, std::int64_t stride, std::int64_t n, Arnoldi<Wide<A>> arnoldi, bool flexible, const A* u,
                   A beta, A* d) {
  extern __shared__ double2 s_memory[];
  constexpr int E = num_entries<A>;
  const int columns = arnoldi.now->columns, stored = arnoldi.now->stored;
  const int count = flexible || columns < stored ? columns : stored, pad = padded(count);
  const Wide<A>* y = flexible ? arnoldi.y : arnoldi.answer;
  A* s_y = reinterpret_cast<A*>(s_memory);  // [pad]
  for (int j = static_cast<int>(threadIdx.x); j < pad; j += threads) s_y[j] = j < count ? change_type<A>(y[j]) : A{};
  const A u_share = columns > count ? change_type<A>(y[count]) : A{};
  __syncthreads();
  const Rows rows = rows_of<A>(n, static_cast<int>(blockIdx.x));
  for (int t = 0; t < rows.num_tiles; ++t) {
    const std::int64_t begin = rows.begin + t * rows.tile, first = begin + threadIdx.x;
    const std::int64_t last = begin + rows.tile < rows.end ? begin + rows.tile : rows.end;
    A r_sums[1][E] = {}, r_u[E] = {}, r_d[E] = {};
    if (!is_zero(beta)) load_vector(r_d, d, first, last);
    if (columns > count) load_vector(r_u, u, first, last);
    add_combination(r_sums, v, stride, count, s_y, pad, first, last);
#pragma unroll
    for (int e = 0; e < E; ++e) {
      const std::int64_t i = first + e * threads;
      if (i < last) d[i] = multiply_add(beta, r_d[e], multiply_add(u_share, r_u[e], r_sums[0][e]));
    }
  }
}

constexpr int strip = 32;  // rows of a block that rotates

// Mapping  one block per 32 rows, which it holds of all vectors; one warp per four new vectors, one lane per row.
// Traffic  reads `from`, writes `to` vectors; the coefficients from the cache.
// Result   repeatable: every entry belongs to one thread.
// Shared   [from, 32] entries.
template <class A, class S>
__global__ void __launch_bounds__(256)
    rotate_kernel(S* v, std::int64_t stride, std::int64_t n, int from, int to, const Wide<A>* y) {
  extern __shared__ double2 s_memory[];
  A* s_rows = reinterpret_cast<A*>(s_memory);
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t i = blockIdx.x * std::int64_t{strip} + lane;
  for (int j = warp; j < from; j += 8) s_rows[j * strip + lane] = i < n ? change_type<A>(v[j * stride + i]) : A{};
  __syncthreads();
  for (int c = chunk * warp; c < to; c += chunk * 8) {
    A r_sums[chunk] = {};
    for (int j = 0; j < from; ++j) {
      const A value = s_rows[j * strip + lane];
#pragma unroll
      for (int q = 0; q < chunk; ++q)
        r_sums[q] = multiply_add(value, change_type<A>(y[(c + q < to ? c + q : c) * from + j]), r_sums[q]);
    }
#pragma unroll
    for (int q = 0; q < chunk; ++q)
      if (c + q < to && i < n) v[(c + q) * stride + i] = change_type<S>(r_sums[q]);
  }
}

// Mapping  grid-stride over the entries.
// Traffic  the vector once, x once.
// Result   repeatable: every entry belongs to one thread.
template <class A, class S>
__global__ void __launch_bounds__(256) take_out_kernel(const S* v, std::int64_t n, A* x) {
  for (std::int64_t i = blockIdx.x * std::int64_t{256} + threadIdx.x; i < n; i += gridDim.x * std::int64_t{256})
    x[i] = change_type<A>(v[i]);
}

// Mapping  one block; one thread per row or column of the small triangle.
// Traffic  the triangle and s, m (m + 1) numbers.
// Result   repeatable: every entry belongs to one thread.
template <class W>
__global__ void __launch_bounds__(64) least_squares_kernel(Arnoldi<W> arnoldi) {
  solve_least_squares(arnoldi, Team{});
}

}  // namespace

template <class A, class S>
void KrylovKernels<A, S>::project(Queue& queue, const Comm& comm, const S* v, std::int64_t stride, std::int64_t n,
                                  int max_vectors, int k, const A* u, const A* w, const Small& arnoldi) {
  const DeviceGuard guard(queue.device());
  const MailboxView mail = mailbox_for_sums(queue, comm);
  const auto blocks = static_cast<unsigned>(rows_of<A>(n, 0).num_blocks);
  const int num = num_arnoldi_sums(k);
  const auto parts =
      queue.scratch<A>(std::int64_t{num_arnoldi_sums(max_vectors)} * blocks);  // the same size every time
  const auto arrived = queue.zeros(1);
  const auto shared = static_cast<std::size_t>(warps * num) * sizeof(A);
  allow_shared(project_kernel<A, S>, shared);
  project_kernel<A, S>
      <<<blocks, threads, shared, queue.stream()>>>(v, stride, n, k, u, w, arnoldi, parts.data(), arrived.data(), mail);
  check_launch("project_kernel", queue.stream());
  if (!mail) return;
  queue.mailbox().pass(queue);
  finish_project_kernel<W><<<1, threads, static_cast<std::size_t>(num + arnoldi_work(k)) * sizeof(W), queue.stream()>>>(
      k, w != nullptr, arnoldi, mail);
  check_launch("finish_project_kernel", queue.stream());
}

template <class A, class S>
void KrylovKernels<A, S>::orthogonalise(Queue& queue, S* v, std::int64_t stride, std::int64_t n, int k, A* u,
                                        const A* w, const Small& arnoldi) {
  const DeviceGuard guard(queue.device());
  const auto blocks = static_cast<unsigned>(rows_of<A>(n, 0).num_blocks);
  const auto shared = static_cast<std::size_t>(2 * padded(k)) * sizeof(A);
  orthogonalise_kernel<A, S><<<blocks, threads, shared, queue.stream()>>>(v, stride, n, k, u, w, arnoldi);
  check_launch("orthogonalise_kernel", queue.stream());
}

template <class A, class S>
void KrylovKernels<A, S>::combine(Queue& queue, const S* v, std::int64_t stride, std::int64_t n, const Small& arnoldi,
                                  bool flexible, const A* u, A beta, A* d) {
  const DeviceGuard guard(queue.device());
  const auto blocks = static_cast<unsigned>(rows_of<A>(n, 0).num_blocks);
  const auto shared = static_cast<std::size_t>(padded(arnoldi.max_columns)) * sizeof(A);
  combine_kernel<A, S><<<blocks, threads, shared, queue.stream()>>>(v, stride, n, arnoldi, flexible, u, beta, d);
  check_launch("combine_kernel", queue.stream());
}

template <class A, class S>
void KrylovKernels<A, S>::rotate(Queue& queue, S* v, std::int64_t stride, std::int64_t n, int from, int to,
                                 const W* y) {
  if (n == 0) return;
  const DeviceGuard guard(queue.device());
  const auto shared = static_cast<std::size_t>(from * strip) * sizeof(A);
  allow_shared(rotate_kernel<A, S>, shared);
  rotate_kernel<A, S><<<num_blocks(n, strip), 256, shared, queue.stream()>>>(v, stride, n, from, to, y);
  check_launch("rotate_kernel", queue.stream());
}

template <class A, class S>
void KrylovKernels<A, S>::take_out(Queue& queue, const S* v, std::int64_t n, A* x) {
  if (n == 0) return;
  const DeviceGuard guard(queue.device());
  take_out_kernel<A, S>
      <<<std::min(num_blocks(n, 1024), 32u * reference_multiprocessors), 256, 0, queue.stream()>>>(v, n, x);
  check_launch("take_out_kernel", queue.stream());
}

template <class W>
void least_squares(Queue& queue, const Arnoldi<W>& arnoldi) {
  const DeviceGuard guard(queue.device());
  least_squares_kernel<W><<<1, 64, 0, queue.stream()>>>(arnoldi);
  check_launch("least_squares_kernel", queue.stream());
}

template struct KrylovKernels<float, float>;
template struct KrylovKernels<double, double>;
template struct KrylovKernels<double, float>;
template struct KrylovKernels<Complex<float>, Complex<float>>;
template struct KrylovKernels<Complex<double>, Complex<double>>;
template struct KrylovKernels<Complex<double>, Complex<float>>;
template void least_squares(Queue&, const Arnoldi<double>&);
template void least_squares(Queue&, const Arnoldi<Complex<double>>&);

}  // namespace millrace::cuda
