// The diagonal of an element operator on a GPU, as on the host: at every point the physics is a small matrix, found by
// applying it to unit values, and products of functions bring it to the nodes.
#include "millrace/base/cuda.cuh"
#include "millrace/fem/actions/basis_actions_cuda.hpp"
#include "millrace/fem/element/diagonal_tables.hpp"
#include "millrace/fem/element/factors_cuda.cuh"

namespace millrace::cuda {
namespace {

constexpr int threads = 256;

// Mapping  one thread per number.
// Traffic  written once.
// Result   1 in row `row` of every element's [rows, points], 0 elsewhere; repeatable.
template <class T>
__global__ void __launch_bounds__(threads)
    fill_unit_rows(std::int64_t size, int rows, int points, int row, T* __restrict__ to) {
  const std::int64_t i = blockIdx.x * std::int64_t{threads} + threadIdx.x;
  if (i < size) to[i] = i / points % rows == row ? T{1} : T{0};
}

template <class T>
struct DiagonalArgs {
  std::int64_t size;  // num_elem nodes
  int comps, nodes, points, dim;
  int line_nodes, line_points;  // of hexes; 0: a simplex
  int comp, slot;               // that were 1
  bool first;                   // nothing was added yet
  const T* tables;              // diagonal_tables
  const T *value, *grad;        // [num_elem, comps, points], [num_elem, comps, dim, points]; null where not used
};

// Mapping  one thread per node of an element.
// Traffic  values and gradients of the element and tables, from caches; one number per thread read and written.
// Result   sum [num_elem, comps, nodes], of one component; repeatable.
template <class T>
__global__ void __launch_bounds__(threads)
    add_to_diagonal(const __grid_constant__ DiagonalArgs<T> a, T* __restrict__ sum) {
  const std::int64_t i = blockIdx.x * std::int64_t{threads} + threadIdx.x;
  if (i >= a.size) return;
  const std::int64_t field = i / a.nodes * a.comps + a.comp;
  const int n = static_cast<int>(i % a.nodes);
  T r_sum{};
#pragma unroll 1
  for (int part = 0; part <= a.dim; ++part) {
    const T* at = part == 0 ? a.value : a.grad;
    if (!at) continue;
    at += part == 0 ? field * a.points : (field * a.dim + part - 1) * a.points;
    if (a.line_nodes > 0) {
      const int P = a.line_nodes, Q = a.line_points;
      const auto table = [&](int k) { return a.tables + ((part == 1 + k) + (a.slot == 1 + k)) * Q * P; };
      const T *x = table(0) + n % P, *y = table(1) + n / P % P, *z = table(2) + n / (P * P);
#pragma unroll 1
      for (int qz = 0; qz < Q; ++qz)
#pragma unroll 1
        for (int qy = 0; qy < Q; ++qy) {
          T along{};
#pragma unroll 4
          for (int qx = 0; qx < Q; ++qx) along += x[qx * P] * at[(qz * Q + qy) * Q + qx];
          r_sum += z[qz * P] * y[qy * P] * along;
        }
    } else {
      const T* table = a.tables + static_cast<std::int64_t>(part * (a.dim + 1) + a.slot) * a.points * a.nodes + n;
#pragma unroll 4
      for (int q = 0; q < a.points; ++q) r_sum += table[q * a.nodes] * at[q];
    }
  }
  T& to = sum[field * a.nodes + n];
  to = a.first ? r_sum : to + r_sum;
}

}  // namespace

template <class T>
void diagonal(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics, T* y) {
  const ElementBasis& basis = data.basis;
  const int points = basis.num_points(), comps = data.comps, dim = basis.dim;
  const std::int64_t fields = std::int64_t{data.num_elem} * comps;
  const std::vector<T> tables = diagonal_tables<T>(basis), ones(static_cast<std::size_t>(data.num_dofs()), T{1});
  const Array<T> tables_there = Array<T>(std::span<const T>(tables)).to(queue.device()),
                 ones_there = Array<T>(std::span<const T>(ones)).to(queue.device());
  RestrictionOnGpu made;
  if (data.evaluation == Evaluation::fused) {
    const std::vector<Index> offsets = data.offsets.to_vector();
    made = make_restriction_on_gpu(queue.device(), offsets, data.num_elem, data.num_nodes, comps, data.comp_stride);
  }
  const DeviceGuard guard(queue.device());
  const FactorsByElement<T> factors(queue, data, physics);
  const Scratch<T> sum(queue, fields * data.nodes());
  std::optional<Scratch<T>> value, grad;
  if (physics.uses_value) value.emplace(queue, fields * points);
  if (physics.uses_grad) grad.emplace(queue, fields * points * dim);
  const auto fill = [&](const std::optional<Scratch<T>>& to, int rows, int row) {
    if (!to || fields == 0) return;
    const std::int64_t size = std::int64_t{data.num_elem} * rows * points;
    fill_unit_rows<<<num_blocks(size, threads), threads, 0, queue.stream()>>>(size, rows, points, row, to->data());
    check_launch("fill_unit_rows", queue.stream());
  };
  DiagonalArgs<T> args{.size = std::int64_t{data.num_elem} * data.nodes(),
                       .comps = comps,
                       .nodes = data.nodes(),
                       .points = points,
                       .dim = dim,
                       .line_nodes = basis.tensor ? basis.tensor->num_nodes() : 0,
                       .line_points = basis.tensor ? basis.tensor->num_points : 0,
                       .comp = 0,
                       .slot = 0,
                       .first = true,
                       .tables = tables_there.data(),
                       .value = value ? value->data() : nullptr,
                       .grad = grad ? grad->data() : nullptr};
  for (args.comp = 0; args.comp < comps && args.size > 0; ++args.comp) {
    args.first = true;
    for (args.slot = 0; args.slot <= dim; ++args.slot) {
      if (!(args.slot == 0 ? physics.uses_value : physics.uses_grad)) continue;
      fill(value, comps, args.slot == 0 ? args.comp : -1);
      fill(grad, comps * dim, args.slot == 0 ? -1 : args.comp * dim + args.slot - 1);
      physics.on_gpu.points(queue, physics.gpu_bytes(), data.num_elem, points, factors.read(data),
                            value ? value->data() : nullptr, grad ? grad->data() : nullptr);
      add_to_diagonal<<<num_blocks(args.size, threads), threads, 0, queue.stream()>>>(args, sum.data());
      check_launch("add_to_diagonal", queue.stream());
      args.first = false;
    }
  }
  sum_elements(queue, data.evaluation == Evaluation::fused ? made : data.restriction, T{1},
               static_cast<const T*>(sum.data()), T{0}, y, data.constrained.device_span(), ones_there.data());
  queue.wait();  // for what was made here
}

template void diagonal(Queue&, const ElementData<float>&, const PointKernel<float>&, float*);
template void diagonal(Queue&, const ElementData<double>&, const PointKernel<double>&, double*);

}  // namespace millrace::cuda
