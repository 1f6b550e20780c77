// The coarse matrix on a GPU where nodes have several unknowns, or rows are long: unions of rows for the patterns, then
// values by threads and warps that own their sums. sum_coarse_cuda.cu makes the others.
#include "millrace/base/search.hpp"
#include "millrace/precond/multigrid/row_of_entries.cuh"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/precond/multigrid/transpose_cuda.cuh"
#include "millrace/precond/multigrid/union_rows.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

/// Columns of A P: those of P in the rows that a node's rows of A name.
struct ProductColumns {
  convert::Rows a;
  Index block;
  RowsView p;

  __device__ Offset bound(Offset node) const {
    Offset sum = 0;
    for (Offset s = a.begin(node * block), end = a.begin((node + 1) * block); s < end; ++s)
      sum += p.length(a.cols[s] / block);
    return sum;
  }
  template <class F>
  __device__ void visit(Offset node, int lane, int num_lanes, F&& f) const {
    for (Offset s = a.begin(node * block) + lane, end = a.begin((node + 1) * block); s < end; s += num_lanes) {
      const Index other = a.cols[s] / block;
      for (Offset q = p.row_ptr[other]; q < p.row_ptr[other + 1]; ++q) f(p.cols[q]);
    }
  }
};

/// Columns of P^T (A P): those of A P in the rows that an aggregate's row of P^T names.
struct CoarseColumns {
  RowsView transposed, product;

  __device__ Offset bound(Offset g) const {
    Offset sum = 0;
    for (Offset t = transposed.row_ptr[g]; t < transposed.row_ptr[g + 1]; ++t)
      sum += product.length(transposed.cols[t]);
    return sum;
  }
  template <class F>
  __device__ void visit(Offset g, int lane, int num_lanes, F&& f) const {
    for (Offset t = transposed.row_ptr[g] + lane; t < transposed.row_ptr[g + 1]; t += num_lanes) {
      const Index node = transposed.cols[t];
      for (Offset s = product.row_ptr[node]; s < product.row_ptr[node + 1]; ++s) f(product.cols[s]);
    }
  }
};

// Mapping  one thread per row of A, vector by vector of P, 8 columns of A P at a time in registers.
// Traffic  A and P once for every 8 columns of a row, A P once.
// Result   repeatable: sums in the order of A's entries.
template <class T>
struct MultiplyRow {
  MatrixView<T> a;
  RowsView p;
  const T* p_values;  // [entries of P, block, num]
  RowsView product;
  Index block, num;
  T* values;  // [entries of A P, block, num]

  __device__ void operator()(Offset row) const {
    for (Index k = 0; k < num; ++k) multiply(static_cast<Index>(row), k);
  }

 private:
  __device__ void multiply(Index r, Index k) const {  // vector k of P, row r of A
    constexpr int width = 8;
    const Index node = r / block, c = r - node * block;
    const Offset begin = product.row_ptr[node], end = product.row_ptr[node + 1];
    for (Offset at = begin; at < end; at += width) {
      Index cols[width];
      T sums[width];
#pragma unroll
      for (int w = 0; w < width; ++w) cols[w] = at + w < end ? product.cols[at + w] : -1, sums[w] = T{0};
      for (Offset s = a.begin(r); s < a.begin(r + 1); ++s) {
        const T value = a.value(s);
        const Index other = a.column(s) / block, d = a.column(s) % block;
        for (Offset q = p.row_ptr[other]; q < p.row_ptr[other + 1]; ++q) {
          const Index column = p.cols[q];
          const T part = value * p_values[(q * block + d) * num + k];
#pragma unroll
          for (int w = 0; w < width; ++w)
            if (cols[w] == column) sums[w] += part;
        }
      }
#pragma unroll
      for (int w = 0; w < width; ++w)
        if (at + w < end) values[((at + w) * block + c) * num + k] = sums[w];
    }
  }
};

/// What the second step reads.
template <class T>
struct Restriction {
  RowsView transposed;
  const Offset* entries;  // [entries of P^T]: where P stores them
  const T* p_values;      // [entries of P, block, num]
  RowsView product;
  const T* values;  // [entries of A P, block, num]
  RowsView coarse;
  Index block, num;
};

