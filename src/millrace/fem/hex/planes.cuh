// The fused kernel of hexahedra on a GPU, for few nodes and little to keep at a point: a thread has a whole plane of an
// element in registers, so that the element turns only twice through shared memory, between Q threads of one warp.
// Elements of a warp that follow each other add up what they share before it is written. NVRTC compiles this file as
// well.
#pragma once

#include "millrace/fem/hex/lines.cuh"

namespace millrace::cuda {

/// The first number from `min` on that leaves this rest when it is divided by the number of banks.
constexpr int with_rest(int min, int rest, int banks) { return min + (rest + banks - min % banks) % banks; }

/// Shared memory of a thread block: values [E, size], in an element [x, array, y, z] or nodes [z, y, x]; the nodes of
/// an element in the order of entities; the entities [E, 27]. A thread's x, or z, and the element take neighbouring
/// banks.
template <class T, int P, int Q, bool grad>
struct PlanesLayout {
  static constexpr HexTuning tuning = planes_tuning({.P = P, .Q = Q, .uses_grad = grad});
  static constexpr int banks = 128 / int{sizeof(T)}, arrays = grad ? 3 : 1;
  static constexpr int step = with_rest(arrays * Q * Q, 1, banks), size = with_rest(P * step, Q % banks, banks);
  static constexpr int threads = tuning.threads, E = tuning.elements;
  static constexpr int values_bytes = E * size * int{sizeof(T)}, table_bytes = P * P * P * 8;
  static constexpr int bytes = values_bytes + table_bytes + E * 27 * 8;
};

/// The n-th node of an element, entity by entity: steps from the first node of its entity; the entity, where it begins,
/// and the place of the node in the element.
struct EntityNode {
  int steps, packed;
  __device__ int entity() const { return packed & 31; }
  __device__ int begin() const { return packed >> 5 & 1023; }
  __device__ int place() const { return packed >> 15; }
};

/// One element and its Q threads; t: the plane x = t at the nodes, z = t at the points.
template <class T, int P, int Q, class Physics>
struct HexPlanes {
  static constexpr bool grad = Physics::uses_grad, on_nodes = P == Q;
  static constexpr int S = Physics::num_stored, num_nodes = P * P * P, per_warp = hex_planes_per_warp(Q);
  using Layout = PlanesLayout<T, P, Q, grad>;
  static constexpr int size = Layout::size;

  const HexArgs<T, P, Q, Physics>& a;
  T* s_warp;                  // [per_warp, size]
  const EntityNode* s_nodes;  // [P, P, P]
  int2* s_entities;           // [per_warp, 27]
  int group, which, t;

  static __device__ HexPlanes make(const HexArgs<T, P, Q, Physics>& a, char* s_bytes) {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    auto* s_nodes = reinterpret_cast<EntityNode*>(s_bytes + Layout::values_bytes);
    auto* s_entities = reinterpret_cast<int2*>(s_bytes + Layout::values_bytes + Layout::table_bytes);
    for (int n = static_cast<int>(threadIdx.x); n < num_nodes; n += Layout::threads) list_node(n, s_nodes);
    return {a,
            reinterpret_cast<T*>(s_bytes) + warp * (per_warp * size),
            s_nodes,
            s_entities + warp * (per_warp * 27),
            static_cast<int>(blockIdx.x) * (Layout::threads / 32) + warp,
            lane / Q,
            lane % Q};
  }
  static __device__ void list_node(int place, EntityNode* s_nodes) {
    const int i = place % P, j = place / P % P, k = place / (P * P);
    const int x = entity_class(P, i), y = entity_class(P, j), z = entity_class(P, k);
    const int in_x = x == 1 ? i - 1 : 0, in_y = y == 1 ? j - 1 : 0, in_z = z == 1 ? k - 1 : 0;
    const int entity = x + 3 * y + 9 * z, begin = entity_begin(P, x, y, z);
    s_nodes[entity_place<P>(i, j, k)] = {in_x | in_y << 8 | in_z << 16, entity | begin << 5 | place << 15};
  }

