// Finds the bricks that stand for elements, and solves for them on host threads.
#include "millrace/fem/multigrid/element_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/multigrid/element_blocks_cuda.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace::multigrid {
namespace {

/// The mean of det J |grad xi_d|^2 over each element, [num_elem, 3], zero beyond dim, and of det J after them.
std::vector<double> brick_factors(const Mesh& mesh, int num_threads) {
  const CellBlock& block = mesh.only_block();
  const int d = mesh.dim;
  const VolumeRule rule = make_volume_rule(block.cell, 2);
  const GeometryTable table = tabulate_geometry(block.cell, block.order, rule.points);
  std::vector<double> factors(to_size(4 * Offset{block.num_cells()}), 0.0);
  parallel_for(num_threads, block.num_cells(), [&](std::int64_t begin, std::int64_t end) {
    for (auto e = static_cast<Index>(begin); e < end; ++e)
      for (int q = 0; q < table.num_points; ++q) {
        const Jacobian j = jacobian(mesh, block.nodes_of(e), table, q);
        const double det = determinant(j, d), weight = rule.weights[to_size(q)];
        double* const to = factors.data() + 4 * Offset{e};
        for (int a = 0; a < d; ++a) {  // row a of the inverse: cofactors of column a, over det
          double sum = 0;
          for (int i = 0; i < d; ++i) {
            Jacobian minor = j;
            for (int r = 0; r < d; ++r) minor[to_size(r)][to_size(a)] = r == i ? 1 : 0;
            const double cofactor = determinant(minor, d);
            sum += cofactor * cofactor;
          }
          to[a] += weight * sum / det;
        }
        to[3] += weight * det;
      }
  });
  return factors;
}

int power(int n, int k) { return k == 0 ? 1 : n * power(n, k - 1); }

/// Diffusion and mass of a brick on the diagonal at one of its nodes.
struct BrickDiagonal {
  const LineBlock& line;
  const double* factors;  // [4]
  int dim;

  double diffusion(int node) const {
    double sum = 0;
    for (int d = 0; d < dim; ++d) {
      double product = factors[d];
      for (int other = 0, rest = node; other < dim; ++other, rest /= line.nodes)
        product *= (other == d ? line.stiffness : line.mass)[to_size(rest % line.nodes)];
      sum += product;
    }
    return sum;
  }
  double mass(int node) const {
    double product = factors[3];
    for (int d = 0; d < dim; ++d, node /= line.nodes) product *= line.mass[to_size(node % line.nodes)];
    return product;
  }
  bool is_inside(int node) const {
    for (int d = 0; d < dim; ++d, node /= line.nodes)
      if (node % line.nodes == 0 || node % line.nodes == line.nodes - 1) return false;
    return true;
  }
};

/// The first of the nodes that are inside of elements, if all others come before them; else the number of all nodes.
Index count_outer(const BrickDiagonal& any, const Array<Index>& offsets, int nodes, Index num_nodes) {
  Index last_outer = -1, first_inner = num_nodes;
  for (Offset k = 0; k < offsets.size(); ++k) {
    const Index n = offsets.data()[k];
    if (any.is_inside(static_cast<int>(k % nodes)))
      first_inner = std::min(first_inner, n);
    else
      last_outer = std::max(last_outer, n);
  }
  return last_outer < first_inner ? first_inner : num_nodes;
}

/// How much mass beside diffusion the diagonal of one element shows, by least squares of both at its inner nodes.
template <class W>
double find_mass(const BrickDiagonal& brick, int num, const Index* nodes, const W* diagonal) {
  double dd = 0, dm = 0, mm = 0, da = 0, ma = 0;
  for (int n = 0; n < num; ++n) {
    if (!brick.is_inside(n)) continue;
    const auto a = static_cast<double>(diagonal[nodes[n]]);
    const double d = brick.diffusion(n) / a, m = brick.mass(n) / a;  // each node counts the same
    dd += d * d, dm += d * m, mm += m * m, da += d, ma += m;
  }
  const double det = dd * mm - dm * dm;
  if (!(det > 1e-10 * dd * mm)) return 0;
  const double diffusion = (da * mm - ma * dm) / det, mass = (ma * dd - da * dm) / det;
  if (mass <= 0) return 0;
  return diffusion <= 0 ? 1e10 : std::min(1e10, mass / diffusion);
}

}  // namespace

