// Our own product of a table with many columns. The table stays in shared memory, columns stream past it: a warp brings
// 16 of them, multiplies them (double: on fp64 tensor cores) and writes the products as they lie in memory.
#include <cuda_pipeline.h>

#include "millrace/base/dispatch.hpp"
#include "millrace/base/occupancy.cuh"
#include "millrace/base/tensor_core.cuh"
#include "millrace/fem/gemm/gemm_cuda.hpp"
#include "millrace/fem/gemm/layout.hpp"

namespace millrace::cuda {
namespace {

template <class T>
struct GemmArgs {
  int m, k;
  std::int64_t n, eta;  // columns, and those of a thread block
  GemmTiling tiling;
  const T* table;  // entry (r, c): table[r row_step + c col_step]
  int row_step, col_step;
  const T* in;  // [n, k]
  T* out;       // [n, m]
  bool add;
};

/// 16 bytes of memory.
template <class T>
struct alignas(16) Packet {
  static constexpr int size = 16 / sizeof(T);
  T v[size];
};
template <class T>
__device__ bool fits_packets(const T* p) {
  return reinterpret_cast<std::uintptr_t>(p) % 16 == 0;
}

/// A warp with 16 columns and, of each, R tiles of 8 rows in registers: a lane has the rows 2 (lane % 4) and the next
/// of every tile, of the columns lane / 4 and lane / 4 + 8.
template <class T, int R>
struct GemmWarp {
  const GemmArgs<T>& a;
  const T* s_table;  // [table_rows, stride]
  T* s_out;          // [16, rows]
  int lane, first_row, rows;

  /// Begins to bring `columns` columns, from `column` on, to shared memory.
  __device__ void fetch(std::int64_t column, int columns, T* s_to) const {
    const T* from = a.in + column * a.k;
    const int size = columns * a.k, whole = fits_packets(from) ? size / Packet<T>::size * Packet<T>::size : 0;
#pragma unroll 2
    for (int i = lane * Packet<T>::size; i < whole; i += 32 * Packet<T>::size)
      __pipeline_memcpy_async(s_to + i, from + i, 16);
#pragma unroll 1
    for (int i = whole + lane; i < size; i += 32) __pipeline_memcpy_async(s_to + i, from + i, sizeof(T));
  }

  /// Adds the products with the entries 4 step .. + 3 of the columns; `left`: how many of them there are.
  __device__ __forceinline__ void add_step(const T* left_of, const T* right_of, int first_tile, int step, int left,
                                           T (&r_sum)[R][2][2]) const {
    const int stride = a.tiling.stride;
    if constexpr (std::is_same_v<T, double>) {
      const int c = lane % 4;
      const double r_left[2] = {c < left ? left_of[4 * step + c] : 0, c < left ? right_of[4 * step + c] : 0};
      const double* s_row = s_table + (8 * first_tile + lane / 4) * stride + 4 * step + c;
#pragma unroll
      for (int i = 0; i < R; ++i) multiply_halves<2>(r_sum[i], r_left, s_row[8 * i * stride]);
    } else {
      T r_left[2][4];
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        r_left[0][c] = c < left ? left_of[4 * step + c] : T{};
        r_left[1][c] = c < left ? right_of[4 * step + c] : T{};
      }
      const T* s_row = s_table + (8 * first_tile + 2 * (lane % 4)) * stride + 4 * step;
#pragma unroll
      for (int i = 0; i < R; ++i)
#pragma unroll
        for (int q = 0; q < 2; ++q) {
          const Packet<T> r_table = *reinterpret_cast<const Packet<T>*>(s_row + (8 * i + q) * stride);
#pragma unroll
          for (int h = 0; h < 2; ++h)
#pragma unroll
            for (int c = 0; c < 4; ++c) r_sum[i][h][q] = fma(r_left[h][c], r_table.v[c], r_sum[i][h][q]);
        }
    }
  }

