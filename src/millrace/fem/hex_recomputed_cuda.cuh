// The fused kernel of hexahedra whose geometric factors are made anew at every point, from the nodes of the element:
// arithmetic instead of memory. The passes are those of hex_cuda.cuh.
#pragma once

#include "millrace/fem/element_cuda.cuh"
#include "millrace/fem/hex_line.hpp"
#include "millrace/fem/lagrange.hpp"

namespace millrace::cuda {

constexpr int max_geometry_nodes = 5;  // a direction, of order 4

/// The maps of all elements, Q points a direction.
template <class T, int Q>
struct HexGeometry {
  int num_nodes;                                                        // a direction
  const Index* cell_nodes;                                              // [num_elem, num_nodes^3]
  const double* points;                                                 // [points of the mesh, 3]
  T place[Q], weight[Q];                                                // of a direction
  T values[Q][max_geometry_nodes], derivatives[Q][max_geometry_nodes];  // of the equispaced nodes, there
};

template <class T, int P, int Q, class Physics>
struct RecomputedArgs {
  HexArgs<T, P, Q, Physics> hexes;  // no factors
  HexGeometry<T, Q> geometry;
};

template <class T, int P, int Q, class Physics>
struct RecomputedTeam : HexTeam<T, P, Q, Physics> {
  using Team = HexTeam<T, P, Q, Physics>;
  using Team::a, Team::b, Team::c, Team::element, Team::works;
  static constexpr int corners_size = 8 * 3;
  // 128 registers a thread, and more where value and gradient stay in them: no spills
  static constexpr int resident =
      (Physics::uses_value && Physics::uses_grad ? 384 : 512) / ((Team::threads + 31) / 32 * 32);

  const HexGeometry<T, Q>& g;
  T* s_corners;  // [8, 3]: from the first corner

  /// Of a node, from the first of its element: in double, so that small elements far from 0 lose nothing.
  __device__ T coordinate(const Index* nodes, int n, int i) const {
    return static_cast<T>(g.points[std::int64_t{nodes[n]} * 3 + i] - g.points[std::int64_t{nodes[0]} * 3 + i]);
  }
  __device__ const Index* nodes() const {
    return g.cell_nodes + std::int64_t{works() ? element() : 0} * (g.num_nodes * g.num_nodes * g.num_nodes);
  }
  __device__ void fetch_corners() const {
    if (g.num_nodes > 2) return;
    // Corner (i, j, k) of the directions (x, u, v).
    const auto corner = [](int n) { return n % 2 + (n / 2 % 2 << (Team::U)) + (n / 4 << (Team::V)); };
    for (int n = b * Q + c; this->here() && n < corners_size; n += Q * Q)
      s_corners[n] = coordinate(nodes(), corner(n / 3), n % 3);
  }

  /// The Jacobian of a curved element at (c, b, z), by all of its nodes.
  __device__ void sum_nodes(int z, T (&r_jacobian)[3][3]) const {
    const Index* of = nodes();
    const int n = g.num_nodes;
#pragma unroll
    for (int i = 0; i < 3; ++i)
#pragma unroll
      for (int j = 0; j < 3; ++j) r_jacobian[i][j] = T{};
#pragma unroll 1
    for (int m = 0; m < n * n * n; ++m) {
      const int mx = m % n, in_y = m / n % n, in_z = m / (n * n);
      const int my = Team::U == 1 ? in_y : in_z, mz = Team::U == 1 ? in_z : in_y;  // along u and v
      const T r_grad[3] = {g.derivatives[c][mx] * g.values[b][my] * g.values[z][mz],
                           g.values[c][mx] * g.derivatives[b][my] * g.values[z][mz],
                           g.values[c][mx] * g.values[b][my] * g.derivatives[z][mz]};
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        const T x = coordinate(of, m, i);
#pragma unroll
        for (int j = 0; j < 3; ++j) r_jacobian[i][j] = fma(r_grad[j], x, r_jacobian[i][j]);
      }
    }
  }

