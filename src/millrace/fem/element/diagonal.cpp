// The diagonal without the matrix: at every point the physics is a small matrix D, found by applying it to unit values;
// entry i is then sum_q phi_a(q, i) D_ab(q) phi_b(q, i), a contraction with tables of products of functions.
#include <array>

#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/element/diagonal_tables.hpp"
#include "millrace/fem/element/one_device.hpp"
#include "millrace/fem/element_operator.hpp"

namespace millrace {
namespace {

/// Slots of a point: 0 is the value, 1 + d the derivative along d.
template <class T>
class DiagonalTables {
 public:
  explicit DiagonalTables(const ElementBasis& basis)
      : basis_(basis), slots_(1 + basis.dim), tables_(diagonal_tables<T>(basis)) {}

  /// sum [nodes, lanes] += sum_q phi_a phi_b d [points, lanes]. work: three times the larger of nodes and points.
  void add(int a, int b, const T* d, T* work, T* sum) const {
    const std::ptrdiff_t larger = std::ptrdiff_t{std::max(basis_.num_nodes, basis_.num_points())} * num_lanes<T>;
    if (!basis_.tensor) {
      const int n = basis_.num_points(), m = basis_.num_nodes;
      find_contract<T>(n, m, true)(n, m, table(a * slots_ + b, n * m), d, sum, 1, 1);
      return;
    }
    const int q = basis_.tensor->num_points, p = basis_.tensor->num_nodes();
    int before = basis_.dim == 3 ? q * q : q, after = 1;
    for (int k = 0; k < basis_.dim; ++k, before /= q, after *= p) {
      const bool last = k + 1 == basis_.dim;
      T* to = last ? sum : work + k * larger;
      const T* products = table((a == 1 + k ? 1 : 0) + (b == 1 + k ? 1 : 0), q * p);
      find_contract<T>(q, p, last)(q, p, products, d, to, before, after);
      d = to;
    }
  }

 private:
  const T* table(int number, int size) const { return tables_.data() + std::ptrdiff_t{number} * size; }

  const ElementBasis& basis_;
  int slots_;
  std::vector<T> tables_;  // [points, nodes] each, of a line or of the simplex
};

}  // namespace

template <class T>
void ElementOperator<T>::diagonal(Queue& queue, Vectors<T> y) const {
  const ThreadLimit limit(queue);
  require(y.size == data_.num_dofs() && y.num == 1, "diagonal: needs one vector of ", data_.num_dofs(),
          " entries; this is ", y.num, " of ", y.size);
  require_one_device("diagonal", device(), queue, y.device);
  if (!device().on_host()) {
    require<Unsupported>(physics_.on_gpu.points && data_.kind == GeometricFactors::stored,
                         "diagonal: on a GPU it is computed from stored factors (GeometricFactors::stored), with the "
                         "physics compiled for single points; take it before the operator goes there");
    if constexpr (build::cuda) cuda::diagonal(queue, data_, physics_, y.data);
    return;
  }
  constexpr int L = num_lanes<T>;
  const int nodes = data_.nodes(), points = data_.basis.num_points(), comps = data_.comps, dim = data_.basis.dim;
  const Offset entry = Offset{points} * L;
  const DiagonalTables<T> tables(data_.basis);
  std::fill(y.data, y.data + y.size, T{0});
  for (int c = 0; c < comps; ++c)
    for (const Index n : data_.constrained.span()) y.data[n + c * data_.comp_stride] = T{1};

  const auto uses = [&](int part) { return part == 0 ? physics_.uses_value : physics_.uses_grad; };
  host_.schedule.run(queue.num_threads(), {.flops = 1000}, [&](int, Index begin, Index end) {
    BatchFactors<T> factors(data_, physics_);
    std::vector<T> value(to_size(comps * entry)), grad(to_size(comps * dim * entry)), sum(to_size(Offset{nodes} * L)),
        work(to_size(2 * Offset{std::max(nodes, points)} * L));
    const auto part_of = [&](int c, int part) {
      return part == 0 ? value.data() + c * entry : grad.data() + (c * dim + part - 1) * entry;
    };
    for (Index first = begin; first < end; first += L) {
      const int count = std::min<Index>(L, end - first);
      const T* stored = factors.batch(first, count);
      for (int c = 0; c < comps; ++c) {
        std::fill(sum.begin(), sum.end(), T{0});
        for (int b = 0; b <= dim; ++b) {
          if (!uses(b)) continue;
          std::fill(value.begin(), value.end(), T{0});
          std::fill(grad.begin(), grad.end(), T{0});
          std::fill(part_of(c, b), part_of(c, b) + entry, T{1});
          physics_.apply(physics_.physics.data(), points, stored, value.data(), grad.data());
          for (int a = 0; a <= dim; ++a)
            if (uses(a)) tables.add(a, b, part_of(c, a), work.data(), sum.data());
        }
        for (int l = 0; l < count; ++l)
          for (int n = 0; n < nodes; ++n) {
            const Index to = data_.offsets.data()[Offset{first + l} * nodes + n];
            if (to >= 0) y.data[to + c * data_.comp_stride] += sum[to_size(Offset{n} * L + l)];
          }
      }
    }
  });
}

template void ElementOperator<float>::diagonal(Queue&, Vectors<float>) const;
template void ElementOperator<double>::diagonal(Queue&, Vectors<double>) const;

}  // namespace millrace