  /// The products of R tiles of rows with 16 columns, of which this lane reads two, to s_out.
  __device__ __forceinline__ void multiply(const T* left_of, const T* right_of, int first_tile) const {
    T r_sum[R][2][2]{};
    const int steps = a.k / 4;
#pragma unroll 4
    for (int step = 0; step < steps; ++step) add_step(left_of, right_of, first_tile, step, 4, r_sum);
    if (a.k % 4 != 0) add_step(left_of, right_of, first_tile, steps, a.k % 4, r_sum);
#pragma unroll
    for (int i = 0; i < R; ++i)
#pragma unroll
      for (int q = 0; q < 2; ++q) {
        const int row = 8 * (first_tile + i) + 2 * (lane % 4) + q;
#pragma unroll
        for (int h = 0; h < 2; ++h)
          if (row < rows) s_out[(lane / 4 + 8 * h) * rows + row] = r_sum[i][h][q];
      }
  }

  /// From s_out to memory: in one piece where the slab has all rows.
  __device__ void store(std::int64_t column, int columns) const {
    if (rows < a.m) {
#pragma unroll 1
      for (int f = 0; f < columns; ++f) {
        T* to = a.out + (column + f) * a.m + first_row;
#pragma unroll 2
        for (int r = lane; r < rows; r += 32) to[r] = a.add ? to[r] + s_out[f * rows + r] : s_out[f * rows + r];
      }
      return;
    }
    T* to = a.out + column * a.m;
    const int size = columns * rows, whole = fits_packets(to) ? size / Packet<T>::size * Packet<T>::size : 0;
#pragma unroll 2
    for (int i = lane * Packet<T>::size; i < whole; i += 32 * Packet<T>::size) {
      Packet<T> r_new = *reinterpret_cast<const Packet<T>*>(s_out + i);
      if (a.add) {
        const Packet<T> r_old = *reinterpret_cast<const Packet<T>*>(to + i);
#pragma unroll
        for (int v = 0; v < Packet<T>::size; ++v) r_new.v[v] += r_old.v[v];
      }
      *reinterpret_cast<Packet<T>*>(to + i) = r_new;
    }
#pragma unroll 1
    for (int i = whole + lane; i < size; i += 32) to[i] = a.add ? to[i] + s_out[i] : s_out[i];
  }
};

/// The slab of the table, with zeros where rows and columns fill up.
template <class T>
__device__ void load_table(const GemmArgs<T>& a, int first_row, T* s_table) {
  const int stride = a.tiling.stride, size = a.tiling.table_size(), threads = static_cast<int>(blockDim.x);
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < size; i += threads) {
    const int r = i / stride, c = i - r * stride;
    const bool exists = first_row + r < a.m && r < a.tiling.rows && c < a.k;
    s_table[i] = exists ? a.table[std::int64_t{first_row + r} * a.row_step + std::int64_t{c} * a.col_step] : T{};
  }
}