  __device__ int lane() const { return static_cast<int>(threadIdx.x) % 32; }
  __device__ Index element(int e) const { return group * per_warp + e; }
  __device__ bool has(int e) const { return e < per_warp && element(e) < a.num_elem; }
  __device__ T& at(int array, int i, int y, int z) const {
    return s_warp[which * size + i * Layout::step + (array * Q + y) * Q + z];
  }
  __device__ const Index* numbers(int e) const { return a.offsets + std::int64_t{element(e)} * num_nodes; }

  /// Brings the entities of the warp's elements to shared memory beside the work, for they are needed last.
  __device__ __forceinline__ void fetch_entities() const {
    const auto* from = reinterpret_cast<const int2*>(a.entities) + std::int64_t{group} * (27 * per_warp);
    for (int n = lane(); n < 27 * per_warp; n += 32)
      if (has(n / 27))
        copy_behind(s_entities + n, from + n);
      else
        s_entities[n] = {-1, 0};
  }

  /// The nodes of plane t straight into registers, entity by entity.
  __device__ __forceinline__ void gather_entities(T (&r_n)[P][P]) const {
    const EntityNodes* entities = a.entities + std::int64_t{element(which)} * 27 + entity_class(P, t);
#pragma unroll
    for (int z = 0; z < 3; ++z)
#pragma unroll
      for (int y = 0; y < 3; ++y) {
        const EntityNodes entity = load_entity(entities + 3 * y + 9 * z);
        const Index first = entity.first + entity.step[0] * (t - 1);
#pragma unroll
        for (int k = 0; k < P; ++k)
#pragma unroll
          for (int j = 0; j < P; ++j)
            if (entity_class(P, k) == z && entity_class(P, j) == y)
              r_n[k][j] = entity.first >= 0 ? a.x[first + entity.step[1] * (j - 1) + entity.step[2] * (k - 1)] : T{};
      }
  }
  /// Without entities: the nodes of all elements of the warp, those of the same place beside each other.
  __device__ __forceinline__ void gather_numbers() const {
#pragma unroll 2
    for (int step = 0; step < num_nodes * per_warp; step += 32) {
      const int m = step + lane(), e = m % per_warp, place = m / per_warp;
      if (m < num_nodes * per_warp) {
        const Index number = has(e) ? numbers(e)[place] : -1;
        s_warp[e * size + place] = number >= 0 ? a.x[number] : T{};
      }
    }
    __syncwarp();
  }

  /// From nodes to points and back along one direction, or nothing where they are the same.
  template <int use>
  __device__ __forceinline__ void interpolate(const T (&r_n)[P], T (&r_q)[Q]) const {
    if constexpr (on_nodes)
#pragma unroll
      for (int n = 0; n < P; ++n) r_q[n] = r_n[n];
    else
      a.interp.template apply<use>(r_n, r_q);
  }
  template <int use>
  __device__ __forceinline__ void interpolate_back(const T (&r_q)[Q], T (&r_n)[P]) const {
    if constexpr (on_nodes)
#pragma unroll
      for (int n = 0; n < P; ++n) r_n[n] = r_q[n];
    else
      a.interp.template apply_back<use>(r_q, r_n);
  }

  /// The nodes of plane t, which are there where there are no entities.
  __device__ __forceinline__ void read_nodes(T (&r_n)[P][P]) const {
#pragma unroll
    for (int n = 0; n < P * P; ++n) r_n[n / P][n % P] = s_warp[which * size + t + P * n];
  }
  __device__ __forceinline__ void write_nodes(const T (&r_n)[P][P]) const {
#pragma unroll
    for (int n = 0; n < P * P; ++n) s_warp[which * size + t + P * n] = r_n[n / P][n % P];
  }
  /// Leaves the plane [z, y] between nodes x: values in array 0, their derivatives along y and z in 1 and 2.
  __device__ __forceinline__ void spread(const T (&r_n)[P][P]) const {
    T r_y[P][Q];
#pragma unroll
    for (int k = 0; k < P; ++k) interpolate<0>(r_n[k], r_y[k]);
    spread_along_z(r_y, 0);
    if constexpr (grad) {
#pragma unroll
      for (int k = 0; k < P; ++k) {
        T r_line[Q];
        a.derive.template apply<1>(r_y[k], r_line);
#pragma unroll
        for (int y = 0; y < Q; ++y) r_y[k][y] = r_line[y];
      }
      spread_along_z(r_y, 1);
    }
  }
  __device__ __forceinline__ void spread_along_z(const T (&r_y)[P][Q], int array) const {
#pragma unroll
    for (int y = 0; y < Q; ++y) {
      T r_line[P], r_z[Q];
#pragma unroll
      for (int k = 0; k < P; ++k) r_line[k] = r_y[k][y];
      interpolate<1>(r_line, r_z);
#pragma unroll
      for (int z = 0; z < Q; ++z) at(array, t, y, z) = r_z[z];
      if constexpr (grad) {
        if (array > 0) continue;
        T r_derived[Q];
        a.derive.template apply<0>(r_z, r_derived);
#pragma unroll
        for (int z = 0; z < Q; ++z) at(2, t, y, z) = r_derived[z];
      }
    }
  }

