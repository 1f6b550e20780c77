// The fused kernels of hexes whose geometric factors are recomputed at every point, from the map of the element:
// arithmetic instead of memory. The passes are those of lines.cuh.
#pragma once

#include "millrace/fem/basis/lagrange.hpp"
#include "millrace/fem/hex/launch.cuh"
#include "millrace/fem/hex/recomputed_linear.cuh"

namespace millrace::cuda {

template <class T, int P, int Q, class Physics, bool curved>
struct RecomputedTeam : HexTeam<T, P, Q, Physics, true, curved> {
  using Team = HexTeam<T, P, Q, Physics, true, curved>;
  using Team::a, Team::b, Team::c, Team::element, Team::works;
  static constexpr int map_size = curved ? 0 : fem::hex_map_size;
  static constexpr int maps_at = (Team::E * Team::shared_size + 3) / 4 * 4;  // in shared memory: 16 bytes go at once
  static constexpr int shared_bytes = (maps_at + Team::E * map_size) * int{sizeof(T)};

  const HexGeometry<T, Q>& g;
  T* s_map;  // [8, 3]

  /// Begins to bring the map of the element to shared memory.
  __device__ __forceinline__ void fetch_map() const {
    constexpr int parts = map_size * int{sizeof(T)} / 16;
    const auto* from = reinterpret_cast<const int4*>(a.factors + std::int64_t{element()} * map_size);
#pragma unroll
    for (int first = 0; first < parts; first += Q * Q) {
      const int n = first + b * Q + c;
      if (works() && n < parts) copy_behind(reinterpret_cast<int4*>(s_map) + n, from + n);
    }
  }

  /// Of a node, from the first of its element: in double, so that small elements far from 0 lose nothing.
  __device__ T coordinate(const Index* nodes, int n, int i) const {
    return static_cast<T>(g.points[std::int64_t{nodes[n]} * 3 + i] - g.points[std::int64_t{nodes[0]} * 3 + i]);
  }
  /// The Jacobian of a curved element at (c, b, z), by all of its nodes.
  __device__ void sum_nodes(int z, T (&r_jacobian)[3][3]) const {
    const int n = g.num_nodes;
    const Index* nodes = g.cell_nodes + std::int64_t{works() ? element() : 0} * (n * n * n);
#pragma unroll
    for (int i = 0; i < 3; ++i)
#pragma unroll
      for (int j = 0; j < 3; ++j) r_jacobian[i][j] = T{};
#pragma unroll 1
    for (int m = 0; m < n * n * n; ++m) {
      const int mx = m % n, in_y = m / n % n, in_z = m / (n * n);
      const int my = Team::U == 1 ? in_y : in_z, mz = Team::U == 1 ? in_z : in_y;  // along u and v
      const T along_x = g.derivatives[c][mx] * g.values[b][my] * g.values[z][mz];
      const T along_u = g.values[c][mx] * g.derivatives[b][my] * g.values[z][mz];
      const T along_v = g.values[c][mx] * g.values[b][my] * g.derivatives[z][mz];
#pragma unroll
      for (int i = 0; i < 3; ++i) {
        const T x = coordinate(nodes, m, i);
        r_jacobian[i][0] = fma(along_x, x, r_jacobian[i][0]);
        r_jacobian[i][Team::U] = fma(along_u, x, r_jacobian[i][Team::U]);
        r_jacobian[i][Team::V] = fma(along_v, x, r_jacobian[i][Team::V]);
      }
    }
  }

