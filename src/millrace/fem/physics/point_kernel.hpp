// A physics with its type forgotten: plain functions that fold the geometry of an element into stored numbers and apply
// the physics at all points of a batch of elements. Everything else of an element operator is compiled once, without
// knowing the physics.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "millrace/fem/basis/element_basis.hpp"
#include "millrace/fem/basis/geometry.hpp"
#include "millrace/fem/basis/lanes.hpp"
#include "millrace/fem/physics.hpp"
#include "millrace/fem/physics/point_map.hpp"

namespace millrace {

class Queue;
template <class T>
struct ApplyRequest;
template <class T>
struct ElementData;

template <class T>
struct PointKernel;

/// Where coefficients that are fields are wanted.
struct FieldPlaces {
  const CellBlock& block;
  const ElementBasis& basis;  // of the operator, with the points
};
/// What they made for it, kept as long as it is read.
using FieldOwners = std::vector<std::shared_ptr<const void>>;

/// What a GPU does with a physics: plain functions, null where the physics was not compiled for them.
template <class T>
struct GpuFunctions {
  /// The whole operator, y = alpha A x + beta y.
  using Apply = void (*)(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics,
                         const ApplyRequest<T>& request);
  Apply hexes = nullptr, tets = nullptr;                   // with stored factors
  Apply straight_hexes = nullptr, curved_hexes = nullptr;  // with factors recomputed at the points
  /// The physics alone at the points, in place, in the order of the queue: for the unfused operator.
  /// stored [num_elem, num_stored, points], value [num_elem, comps, points], grad [num_elem, comps, dim, points] there;
  /// `physics` are PointKernel::gpu_bytes(), on the host. Anybody's function may stand here, such as one of a library
  /// that was compiled long ago.
  void (*points)(Queue& queue, const void* physics, std::int64_t num_elem, int num_points, const T* stored, T* value,
                 T* grad) = nullptr;
  /// Keeps nodal fields first, first + 1, ... at the points, as PointKernel::set_field: value [num_elem, num, points],
  /// grad [num_elem, num, dim, points] with respect to reference coordinates. Null where the physics has none.
  void (*set_fields)(Queue& queue, const void* physics, std::int64_t num_elem, int num_points, int first, int num,
                     const T* value, const T* grad, T* stored) = nullptr;
  /// Instead of PointKernel::store (a physics given as source text): writes stored [num_elem, num_stored, points], and
  /// into *first_bad, which comes as the maximum of Index, the first element with a determinant that is not positive.
  void (*store)(Queue& queue, const void* physics, const PointMap& map, T* stored, Index* first_bad) = nullptr;
};

template <class T>
struct PointKernel {
  int dim = 0, comps = 0, num_stored = 0;
  int num_fields = 0, num_state = 0;  // nodal fields that are kept at the points; the first num_state are its state
  bool uses_value = false, uses_grad = false, symmetric = false;
  std::vector<std::byte> physics;      // the functor's bytes
  std::vector<std::byte> gpu_physics;  // of the functor that the functions of a GPU apply; empty: the same

  /// Writes the lane of the element that `stored` points to, in the stored [points, num_stored, lanes] of a batch;
  /// returns the smallest determinant of the element.
  double (*store)(const void* physics, const ElementPoints& element, T* stored) = nullptr;
  /// In place. stored [points, num_stored, lanes], value [comps, points, lanes], grad [comps, dim, points, lanes].
  void (*apply)(const void* physics, int num_points, const T* stored, T* value, T* grad) = nullptr;
  /// Tells the coefficients that are fields where they are wanted, before anything is stored. Null: there are none.
  void (*bind)(void* physics, const FieldPlaces& at, FieldOwners& owners) = nullptr;
  /// Keeps a field at the points of a batch: value [points, lanes], grad [dim, points, lanes] with respect to reference
  /// coordinates, stored as above. Null where num_fields is 0.
  void (*set_field)(const void* physics, int field, int num_points, const T* value, const T* grad, T* stored) = nullptr;
  GpuFunctions<T> on_gpu{};
  std::shared_ptr<const void> owner;  // of what the bytes point to

