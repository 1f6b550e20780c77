// Nodal fields of any order at the points of an operator on a GPU, where its physics keeps them: the state of a
// derivative, and given fields.
#include "millrace/base/cuda.cuh"
#include "millrace/fem/element/factors_cuda.cuh"

namespace millrace::cuda {
namespace {

constexpr int threads = 256;

/// What a kernel reads of nodal fields.
template <class T>
struct FieldArgs {
  std::int64_t size;  // num_elem comps points
  int comps, nodes, points, dim;
  int line_nodes, line_points;  // of hexes by lines; 0: tables of the cell
  std::int64_t comp_stride;
  const Index* offsets;
  const T* values;
  const T* tables;  // lines: interp [Q, P], grad [Q, P]; else interp [points, nodes], grad [dim, points, nodes]
};

// Mapping  one thread per point of a field of an element.
// Traffic  node numbers and values by element, mostly from a cache; tables from a cache; values and gradients once.
// Result   value [num_elem, comps, points], grad [num_elem, comps, dim, points]; repeatable.
template <class T>
__global__ void __launch_bounds__(threads)
    evaluate_fields(const __grid_constant__ FieldArgs<T> a, T* __restrict__ value, T* __restrict__ grad) {
  const std::int64_t i = blockIdx.x * std::int64_t{threads} + threadIdx.x;
  if (i >= a.size) return;
  const std::int64_t field = i / a.points, e = field / a.comps;
  const int q = static_cast<int>(i % a.points), c = static_cast<int>(field % a.comps);
  const Index* offsets = a.offsets + e * a.nodes;
  const T* values = a.values + c * a.comp_stride;
  const auto node = [&](int n) {
    const Index at = offsets[n];
    return values[at < 0 ? ~at : at];
  };
  T r_value{}, r_grad[3]{};
  if (a.line_nodes > 0) {
    const int P = a.line_nodes, Q = a.line_points;
    const T *x = a.tables + q % Q * P, *y = a.tables + q / Q % Q * P, *z = a.tables + q / (Q * Q) * P;
    const int slope = Q * P;  // from a function to its derivative
#pragma unroll 1
    for (int k = 0; k < P; ++k)
#pragma unroll 1
      for (int j = 0; j < P; ++j) {
        T along{}, derived{};  // over x
#pragma unroll 4
        for (int l = 0; l < P; ++l) {
          const T u = node((k * P + j) * P + l);
          along += x[l] * u;
          derived += x[slope + l] * u;
        }
        r_value += z[k] * y[j] * along;
        r_grad[0] += z[k] * y[j] * derived;
        r_grad[1] += z[k] * y[slope + j] * along;
        r_grad[2] += z[slope + k] * y[j] * along;
      }
  } else {
    const int table = a.points * a.nodes;
#pragma unroll 4
    for (int n = 0; n < a.nodes; ++n) {
      const T u = node(n);
      const T* at = a.tables + q * a.nodes + n;
      r_value += at[0] * u;
#pragma unroll
      for (int d = 0; d < 3; ++d)
        if (d < a.dim) r_grad[d] += at[(d + 1) * table] * u;
    }
  }
  value[i] = r_value;
#pragma unroll
  for (int d = 0; d < 3; ++d)
    if (d < a.dim) grad[(field * a.dim + d) * a.points + q] = r_grad[d];
}

// Mapping  one thread per constrained node.
// Traffic  their numbers, zeros.
// Result   repeatable.
template <class T>
__global__ void __launch_bounds__(threads)
    clear_nodes(std::int64_t num, const Index* __restrict__ nodes, int comps, std::int64_t stride, T* __restrict__ y) {
  const std::int64_t i = blockIdx.x * std::int64_t{threads} + threadIdx.x;
  if (i >= num) return;
  for (int c = 0; c < comps; ++c) y[nodes[i] + c * stride] = T{};
}

}  // namespace

template <class T>
void set_fields(Queue& queue, ElementData<T>& data, const PointKernel<T>& physics, int first,
                const NodalFieldsOnGpu<T>& fields) {
  const ElementBasis& basis = fields.basis;
  const std::int64_t size = std::int64_t{data.num_elem} * fields.comps * basis.num_points();
  if (size == 0) return;
  const auto& [interp, slopes] = basis.tensor ? std::tie(basis.tensor->interp, basis.tensor->grad)
                                              : std::tie(basis.simplex->interp, basis.simplex->grad);
  std::vector<T> both(interp.begin(), interp.end());
  both.insert(both.end(), slopes.begin(), slopes.end());
  const Array<T> tables = Array<T>(std::span<const T>(both)).to(queue.device());
  const DeviceGuard guard(queue.device());
  const Scratch<T> value(queue, size), grad(queue, size * basis.dim);
  const FieldArgs<T> args{.size = size,
                          .comps = fields.comps,
                          .nodes = basis.num_nodes,
                          .points = basis.num_points(),
                          .dim = basis.dim,
                          .line_nodes = basis.tensor ? basis.tensor->num_nodes() : 0,
                          .line_points = basis.tensor ? basis.tensor->num_points : 0,
                          .comp_stride = fields.comp_stride,
                          .offsets = fields.offsets,
                          .values = fields.values,
                          .tables = tables.data()};
  evaluate_fields<<<num_blocks(size, threads), threads, 0, queue.stream()>>>(args, value.data(), grad.data());
  check_launch("evaluate_fields", queue.stream());
  FactorsByElement<T> factors(queue, data, physics);
  physics.on_gpu.set_fields(queue, physics.gpu_bytes(), data.num_elem, basis.num_points(), first, fields.comps,
                            value.data(), grad.data(), factors.write(data));
  factors.put_back(queue, data, physics);
  queue.wait();  // for the tables
}

template <class T>
void clear_constrained(Queue& queue, const ElementData<T>& data, T* y) {
  if (data.constrained.empty()) return;
  const DeviceGuard guard(queue.device());
  clear_nodes<<<num_blocks(data.constrained.size(), threads), threads, 0, queue.stream()>>>(
      data.constrained.size(), data.constrained.data(), data.comps, data.comp_stride, y);
  check_launch("clear_nodes", queue.stream());
}

#define MILLRACE_INSTANTIATE(T)                                                                              \
  template void set_fields(Queue&, ElementData<T>&, const PointKernel<T>&, int, const NodalFieldsOnGpu<T>&); \
  template void clear_constrained(Queue&, const ElementData<T>&, T*)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