template <class W>
ElementBlocks<W>::ElementBlocks(Device device, const Mesh& mesh, const Space& space, std::span<const Index> constrained,
                                std::span<const W> diagonal, bool uses_value, std::vector<double>& mass)
    : dim_(space.dim),
      comps_(space.comps),
      num_dofs_(space.num_dofs()),
      num_elem_(space.only_block().restriction.num_elem),
      num_nodes_(space.num_nodes) {
  const LineBlock line = make_line_block(space.order);
  table_.nodes = line.nodes;
  std::transform(line.vectors.begin(), line.vectors.end(), table_.vectors, [](double v) { return static_cast<W>(v); });
  std::transform(line.values.begin(), line.values.end(), table_.values, [](double v) { return static_cast<W>(v); });

  const int nodes = power(line.nodes, dim_), threads = default_num_threads();
  const Array<Index>& offsets = space.only_block().restriction.offsets;
  require<Unsupported>(offsets.size() <= std::numeric_limits<Index>::max(), "p-multigrid: ", num_elem_,
                       " elements with ", nodes, " nodes each; blocks of elements number at most 2^31 - 1 of these");
  std::vector<Index> count(to_size(num_nodes_) + 1);  // then where the places of each node begin
  for (const Index n : offsets.span()) ++count[to_size(n) + 1];
  const std::vector<Index> sharing(count.begin() + 1, count.end());  // elements of a node
  for (const Index n : constrained) count[to_size(n) + 1] = 0;
  for (Index n = 0; n < num_nodes_; ++n) count[to_size(n) + 1] += count[to_size(n)];

  const std::vector<double> factors = brick_factors(mesh, threads);
  num_outer_ = count_outer({line, factors.data(), dim_}, offsets, nodes, num_nodes_);
  const bool finds_mass = uses_value && mass.empty() && space.order >= 4;
  if (mass.empty()) mass.assign(to_size(Offset{comps_} * num_elem_), 0.0);
  Array<W> weights(offsets.size() * comps_), directions(Offset{comps_} * num_elem_ * 4);
  parallel_for(threads, num_elem_, [&](std::int64_t begin, std::int64_t end) {
    for (auto e = static_cast<Index>(begin); e < end; ++e)
      for (int c = 0; c < comps_; ++c) {
        const Index* const mine = offsets.data() + Offset{e} * nodes;
        const W* const own = diagonal.data() + c * std::int64_t{num_nodes_};
        const BrickDiagonal brick{line, factors.data() + 4 * Offset{e}, dim_};
        const Offset at = Offset{c} * num_elem_ + e;
        double& share = mass[to_size(at)];
        if (finds_mass) share = find_mass(brick, nodes, mine, own);
        for (int d = 0; d < 4; ++d)
          directions.data()[4 * at + d] = static_cast<W>(brick.factors[d] * (d == 3 ? share : 1));
        for (int n = 0; n < nodes; ++n)
          weights.data()[at * nodes + n] =
              static_cast<W>(std::sqrt((brick.diffusion(n) + share * brick.mass(n)) /
                                       static_cast<double>(own[mine[n]]) / sharing[to_size(mine[n])]));
      }
  });
  std::vector<bool> held(to_size(num_nodes_));
  for (const Index n : constrained) held[to_size(n)] = true;
  std::vector<Index> next(count.begin(), count.end() - 1), places(to_size(count.back()));
  for (Offset k = 0; k < offsets.size(); ++k) {
    const Index n = offsets.data()[k];
    if (!held[to_size(n)])
      places[to_size(next[to_size(n)]++)] = static_cast<Index>(k);
    else
      for (int c = 0; c < comps_; ++c) weights.data()[c * offsets.size() + k] = W{0};
  }
  nodes_ = offsets.to(device);
  first_ = Array<Index>(std::span<const Index>(count)).to(device);
  places_ = Array<Index>(std::span<const Index>(places)).to(device);
  weights_ = weights.to(device);
  directions_ = directions.to(device);
}

template <class W>
BlocksView<W> ElementBlocks<W>::view() const {
  return {num_elem_,       num_nodes_,         num_outer_,    num_nodes_,    nodes_.data(),
          weights_.data(), directions_.data(), first_.data(), places_.data()};
}