// Mapping  one warp per coarse row of blocks, a lane per number of it.
// Traffic  of A P a row for every entry of P^T and number, from caches.
// Result   repeatable: sums in the order of P^T.
template <class T>
__global__ void __launch_bounds__(128) restrict_any(Restriction<T> in, Offset num_rows, T* out) {
  const Offset g = blockIdx.x * Offset{4} + threadIdx.x / 32;
  if (g >= num_rows) return;
  const Offset start = in.coarse.row_ptr[g];
  const Index length = in.coarse.length(g), block = in.block, num = in.num;
  const Offset size = Offset{length} * num * num;  // [num, length, num]
  for (Offset e = threadIdx.x % 32; e < size; e += 32) {
    const auto k = static_cast<Index>(e % num), place = static_cast<Index>(e / num % length),
               i = static_cast<Index>(e / num / length);
    const Index column = in.coarse.cols[start + place];
    T sum = 0;
    for (Offset t = in.transposed.row_ptr[g]; t < in.transposed.row_ptr[g + 1]; ++t) {
      const Index node = in.transposed.cols[t];
      const Offset last = in.product.row_ptr[node + 1];
      const Offset s = first_at_least(in.product.cols, in.product.row_ptr[node], last, column);
      if (s == last || in.product.cols[s] != column) continue;
      const T* const weights = in.p_values + in.entries[t] * block * num;
      const T* const from = in.values + s * block * num;
      for (Index c = 0; c < block; ++c) sum += weights[c * num + i] * from[c * num + k];
    }
    out[start * num * num + e] = sum;
  }
}

struct ColumnAt {
  const Index* cols;
  __device__ Index operator()(Offset s) const { return cols[s]; }
};

}  // namespace

void transpose(Queue& queue, const RowPattern& pattern, RowPattern& transposed, Array<Offset>& entries) {
  DeviceSteps steps(queue);
  const RowsView rows = pattern.view();
  const Offset num = pattern.num_entries();
  Array<Index> row_of = steps.scratch<Index>(num);
  Index* const row = row_of.data();
  if (pattern.num_rows > 0) {
    name_rows<<<num_blocks(pattern.num_rows, rows_to_name), rows_to_name, 0, queue.stream()>>>(
        rows, Offset{pattern.num_rows}, row);
    check_launch("name_rows", queue.stream());
  }
  ByColumn sorted = sort_by_column(queue, num, pattern.num_cols, ColumnAt{rows.cols});
  const convert::Place* const place = sorted.places.data();
  entries = Array<Offset>(queue, num);
  transposed = {pattern.num_cols, pattern.num_rows, std::move(sorted.row_ptr), Array<Index>(queue, num)};
  Offset* const entry = entries.data();
  Index* const node = transposed.cols.data();
  steps.for_each(num, [=] __device__(Offset t) {
    entry[t] = place[t];
    node[t] = row[place[t]];
  });
}

template <class T>
void find_patterns(Queue& queue, const Csr<T>& a, const Prolongator<T>& p, const RowPattern& transposed,
                   RowPattern& product, RowPattern& coarse) {
  const Index num_nodes = p.pattern.num_rows, num_coarse = p.pattern.num_cols;
  product = union_rows(queue, num_nodes, num_coarse, ProductColumns{convert::rows_of(a), p.block, p.pattern.view()});
  coarse = union_rows(queue, num_coarse, num_coarse, CoarseColumns{transposed.view(), product.view()});
}

template <class T>
void update_coarse(Queue& queue, const Csr<T>& a, const Prolongator<T>& p, const RowPattern& product,
                   const RowPattern& transposed, const Array<Offset>& entries, const RowPattern& coarse, Csr<T>& out) {
  DeviceSteps steps(queue);
  const auto values = queue.scratch<T>(product.num_entries() * p.block * p.num);
  steps.for_each(a.num_rows, MultiplyRow<T>{view_of(a), p.pattern.view(), p.values.data(), product.view(), p.block,
                                            p.num, values.data()});
  const Offset num_rows = coarse.num_rows;
  if (num_rows == 0) return;
  const Restriction<T> in{transposed.view(), entries.data(), p.values.data(), product.view(),
                          values.data(),     coarse.view(),  p.block,         p.num};
  restrict_any<<<num_blocks(num_rows, 4), 128, 0, queue.stream()>>>(in, num_rows, out.vals.data());
  check_launch("restrict_any", queue.stream());
}

#define MILLRACE_INSTANTIATE(T)                                                                                   \
  template void find_patterns(Queue&, const Csr<T>&, const Prolongator<T>&, const RowPattern&, RowPattern&,       \
                              RowPattern&);                                                                       \
  template void update_coarse(Queue&, const Csr<T>&, const Prolongator<T>&, const RowPattern&, const RowPattern&, \
                              const Array<Offset>&, const RowPattern&, Csr<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