  const void* gpu_bytes() const { return gpu_physics.empty() ? physics.data() : gpu_physics.data(); }
};

/// A functor as bytes, and back.
template <class P>
std::vector<std::byte> physics_to_bytes(const P& physics) {
  const auto bytes = std::bit_cast<std::array<std::byte, sizeof(P)>>(physics);
  return {bytes.begin(), bytes.end()};
}
template <class P>
P physics_from_bytes(const void* bytes) {
  std::array<std::byte, sizeof(P)> copy;
  std::memcpy(copy.data(), bytes, sizeof(P));
  return std::bit_cast<P>(copy);
}

namespace detail {

/// A physics without branches computes on Lanes; others, one element after another.
template <class P>
inline constexpr bool takes_lanes = false;
template <class P>
  requires requires { P::takes_lanes; }
inline constexpr bool takes_lanes<P> = P::takes_lanes;

template <class T, class P>
double store_points(const void* physics, const ElementPoints& element, T* stored) {
  constexpr int D = P::dim, S = P::num_stored;
  const int n = element.num_points;
  double smallest = 0;
  for (int q = 0; q < n; ++q) {
    fem::PointGeometry<double, D> g;
    for (int i = 0; i < D; ++i) {
      g.x[i] = element.places[i * n + q];
      for (int j = 0; j < D; ++j) g.jacobian[i][j] = element.jacobians[(i * D + j) * n + q];
    }
    fem::invert(g);
    g.weight = element.weights[q];
    g.element = element.element;
    g.point = q;
    g.group = element.group;
    smallest = q == 0 ? g.det : std::min(smallest, g.det);
    double numbers[unsigned(S)];
    static_cast<const P*>(physics)->store(g, numbers);
    for (int s = 0; s < S; ++s)
      stored[(static_cast<std::ptrdiff_t>(q) * S + s) * num_lanes<T>] = static_cast<T>(numbers[s]);
  }
  return smallest;
}

/// Coefficients that are fields have a bind(places, owners). Called on the host alone, but through functions that a
/// device has, too.
struct BindCoefficient {
  const FieldPlaces& at;
  FieldOwners& owners;
#ifdef __CUDACC__
#pragma nv_exec_check_disable
#endif
  template <class Coefficient>
  MILLRACE_HD void operator()(Coefficient& coefficient) const {
    if constexpr (requires { coefficient.bind(at, owners); }) coefficient.bind(at, owners);
  }
};
template <class P>
void bind_coefficients(void* physics, const FieldPlaces& at, FieldOwners& owners) {
  P::each_coefficient(*static_cast<P*>(physics), BindCoefficient{at, owners});
}

template <class T, class P>
void set_field_at_points(const void* physics, int field, int n, const T* value, const T* grad, T* stored) {
  constexpr int D = P::dim, S = P::num_stored, L = num_lanes<T>;
  for (int q = 0; q < n; ++q, stored += S * L)
    for (int l = 0; l < L; ++l) {
      T numbers[unsigned(S)], slope[unsigned(D)];
      for (int s = 0; s < S; ++s) numbers[s] = stored[s * L + l];
      for (int d = 0; d < D; ++d) slope[d] = grad[(static_cast<std::ptrdiff_t>(d) * n + q) * L + l];
      static_cast<const P*>(physics)->set_field(field, value[static_cast<std::ptrdiff_t>(q) * L + l], slope, numbers);
      for (int s = 0; s < S; ++s) stored[s * L + l] = numbers[s];
    }
}

/// The physics at one point. load_stored(s), and entry(i) for the i-th of the values, then of the gradients.
template <class N, class P, class Stored, class Load, class Store>
[[gnu::always_inline]] inline void apply_point(const P& physics, Stored&& load_stored, Load&& load, Store&& store) {
  constexpr int D = P::dim, C = P::comps, S = P::num_stored;
  N stored[unsigned(S)];
  fem::PointValue<N, D, C> u, v;
  for (int s = 0; s < S; ++s) stored[s] = load_stored(s);
  for (int c = 0; c < C; ++c) {
    if constexpr (P::uses_value) u.value[c] = load(true, c);
    if constexpr (P::uses_grad)
      for (int d = 0; d < D; ++d) u.grad[c][d] = load(false, c * D + d);
  }
  physics.template apply<N>(stored, u, v);
  for (int c = 0; c < C; ++c) {
    if constexpr (P::uses_value) store(true, c, v.value[c]);
    if constexpr (P::uses_grad)
      for (int d = 0; d < D; ++d) store(false, c * D + d, v.grad[c][d]);
  }
}

/// OnLanes is in the name, for both kinds may meet in one program.
template <class T, class P, bool OnLanes>
void apply_points(const void* bytes, int n, const T* stored, T* value, T* grad) {
  constexpr int L = num_lanes<T>, S = P::num_stored;
  const P physics = *static_cast<const P*>(bytes);
  const auto at = [&](bool of_value, int row, int q) -> T* {
    return (of_value ? value : grad) + (static_cast<std::ptrdiff_t>(row) * n + q) * L;
  };
  for (int q = 0; q < n; ++q, stored += S * L)
    if constexpr (OnLanes) {
      apply_point<Lanes<T>>(
          physics, [&](int s) { return Lanes<T>::load(stored + s * L); },
          [&](bool of_value, int row) { return Lanes<T>::load(at(of_value, row, q)); },
          [&](bool of_value, int row, const Lanes<T>& number) { number.store(at(of_value, row, q)); });
    } else {
      for (int l = 0; l < L; ++l)
        apply_point<T>(
            physics, [&](int s) { return stored[s * L + l]; },
            [&](bool of_value, int row) { return at(of_value, row, q)[l]; },
            [&](bool of_value, int row, T number) { at(of_value, row, q)[l] = number; });
    }
}

}  // namespace detail

/// As make_point_kernel (physics/built_in.hpp), compiled where it is called.
template <class T, fem::Physics P>
PointKernel<T> compile_point_kernel(const P& physics) {
  constexpr bool on_lanes = has_lanes && detail::takes_lanes<P>;
  PointKernel<T> kernel;
  kernel.dim = P::dim;
  kernel.comps = P::comps;
  kernel.num_stored = P::num_stored;
  kernel.uses_value = P::uses_value;
  kernel.uses_grad = P::uses_grad;
  kernel.symmetric = fem::is_symmetric<P>;
  kernel.physics = physics_to_bytes(physics);
  kernel.store = detail::store_points<T, P>;
  kernel.apply = detail::apply_points<T, P, on_lanes>;
  if constexpr (requires(P& p, const detail::BindCoefficient& bind) { P::each_coefficient(p, bind); })
    kernel.bind = detail::bind_coefficients<P>;
  if constexpr (requires { P::num_fields; })
    if constexpr (P::num_fields > 0) {
      kernel.num_fields = P::num_fields;
      kernel.num_state = P::num_state;
      kernel.set_field = detail::set_field_at_points<T, P>;
    }
  return kernel;
}

}  // namespace millrace