template <class W>
Traffic ElementBlocks<W>::traffic(int num_vectors, bool reads_y) const {
  Traffic traffic;
  const auto vector = static_cast<double>(num_dofs_) * sizeof(W);
  traffic.matrix = static_cast<double>(bytes());
  traffic.vectors =
      num_vectors * (vector * (reads_y ? 3 : 2) + 2.0 * static_cast<double>(nodes_.size()) * comps_ * sizeof(W));
  traffic.minimum = traffic.matrix + vector * (reads_y ? 3 : 2) * num_vectors;
  return traffic;
}

/// out[o, r, i] = sum over c of S[r, c] in[o, c, i], or with S^T.
template <bool back, class W>
static void along(const BlockTable<W>& table, int outer, int inner, const W* in, W* out) {
  const int P = table.nodes;
  for (int o = 0; o < outer; ++o)
    for (int r = 0; r < P; ++r) {
      W* const y = out + (o * P + r) * inner;
      std::fill_n(y, inner, W{0});
      for (int c = 0; c < P; ++c) {
        const W factor = table.vectors[back ? c * P + r : r * P + c];
        const W* const x = in + (o * P + c) * inner;
        for (int i = 0; i < inner; ++i) y[i] += factor * x[i];
      }
    }
}

template <class W>
void ElementBlocks<W>::contribute(Queue& queue, const W* r, W* contributions) const {
  const int P = table_.nodes, nodes = power(P, dim_);
  const BlocksView<W> v = view();
  const int threads = static_cast<int>(std::clamp<std::int64_t>(num_elem_ / 4, 1, queue.num_threads()));
  parallel(threads, [&](int thread, int num) {
    std::vector<W> memory(to_size(2 * nodes));
    W *in = memory.data(), *out = in + nodes;
    const auto turn = [&]<bool back>(std::bool_constant<back>) {
      for (int d = 0; d < dim_; ++d) {
        along<back>(table_, power(P, dim_ - 1 - d), power(P, d), in, out);
        std::swap(in, out);
      }
    };
    const auto [begin, end] = even_part(num_elem_, thread, num);
    for (std::int64_t e = begin; e < end; ++e)
      for (int c = 0; c < comps_; ++c) {
        const std::int64_t at = c * std::int64_t{num_elem_} + e;
        const W *const weights = v.weights + at * nodes, *const factors = v.directions + 4 * at;
        const Index* const mine = v.nodes + e * nodes;
        for (int n = 0; n < nodes; ++n) in[n] = weights[n] * r[mine[n] + c * v.comp_stride];
        turn(std::true_type{});
        for (int n = 0; n < nodes; ++n) {
          W sum = factors[3];
          for (int d = 0, rest = n; d < dim_; ++d, rest /= P) sum += factors[d] * table_.values[rest % P];
          in[n] /= sum;
        }
        turn(std::false_type{});
        for (int n = 0; n < nodes; ++n) contributions[at * nodes + n] = weights[n] * in[n];
      }
  });
}

template <class W>
void ElementBlocks<W>::step(Queue& queue, const BlockStep<W>& step) const {
  const std::int64_t size = nodes_.size();
  const auto memory = queue.scratch<W>(size * comps_);
  W* const contributions = memory.data();
  if (queue.device().on_host()) {
    contribute(queue, step.r, contributions);
    parallel_for(queue.num_threads(), num_nodes_, [&](std::int64_t begin, std::int64_t end) {
      for (int c = 0; c < comps_; ++c)
        for (auto n = static_cast<Index>(begin); n < end; ++n) update_node(view(), size, contributions, step, n, c);
    });
  } else if constexpr (build::cuda) {
    cuda::step_blocks(queue, table_, view(), comps_, contributions, step);
  }
}

template <class W>
void ElementBlocks<W>::do_apply(Queue& queue, const ApplyRequest<W>& request) const {
  const auto memory = queue.scratch<W>(num_dofs_);
  for (int v = 0; v < request.x.num; ++v) {  // z is M^-1 x, and y = beta y + alpha z
    BlockStep<W> one{W{0},
                     W{1},
                     request.alpha,
                     request.x.data + v * request.x.stride,
                     memory.data(),
                     request.y.data + v * request.y.stride,
                     request.beta == W{0}};
    one.scale = request.beta;
    step(queue, one);
  }
}

template class ElementBlocks<float>;
template class ElementBlocks<double>;

}  // namespace millrace::multigrid