  /// The physics at (c, b, all z), in place, with factors made on the way. Returns as apply_physics does.
  __device__ __forceinline__ T apply_physics_anew(T (&r_u)[Q], T (&r_z)[Q]) const {
    if (!this->here()) return T{};
    const auto line = fem::HexLine<T>::from(s_corners, g.place[c], g.place[b]);  // along v; unused where curved
    return this->apply_physics(r_u, r_z, [&](int z, T* r_stored) {
      fem::PointGeometry<T, 3> at{};  // x stays 0: the coefficients are constants
      T r_jacobian[3][3];             // columns: along x, u and v
      if (g.num_nodes == 2)
        line.evaluate(g.place[z], r_jacobian);
      else
        sum_nodes(z, r_jacobian);
#pragma unroll
      for (int i = 0; i < 3; ++i)
        at.jacobian[i][0] = r_jacobian[i][0], at.jacobian[i][Team::U] = r_jacobian[i][1],
        at.jacobian[i][Team::V] = r_jacobian[i][2];
      fem::invert(at);
      at.weight = g.weight[c] * g.weight[b] * g.weight[z];
      a.physics.store(at, r_stored);
    });
  }
};

// Mapping  a thread block takes E elements, Q x Q threads each.
// Traffic  node numbers twice (the second time from a cache), nodes of the geometry by element, x and y by element.
// Shared   the values of an element at one or two of its passes, and its corners.
// Result   repeatable with slots, which sum_slots adds in a fixed order; without, atomic sums take any order.
template <class T, int P, int Q, class Physics>
__global__ void __launch_bounds__(RecomputedTeam<T, P, Q, Physics>::threads, RecomputedTeam<T, P, Q, Physics>::resident)
    apply_hexes_recomputed(const __grid_constant__ RecomputedArgs<T, P, Q, Physics> args) {
  using Team = RecomputedTeam<T, P, Q, Physics>;
  extern __shared__ char s_bytes[];
  const auto of_element = Team::of(args.hexes, reinterpret_cast<T*>(s_bytes), Team::shared_size + Team::corners_size);
  const Team team{of_element, args.geometry, of_element.s_a + Team::shared_size};
  T r_u[Q], r_z[Q];
  team.fetch_corners();
  team.wait();
  team.evaluate(team.find_nodes(), r_u);
  if constexpr (Team::grad) team.differentiate(r_u, r_z);
  const T product = args.hexes.alpha * team.apply_physics_anew(r_u, r_z);
  if constexpr (Team::grad) team.integrate(r_u, r_z);
  team.give_back(team.find_nodes(), r_u);
  if (args.hexes.block_sums) leave_block_sum(product, reinterpret_cast<T*>(s_bytes), args.hexes.block_sums);
}

template <int P, int Q, class T, class Physics>
void launch_recomputed(Queue& queue, const ElementData<T>& data, const HexArgs<T, P, Q, Physics>& hexes,
                       unsigned blocks) {
  using Team = RecomputedTeam<T, P, Q, Physics>;
  RecomputedArgs<T, P, Q, Physics> args{hexes, {}};
  HexGeometry<T, Q>& g = args.geometry;
  const TensorBasis& basis = *data.basis.tensor;
  while (g.num_nodes * g.num_nodes * g.num_nodes < data.map.num_nodes()) ++g.num_nodes;
  g.cell_nodes = data.cell_nodes.data();
  g.points = data.points.data();
  const LagrangeTable table = tabulate_lagrange(equispaced(g.num_nodes - 1), basis.points);
  for (int q = 0; q < Q; ++q) {
    g.place[q] = static_cast<T>(basis.points[static_cast<std::size_t>(q)]);
    g.weight[q] = static_cast<T>(basis.weights[static_cast<std::size_t>(q)]);
    for (int n = 0; n < g.num_nodes; ++n) {
      const auto entry = static_cast<std::size_t>(q * g.num_nodes + n);
      g.values[q][n] = static_cast<T>(table.values[entry]);
      g.derivatives[q][n] = static_cast<T>(table.derivatives[entry]);
    }
  }
  constexpr std::size_t shared = std::size_t{Team::E} * (Team::shared_size + Team::corners_size) * sizeof(T);
  static_assert(shared <= 48 * 1024);
  apply_hexes_recomputed<<<blocks, Team::threads, shared, queue.stream()>>>(args);
  check_launch("apply_hexes_recomputed", queue.stream());
}

template <class T, class Physics>
void apply_recomputed(Queue& queue, const ElementData<T>& data, const Physics& physics, const Apply<T>& r) {
  const auto launch = [&]<int P, int Q>(const HexArgs<T, P, Q, Physics>& args, unsigned blocks) {
    launch_recomputed<P, Q>(queue, data, args, blocks);
  };
  apply_hex_request(queue, data, physics, Physics::uses_grad, r, launch);
}

}  // namespace millrace::cuda
