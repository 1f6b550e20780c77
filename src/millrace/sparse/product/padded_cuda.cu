// The padded formats on a GPU: a thread walks its row, neighbouring threads read neighbouring slots, and the loads of
// several entries are in flight before the first is used.
#include "millrace/sparse/product/padded_cuda.cuh"

#include "millrace/sparse/product/row_dot_cuda.cuh"
#include "millrace/sparse/product/rows_cuda.cuh"

namespace millrace::cuda {
namespace {

/// Entries of a row in flight: 4 for one vector (8 are no faster on an H200), 2 for several.
template <int K>
constexpr int batch = K == 1 ? 4 : 2;

/// Sums the entries of a row: load(k) brings what is stored of the column of entry k, column(k, that) reads it,
/// value(k) is its value. All of a batch are on their way before the first is read, and the first batch, up to the
/// width of the slice, before length() is known.
template <int K, class A, class Length, class Value, class Load, class Column>
__device__ void sum_row(Index width, Length length, Value value, Load load, Column column, const A* __restrict__ x,
                        std::int64_t ldx, A (&r_sum)[K]) {
  constexpr int U = batch<K>;
#pragma unroll 1
  for (Index k = 0, end = width; k < end; k += U) {
    decltype(load(k)) r_stored[U];
    A r_vals[U]{}, r_x[U][K]{};
#pragma unroll
    for (int u = 0; u < U; ++u)
      if (k + u < end) r_stored[u] = load(k + u), r_vals[u] = value(k + u);
    if (k == 0) end = length();
#pragma unroll
    for (int u = 0; u < U; ++u)
      if (k + u < end) {
        const Index c = column(k + u, r_stored[u]);
        if (c >= 0)  // ELLPACK without row lengths marks its padding
#pragma unroll
          for (int j = 0; j < K; ++j) r_x[u][j] = x[j * ldx + c];
      }
#pragma unroll
    for (int u = 0; u < U; ++u)  // padding is 0, and so is its x
#pragma unroll
      for (int j = 0; j < K; ++j) r_sum[j] = multiply_add(r_vals[u], r_x[u][j], r_sum[j]);
  }
}

/// The same, eight at a time, with the next eight on their way while x is: where all rows run at once only latency
/// counts. Measured on an H200 with real matrices: 0 to 40 % faster, cold 0 to 15 %; four at a time are slower cold.
template <class A, class Length, class Value, class Load>
__device__ void sum_row_pipelined(Index width, Length length, Value value, Load load, const A* __restrict__ x, A& sum) {
  constexpr int U = 8;
  Index r_cols[U];
  A r_vals[U];
  const auto fetch = [&](Index k, Index end) {
#pragma unroll
    for (int u = 0; u < U; ++u) {
      r_cols[u] = k + u < end ? load(k + u) : -1;
      r_vals[u] = k + u < end ? value(k + u) : A{};
    }
  };
  fetch(0, width);
  const Index end = length();
#pragma unroll 1
  for (Index k = 0; k < end; k += U) {
    A r_now[U], r_x[U]{};
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (k + u < end && r_cols[u] >= 0) r_x[u] = x[r_cols[u]];
      r_now[u] = r_vals[u];
    }
    if (k + U < end) fetch(k + U, end);
#pragma unroll
    for (int u = 0; u < U; ++u) sum = multiply_add(r_now[u], r_x[u], sum);
  }
}

/// The product of a stored row of slices.
template <bool Pipelined, int K, class A, class S, class I>
__device__ void sum_row_of(const SlicedView<A, S, I>& a, Index r, const A* __restrict__ x, std::int64_t ldx,
                           A (&r_sum)[K]) {
  const Index slice = a.slice_of(r), stride = a.stride_of(slice), about = a.shortest[slice], width = a.width(slice);
  const Offset first = a.slice_ptr[slice] + a.in_slice(r);
  const bool runs = about < 0;
  const auto length = [&] { return (runs ? ~about : about) < width && a.row_len ? a.row_len[r] : width; };
  const S* vals = a.vals + first;
  const I* offsets = a.cols.offsets + first;
  const auto value = [&](Index k) { return decode(load_streamed(vals + static_cast<Offset>(k) * stride), a.table); };
  if constexpr (ColumnsView<I>::narrow) {
    const int log2_group = a.cols.log2_group, group = 1 << log2_group, inside = static_cast<int>(first & (group - 1));
    const Index* bases = a.cols.bases + (first >> log2_group);
    struct Stored {
      Index base, offset;
    };
    const auto load = [&](Index k) {  // narrow slices have less than 2^31 slots
      const Index to = k * stride, place = inside + to;
      return Stored{bases[place >> log2_group], runs ? place & (group - 1) : Index{load_streamed(offsets + to)}};
    };
    const auto column = [&](Index k, Stored stored) {
      if (stored.base >= 0) return stored.base + stored.offset;
      return a.cols.wide[(static_cast<Offset>(~stored.base) << log2_group) + ((inside + k * stride) & (group - 1))];
    };
    sum_row(width, length, value, load, column, x, ldx, r_sum);
  } else {
    const auto load = [&](Index k) { return load_streamed(offsets + static_cast<Offset>(k) * stride); };
    if constexpr (Pipelined)
      sum_row_pipelined(width, length, value, load, x, r_sum[0]);
    else
      sum_row(
          width, length, value, load, [](Index, Index c) { return c; }, x, ldx, r_sum);
  }
}

/// The product of a stored row of jagged columns.
template <bool, int K, class A, class S, class I>
__device__ void sum_row_of(const JaggedView<A, S, I>& a, Index r, const A* __restrict__ x, std::int64_t ldx,
                           A (&r_sum)[K]) {
  const Index length = a.row_len[r];
  sum_row(
      length, [&] { return length; }, [&](Index k) { return a.value(a.slot(r, k)); },
      [&](Index k) { return a.cols(a.slot(r, k)); }, [](Index, Index c) { return c; }, x, ldx, r_sum);
}

template <class View>
constexpr bool is_narrow_slices = false;
template <class A, class S, class I>
constexpr bool is_narrow_slices<SlicedView<A, S, I>> = ColumnsView<I>::narrow;

/// May loads of rows be pipelined? Only of plain real slices, to keep the number of kernels small.
template <class View>
constexpr bool can_be_pipelined = false;
template <class A>
constexpr bool can_be_pipelined<SlicedView<A, A, Index>> = !is_complex<A>;
constexpr Index max_pipelined_rows = 300000;
constexpr int pipelined_threads = 64;  // of a block, so that few rows are shared out evenly

/// Thread blocks that fit a multiprocessor: as many as registers allow without spilling, for latency is what they hide.
template <bool Pipelined, int K, class A, class View, class Dot>
constexpr int resident = Pipelined                              ? 12
                         : is_complex<A>                        ? 3
                         : K > 1                                ? 4
                         : is_narrow_slices<View> || Dot::asked ? 5
                                                                : 6;

// Mapping  one thread per stored row, K vectors at once; a dot product belongs to the only vector.
// Traffic  slots with their columns up to the length of the row, without offsets where columns run with the rows;
//          slice extents, row lengths where rows are unequal, y once, x by gathers.
// Result   repeatable: every row is summed in its order.
template <bool Pipelined, int K, class View, class A, class Dot>
__global__ void __launch_bounds__(Pipelined ? pipelined_threads : dot_threads, resident<Pipelined, K, A, View, Dot>)
    multiply_padded(View a, A alpha, const A* __restrict__ x, std::int64_t ldx, A beta, A* __restrict__ y,
                    std::int64_t ldy, Dot dot) {
  const std::int64_t row = blockIdx.x * std::int64_t{Pipelined ? pipelined_threads : dot_threads} + threadIdx.x;
  A product{};
  if (row < a.num_rows) {
    A r_sum[K]{};
    sum_row_of<Pipelined>(a, static_cast<Index>(row), x, ldx, r_sum);
    const Index out = a.output_row(static_cast<Index>(row));
#pragma unroll
    for (int j = 0; j < K; ++j) update(y[j * ldy + out], alpha, r_sum[j], beta);
    if constexpr (Dot::asked) product = dot.of_row(x, out, y[out]);
  }
  dot.add(product);
}

template <class View, class A>
void multiply_view(Queue& queue, const View& a, A alpha, const Vectors<const A>& x, A beta, const Vectors<A>& y,
                   const DotRequest<A>& dot) {
  if (a.num_rows == 0) return;
  launch_with_dot(queue, a.num_rows, x.num, dot, [&]<int K>(int v, auto row_dot) {
    const auto launch = [&]<bool Pipelined>() {
      constexpr int threads = Pipelined ? pipelined_threads : dot_threads;
      multiply_padded<Pipelined, K><<<num_blocks(a.num_rows, threads), threads, 0, queue.stream()>>>(
          a, alpha, x.data + v * x.stride, x.stride, beta, y.data + v * y.stride, y.stride, row_dot);
      check_launch("multiply_padded", queue.stream());
    };
    if constexpr (can_be_pipelined<View> && K == 1 && !decltype(row_dot)::asked)
      if (a.num_rows <= max_pipelined_rows) return launch.template operator()<true>();
    launch.template operator()<false>();
  });
}

}  // namespace