  /// The line of nodes x at (y, z = t), at the points; and back.
  __device__ __forceinline__ void read_line(int array, int y, T (&r_x)[Q]) const {
    T r_line[P];
#pragma unroll
    for (int i = 0; i < P; ++i) r_line[i] = at(array, i, y, t);
    interpolate<2>(r_line, r_x);
  }
  __device__ __forceinline__ void write_line(int array, int y, const T (&r_x)[Q]) const {
    T r_line[P];
    interpolate_back<2>(r_x, r_line);
#pragma unroll
    for (int i = 0; i < P; ++i) at(array, i, y, t) = r_line[i];
  }
  /// The physics at the points of plane z = t, line after line, in place. Returns the thread's part of <x, A x>.
  __device__ __forceinline__ T apply_physics() const {
    T product{};
    const T* factors = a.factors + std::int64_t{group} * (S * Q * Q * Q * per_warp) + which * Q + t;
#pragma unroll
    for (int y = 0; y < Q; ++y) {
      T r_u[Q], r_x[Q], r_y[Q], r_z[Q];
      read_line(0, y, r_u);
      if constexpr (grad) a.derive.template apply<2>(r_u, r_x), read_line(1, y, r_y), read_line(2, y, r_z);
#pragma unroll
      for (int x = 0; x < Q; ++x)
        product += apply_at_point(a.physics, factors + (y * Q + x) * (Q * per_warp), Q * Q * (Q * per_warp), r_u[x],
                                  r_x[x], r_y[x], r_z[x]);
      if constexpr (grad) {
        T r_back[Q];
        a.derive.template apply_back<3>(r_x, r_back);
#pragma unroll
        for (int x = 0; x < Q; ++x) r_u[x] += r_back[x];
        write_line(1, y, r_y), write_line(2, y, r_z);
      }
      write_line(0, y, r_u);
    }
    return product;
  }

  /// The way back of `spread`.
  __device__ __forceinline__ void collect(T (&r_n)[P][P]) const {
    T r_y[P][Q];
    if constexpr (grad) {
      collect_along_z(r_y, 1);
#pragma unroll
      for (int k = 0; k < P; ++k) {
        T r_line[Q];
        a.derive.template apply_back<4>(r_y[k], r_line);
#pragma unroll
        for (int y = 0; y < Q; ++y) r_y[k][y] = r_line[y];
      }
    }
    collect_along_z(r_y, 0);
#pragma unroll
    for (int k = 0; k < P; ++k) interpolate_back<3>(r_y[k], r_n[k]);
  }
  __device__ __forceinline__ void collect_along_z(T (&r_y)[P][Q], int array) const {
#pragma unroll
    for (int y = 0; y < Q; ++y) {
      T r_z[Q], r_line[P];
#pragma unroll
      for (int z = 0; z < Q; ++z) r_z[z] = at(array, t, y, z);
      if constexpr (grad) {
        if (array == 0) {
          T r_derived[Q], r_back[Q];
#pragma unroll
          for (int z = 0; z < Q; ++z) r_derived[z] = at(2, t, y, z);
          a.derive.template apply_back<5>(r_derived, r_back);
#pragma unroll
          for (int z = 0; z < Q; ++z) r_z[z] += r_back[z];
        }
      }
      interpolate_back<1>(r_z, r_line);
#pragma unroll
      for (int k = 0; k < P; ++k) r_y[k][y] = grad && array == 0 ? r_y[k][y] + r_line[k] : r_line[k];
    }
  }