// Mapping  a thread block takes a slab of rows and eta columns, its warps groups of 16 columns, R tiles of rows at
// once. Traffic  columns once (a slab after another finds them in the second cache), products once, twice where they
// are added;
//          the table once per thread block, from the second cache.
// Shared   the slab of the table; of every warp the products of 16 columns and, staged, groups of columns.
// Result   repeatable: entries of a column are summed ascending, 4 at a time.
template <class T, int R>
__global__ void __launch_bounds__(256, 1) multiply_table_by_warps(const __grid_constant__ GemmArgs<T> args) {
  extern __shared__ __align__(16) char s_bytes[];
  T* s_table = reinterpret_cast<T*>(s_bytes);
  const GemmTiling& tiling = args.tiling;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  const int slab = static_cast<int>(blockIdx.x % static_cast<unsigned>(tiling.num_slabs));
  const int first_row = slab * tiling.rows, rows = min(tiling.rows, args.m - first_row);
  const std::int64_t begin = blockIdx.x / static_cast<unsigned>(tiling.num_slabs) * args.eta;
  const std::int64_t end = min(args.n, begin + args.eta), width = gemm_columns * tiling.warps;
  T* s_in = s_table + tiling.table_size() + warp * tiling.warp_size(args.k);
  const int size = tiling.in_size(args.k), stages = tiling.stages;
  const GemmWarp<T, R> team{args, s_table, s_in + stages * size, lane, first_row, rows};
  const auto columns = [&](std::int64_t first) {
    return static_cast<int>(min(end - first, std::int64_t{gemm_columns}));
  };
  const auto fetch = [&](std::int64_t first, int stage) {
    if (tiling.staged && first < end) team.fetch(first, columns(first), s_in + stage * size);
    __pipeline_commit();
  };
  std::int64_t at = begin + gemm_columns * warp;
#pragma unroll 1
  for (int stage = 0; stage + 1 < stages; ++stage) fetch(at + stage * width, stage);
  load_table(args, first_row, s_table);
  __syncthreads();
  for (int stage = 0; at < end; at += width, stage = (stage + 1) & (stages - 1)) {
    const int here = columns(at), c = lane / 4;
    const T* group = args.in + at * args.k;
    if (tiling.staged) {
      group = s_in + stage * size;
      fetch(at + (stages - 1) * width, (stage + stages - 1) & (stages - 1));
      if (stages == 2)
        __pipeline_wait_prior(1);
      else
        __pipeline_wait_prior(3);
      __syncwarp();  // all lanes have their part of these columns
    }
    const T *left_of = group + min(c, here - 1) * args.k, *right_of = group + min(c + 8, here - 1) * args.k;
#pragma unroll 1
    for (int tile = 0; 8 * tile < rows; tile += R) team.multiply(left_of, right_of, tile);
    __syncwarp();  // s_out is complete
    team.store(at, here);
    __syncwarp();  // and free again, as are the columns
  }
}

}  // namespace

template <class T>
void multiply_by_own_kernel(Queue& queue, const GemmShape& shape, int eta, const T* table, const T* in, T* out,
                            Write write) {
  const GemmTiling tiling = gemm_tiling(shape.m, shape.k, sizeof(T));
  require<Unsupported>(tiling.num_slabs > 0, "own GEMM on a GPU: a table of ", shape.m, " x ", shape.k,
                       " numbers; eight of its rows must fit into shared memory, as up to about 3000 in double do");
  const DeviceGuard guard(queue.device());
  dispatch<1, 2, 3, 4, 6>("tiles of rows", tiling.tiles, [&]<int R>() {
    const auto kernel = multiply_table_by_warps<T, R>;
    allow_shared(kernel, tiling.shared_bytes);
    const int threads = 32 * tiling.warps;
    std::int64_t columns = eta;
    if (eta == 0) {  // one wave of thread blocks, each with whole groups of columns
      const int fit = num_resident(queue.device(), kernel, threads, tiling.shared_bytes);
      const std::int64_t blocks = std::max(1, fit / tiling.num_slabs);
      columns = ((shape.n + blocks - 1) / blocks + gemm_columns - 1) / gemm_columns * gemm_columns;
    }
    const GemmArgs<T> args{.m = shape.m,
                           .k = shape.k,
                           .n = shape.n,
                           .eta = columns,
                           .tiling = tiling,
                           .table = table,
                           .row_step = shape.transposed ? 1 : shape.k,
                           .col_step = shape.transposed ? shape.m : 1,
                           .in = in,
                           .out = out,
                           .add = write == Write::add};
    const std::int64_t blocks = (shape.n + columns - 1) / columns * tiling.num_slabs;
    require<Unsupported>(blocks <= INT32_MAX, "own GEMM on a GPU: ", shape.n, " columns, ", columns,
                         " a thread block, give ", blocks, " thread blocks; ", INT32_MAX, " are possible");
    kernel<<<static_cast<unsigned>(blocks), threads, tiling.shared_bytes, queue.stream()>>>(args);
    check_launch("multiply_table_by_warps", queue.stream());
  });
}

template void multiply_by_own_kernel(Queue&, const GemmShape&, int, const float*, const float*, float*, Write);
template void multiply_by_own_kernel(Queue&, const GemmShape&, int, const double*, const double*, double*, Write);

}  // namespace millrace::cuda