template <class A, class S, class I>
void multiply(Queue& queue, const SlicedView<A, S, I>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y, const DotRequest<A>& dot) {
  multiply_view(queue, a, alpha, x, beta, y, dot);
}
template <class A, class S, class I>
void multiply(Queue& queue, const JaggedView<A, S, I>& a, A alpha, const Vectors<const A>& x, A beta,
              const Vectors<A>& y, const DotRequest<A>& dot) {
  multiply_view(queue, a, alpha, x, beta, y, dot);
}

#define MILLRACE_INSTANTIATE_COLUMNS(A, S, I)                                                                  \
  template void multiply(Queue&, const SlicedView<A, S, I>&, A, const Vectors<const A>&, A, const Vectors<A>&, \
                         const DotRequest<A>&);                                                                \
  template void multiply(Queue&, const JaggedView<A, S, I>&, A, const Vectors<const A>&, A, const Vectors<A>&, \
                         const DotRequest<A>&)
#define MILLRACE_INSTANTIATE(A, S)                   \
  MILLRACE_INSTANTIATE_COLUMNS(A, S, Index);         \
  MILLRACE_INSTANTIATE_COLUMNS(A, S, std::uint16_t); \
  MILLRACE_INSTANTIATE_COLUMNS(A, S, std::uint8_t)
MILLRACE_INSTANTIATE(float, float);
MILLRACE_INSTANTIATE(double, double);
MILLRACE_INSTANTIATE(double, float);
MILLRACE_INSTANTIATE(float, std::uint8_t);
MILLRACE_INSTANTIATE(float, std::uint16_t);
MILLRACE_INSTANTIATE(double, std::uint8_t);
MILLRACE_INSTANTIATE(double, std::uint16_t);
MILLRACE_INSTANTIATE(Complex<float>, std::uint16_t);
MILLRACE_INSTANTIATE(Complex<double>, std::uint16_t);
MILLRACE_INSTANTIATE(Complex<float>, Complex<float>);
MILLRACE_INSTANTIATE(Complex<double>, Complex<double>);

}  // namespace millrace::cuda