  __device__ int bits_of(int e) const { return a.merges && has(e) ? a.merges[element(e)] : 0; }
  /// Gives the warp's elements back to the space, atomically or into contributions.
  template <bool to_contributions>
  __device__ __forceinline__ void scatter_to_nodes() const {
    if (a.entities)
      scatter_entities<to_contributions>();
    else
      scatter_numbers<to_contributions>();
  }
  /// Neighbouring threads have neighbours of a entity.
  template <bool to_contributions>
  __device__ __forceinline__ void scatter_entities() const {
    int r_bits[per_warp];
#pragma unroll
    for (int e = 0; e < per_warp; ++e) r_bits[e] = bits_of(e);
#pragma unroll
    for (int step = 0; step < num_nodes; step += 32) {
      const bool in = step + 32 <= num_nodes || step + lane() < num_nodes;
      const EntityNode node = s_nodes[in ? step + lane() : 0];
      const int x = node.entity() % 3;
#pragma unroll
      for (int e = 0; e < per_warp; ++e) {
        const int2 entity = s_entities[e * 27 + node.entity()];
        if (!in || entity.x < 0 || (x == 2 && (r_bits[e] & FaceMerge::with_next))) continue;
        const Index number = __dp4a(entity.y, node.steps, entity.x);
        const int place = node.begin() + number - entity.x + (entity.y >> 24 & 255);
        scatter_node<to_contributions>(e, node, number, place, x == 0 && (r_bits[e] & FaceMerge::with_previous));
      }
    }
  }
  /// Neighbouring threads have neighbouring elements.
  template <bool to_contributions>
  __device__ __forceinline__ void scatter_numbers() const {
#pragma unroll 1
    for (int step = 0; step < num_nodes * per_warp; step += 32) {
      const int m = step + lane(), e = m % per_warp, n = m / per_warp;
      if (m >= num_nodes * per_warp || !has(e)) continue;
      const EntityNode node = s_nodes[n];
      const int x = node.entity() % 3, bits = bits_of(e);
      const Index number = numbers(e)[node.place()];
      if (number < 0 || (x == 2 && (bits & FaceMerge::with_next))) continue;
      scatter_node<to_contributions>(e, node, number, n, x == 0 && (bits & FaceMerge::with_previous));
    }
  }
  /// One node of element e. Where `merged`, element e - 1 has it as well and leaves it to e; a node inside a face that
  /// two elements of the warp share is nobody else's.
  template <bool to_contributions>
  __device__ __forceinline__ void scatter_node(int e, const EntityNode& node, Index number, int place,
                                               bool merged) const {
    T value = s_warp[e * size + node.place()];
    if (merged) value += s_warp[(e - 1) * size + node.place() + P - 1];
    value *= a.alpha;
    if (node.entity() == 13 || (merged && node.entity() == 12))
      update(a.y[number], T{1}, value, node.entity() == 13 ? a.beta : a.face_beta);
    else if constexpr (to_contributions)
      a.contributions[hex_contribution<P>(element(e), place)] = value;
    else
      atomicAdd(a.y + number, value);
  }

  /// All of it. Returns the thread's part of <x, A x>.
  __device__ __forceinline__ T apply() const {
    const bool works = has(which), has_nodes = works && t < P;
    if (a.entities) fetch_entities();
    __syncthreads();  // for s_nodes
    {
      T r_n[P][P];
      if (a.entities) {
        if (has_nodes) gather_entities(r_n);
      } else {
        gather_numbers();
        if (has_nodes) read_nodes(r_n);
        __syncwarp();
      }
      if (has_nodes) spread(r_n);
    }
    __syncwarp();
    const T product = works ? apply_physics() : T{};
    __syncwarp();
    T r_n[P][P];
    if (has_nodes) collect(r_n);
    __syncwarp();
    if (has_nodes) write_nodes(r_n);
    wait_for_copies();
    __syncwarp();
    if (a.contributions)
      scatter_to_nodes<true>();
    else
      scatter_to_nodes<false>();
    return product;
  }
};

}  // namespace millrace::cuda