  /// The physics at (c, b, all z), in place. Returns as apply_physics does.
  __device__ __forceinline__ T apply_physics_recomputed(T (&r_u)[Q], T (&r_z)[Q]) const {
    using Point = fem::PointValue<T, 3, 1>;
    if (!this->here()) return T{};
    const T weight = g.weight[c] * g.weight[b];
    const auto the_point = [](int z) { return z; };
    if constexpr (curved) {
      return this->apply_physics(r_u, r_z, the_point, [&](int z, const Point& u, Point& v) {
        T r_jacobian[3][3];
        sum_nodes(z, r_jacobian);
        apply_recomputed_at_point(a.physics, r_jacobian, weight * g.weight[z], u, v);
      });
    } else {
      const auto line = fem::HexLine<T, 0, Team::U>::from(s_map, g.place[c], g.place[b]);
      return this->apply_physics(r_u, r_z, the_point, [&](int z, const Point& u, Point& v) {
        T r_jacobian[3][3];
        find_jacobian(line, g, z, r_jacobian);
        apply_recomputed_at_point(a.physics, r_jacobian, weight * g.weight[z], u, v);
      });
    }
  }
};

// Mapping  a thread block takes E elements, Q x Q threads each.
// Traffic  node numbers twice (the second time from a cache), the map by element (curved: nodes of the geometry), x and
//          y by element.
// Shared   the values of an element at one or two of its passes, and its map.
// Result   repeatable with contributions, which are added up in a fixed order; atomic sums take any order.
template <class T, int P, int Q, class Physics, bool curved>
__global__ void __launch_bounds__((recomputed_hex_tuning<P, Q, Physics, curved>().threads),
                                  (recomputed_hex_tuning<P, Q, Physics, curved>().resident))
    apply_recomputed_lines(const __grid_constant__ RecomputedArgs<T, P, Q, Physics> args) {
  using Team = RecomputedTeam<T, P, Q, Physics, curved>;
  extern __shared__ __align__(16) char s_bytes[];
  T* s_all = reinterpret_cast<T*>(s_bytes);
  const auto of_element = Team::make(args.hexes, s_all);
  const Team team{of_element, args.geometry, s_all + Team::maps_at + of_element.local * Team::map_size};
  T r_u[Q], r_z[Q];
  if constexpr (!curved) team.fetch_map();
  team.evaluate(team.find_nodes(), r_u);
  if constexpr (!curved) wait_for_copies();
  if constexpr (Team::grad)
    team.differentiate(r_u, r_z);
  else
    team.wait();
  const T product = args.hexes.alpha * team.apply_physics_recomputed(r_u, r_z);
  if constexpr (Team::grad) team.integrate(r_u, r_z);
  team.scatter_to_nodes(team.find_nodes(), r_u);
  if (args.hexes.block_sums) write_block_sum(product, s_all, args.hexes.block_sums);
}

template <bool curved, int P, int Q, class T, class Physics>
void launch_recomputed(Queue& queue, const ElementData<T>& data, const HexArgs<T, P, Q, Physics>& hexes,
                       unsigned blocks) {
  RecomputedArgs<T, P, Q, Physics> args{hexes, {}};
  HexGeometry<T, Q>& g = args.geometry;
  const TensorBasis& basis = *data.basis.tensor;
  for (int q = 0; q < Q; ++q) {
    g.place[q] = static_cast<T>(basis.points[static_cast<std::size_t>(q)] - 0.5);
    g.weight[q] = static_cast<T>(basis.weights[static_cast<std::size_t>(q)]);
  }
  if constexpr (curved) {
    while (g.num_nodes * g.num_nodes * g.num_nodes < data.map.num_nodes()) ++g.num_nodes;
    g.cell_nodes = data.cell_nodes.data();
    g.points = data.points.data();
    const LagrangeTable table = tabulate_lagrange(equispaced(g.num_nodes - 1), basis.points);
    for (int q = 0; q < Q; ++q)
      for (int n = 0; n < g.num_nodes; ++n) {
        const auto entry = static_cast<std::size_t>(q * g.num_nodes + n);
        g.values[q][n] = static_cast<T>(table.values[entry]);
        g.derivatives[q][n] = static_cast<T>(table.derivatives[entry]);
      }
  }
  if constexpr (recomputed_hex_tuning<P, Q, Physics, curved>().layout == HexLayout::whole) {
    apply_linear_hexes_recomputed<<<blocks, whole_threads, 0, queue.stream()>>>(args);
  } else {
    using Team = RecomputedTeam<T, P, Q, Physics, curved>;
    static_assert(Team::shared_bytes <= 48 * 1024);
    apply_recomputed_lines<T, P, Q, Physics, curved>
        <<<blocks, Team::tuning.threads, Team::shared_bytes, queue.stream()>>>(args);
  }
  check_launch("apply_recomputed_hexes", queue.stream());
}

template <bool curved, class T, class Physics, class Orders>
void apply_hexes_recomputed(Queue& queue, const ElementData<T>& data, const PointKernel<T>& kernel,
                            const ApplyRequest<T>& r) {
  const auto launch = [&]<int P, int Q>(const HexArgs<T, P, Q, Physics>& args, unsigned blocks) {
    launch_recomputed<curved, P, Q>(queue, data, args, blocks);
  };
  apply_hex_request<Orders>(queue, data, kernel, physics_from_bytes<Physics>(kernel.gpu_bytes()), r, launch);
}

}  // namespace millrace::cuda
