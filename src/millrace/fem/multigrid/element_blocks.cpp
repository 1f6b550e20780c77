// Finds the bricks that stand for elements.
#include "millrace/fem/multigrid/element_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/element/node_places.hpp"
#include "millrace/fem/multigrid/element_blocks_cuda.hpp"
#include "millrace/fem/multigrid/element_blocks_host.hpp"
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
  const Work each{.flops = 100 * table.num_points};
  parallel_for(num_threads, block.num_cells(), each, [&](std::int64_t begin, std::int64_t end) {
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

/// Diffusion and mass of a brick on the diagonal at its nodes, of an element of length 1 in all directions.
struct BrickDiagonal {
  int nodes = 1;
  std::vector<double> diffusion[3], mass;  // [nodes]
  std::vector<bool> inside;                // [nodes]

  BrickDiagonal(const LineBlock& line, int dim) : nodes(power(line.nodes, dim)) {
    for (int n = 0; n < nodes; ++n) {
      double product[4] = {1, 1, 1, 1};
      bool is_inside = true;
      for (int d = 0, rest = n; d < dim; ++d, rest /= line.nodes) {
        const int at = rest % line.nodes;
        for (int k = 0; k < 4; ++k) product[k] *= (k == d ? line.stiffness : line.mass)[to_size(at)];
        is_inside = is_inside && at > 0 && at < line.nodes - 1;
      }
      for (int d = 0; d < 3; ++d) diffusion[d].push_back(d < dim ? product[d] : 0);
      mass.push_back(product[3]), inside.push_back(is_inside);
    }
  }
  /// With the factors of an element.
  double diffusion_at(int n, const double* factors) const {
    return factors[0] * diffusion[0][to_size(n)] + factors[1] * diffusion[1][to_size(n)] +
           factors[2] * diffusion[2][to_size(n)];
  }
  double mass_at(int n, const double* factors) const { return factors[3] * mass[to_size(n)]; }
};

/// The first of the nodes that are inside of elements, if all others come before them; else the number of all nodes.
Index count_outer(const std::vector<bool>& inside, std::span<const Index> offsets, Index num_nodes, int num_threads) {
  struct Ends {
    Index last_outer = -1, first_inner;
  };
  const auto nodes = std::ssize(inside), num_elem = std::ssize(offsets) / nodes;
  std::vector<Ends> ends(to_size(num_threads), Ends{-1, num_nodes});
  parallel(threads_for(num_threads, std::ssize(offsets), {.bytes = 8}), [&](int thread, int num) {
    Ends own{-1, num_nodes};
    const auto [begin, end] = even_part(num_elem, thread, num);
    for (std::int64_t k = begin * nodes; k < end * nodes;)
      for (std::size_t n = 0; n < inside.size(); ++n, ++k) {
        const Index node = offsets[to_size(k)];
        inside[n] ? own.first_inner = std::min(own.first_inner, node) : own.last_outer = std::max(own.last_outer, node);
      }
    ends[to_size(thread)] = own;
  });
  Ends all{-1, num_nodes};
  for (const Ends& own : ends)
    all = {std::max(all.last_outer, own.last_outer), std::min(all.first_inner, own.first_inner)};
  return all.last_outer < all.first_inner ? all.first_inner : num_nodes;
}

/// How much mass beside diffusion the diagonal of one element shows, by least squares of both at its inner nodes.
template <class W>
double find_mass(const BrickDiagonal& brick, const double* factors, const Index* nodes, const W* diagonal) {
  double dd = 0, dm = 0, mm = 0, da = 0, ma = 0;
  for (int n = 0; n < brick.nodes; ++n) {
    if (!brick.inside[to_size(n)]) continue;
    const auto a = static_cast<double>(diagonal[nodes[n]]);  // each node counts the same
    const double d = brick.diffusion_at(n, factors) / a, m = brick.mass_at(n, factors) / a;
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
  const Array<Index> free = without_constrained(offsets, num_nodes_, constrained, threads);
  const NodePlaces<Index> found = find_node_places<Index>(free.span(), num_nodes_, 1, threads);

  const std::vector<double> factors = brick_factors(mesh, threads);
  const BrickDiagonal brick(line, dim_);
  num_outer_ = count_outer(brick.inside, offsets.span(), num_nodes_, threads);
  const bool finds_mass = uses_value && mass.empty() && space.order >= 4;
  if (mass.empty()) mass.assign(to_size(Offset{comps_} * num_elem_), 0.0);
  Array<W> weights(offsets.size() * comps_), directions(Offset{comps_} * num_elem_ * 4);
  parallel_for(threads, num_elem_, {.flops = 20 * nodes}, [&](std::int64_t begin, std::int64_t end) {
    for (auto e = static_cast<Index>(begin); e < end; ++e)
      for (int c = 0; c < comps_; ++c) {
        const Index* const mine = offsets.data() + Offset{e} * nodes;
        const W* const own = diagonal.data() + c * std::int64_t{num_nodes_};
        const double* const factor = factors.data() + 4 * Offset{e};
        const Offset at = Offset{c} * num_elem_ + e;
        double& share = mass[to_size(at)];
        if (finds_mass) share = find_mass(brick, factor, mine, own);
        for (int d = 0; d < 4; ++d) directions.data()[4 * at + d] = static_cast<W>(factor[d] * (d == 3 ? share : 1));
        for (int n = 0; n < nodes; ++n) {
          const std::size_t node = to_size(mine[n]);
          const Index sharing = found.first[node + 1] - found.first[node];  // elements of a free node
          const double block = brick.diffusion_at(n, factor) + share * brick.mass_at(n, factor);
          const bool held = free.data()[Offset{e} * nodes + n] < 0;
          weights.data()[at * nodes + n] =
              held ? W{0} : static_cast<W>(std::sqrt(block / (static_cast<double>(own[node]) * sharing)));
        }
      }
  });
  nodes_ = offsets.to(device);
  first_ = Array<Index>(std::span<const Index>(found.first)).to(device);
  places_ = Array<Index>(std::span<const Index>(found.places)).to(device);
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

template <class W>
void ElementBlocks<W>::step(Queue& queue, const BlockStep<W>& step) const {
  const std::int64_t size = nodes_.size();
  const auto memory = queue.scratch<W>(size * comps_);
  W* const contributions = memory.data();
  if (queue.device().on_host()) {
    host::step_blocks(queue, table_, view(), dim_, comps_, contributions, step);
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
