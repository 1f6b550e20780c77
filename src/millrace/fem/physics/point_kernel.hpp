// A physics with its type forgotten: plain functions that fold the geometry of an element into stored numbers and apply
// the physics at all points of a batch of elements. Everything else of an element operator is compiled once, without
// knowing the physics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

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
struct PointKernel {
  int dim = 0, comps = 0, num_stored = 0;
  bool uses_value = false, uses_grad = false, symmetric = false;
  std::vector<std::byte> physics;  // the functor's bytes

  /// Writes the lane of the element that `stored` points to, in the stored [points, num_stored, lanes] of a batch;
  /// returns the smallest determinant of the element.
  double (*store)(const void* physics, const ElementPoints& element, T* stored) = nullptr;
  /// In place. stored [points, num_stored, lanes], value [comps, points, lanes], grad [comps, dim, points, lanes].
  void (*apply)(const void* physics, int num_points, const T* stored, T* value, T* grad) = nullptr;
  /// The whole operator on a GPU; null where the physics was not compiled for one.
  void (*apply_on_gpu)(Queue& queue, const ElementData<T>& data, const PointKernel& physics,
                       const ApplyRequest<T>& request) = nullptr;
  /// The physics alone at the points on a GPU, in place, in the order of the queue: for the operator action by action.
  /// stored [num_elem, num_stored, points], value [num_elem, comps, points], grad [num_elem, comps, dim, points] there;
  /// `physics` are the bytes above, on the host. Null: not compiled for a GPU. Anybody's function may stand here, such
  /// as one of a library that was compiled long ago.
  void (*apply_points_on_gpu)(Queue& queue, const void* physics, std::int64_t num_elem, int num_points, const T* stored,
                              T* value, T* grad) = nullptr;
  /// Instead of `store`, on a GPU (a physics given as source text): writes stored [num_elem, num_stored, points], and
  /// the least element of a determinant that is not positive into *first_bad, which comes as the largest Index.
  void (*store_on_gpu)(Queue& queue, const void* physics, const PointMap& map, T* stored, Index* first_bad) = nullptr;
  std::shared_ptr<const void> owner;  // of what the bytes point to
  bool recomputes_on_gpu = false;     // its bytes are those of the physics there, so that factors can be made anew
};

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
    smallest = q == 0 ? g.det : std::min(smallest, g.det);
    double numbers[unsigned(S)];
    static_cast<const P*>(physics)->store(g, numbers);
    for (int s = 0; s < S; ++s)
      stored[(static_cast<std::ptrdiff_t>(q) * S + s) * num_lanes<T>] = static_cast<T>(numbers[s]);
  }
  return smallest;
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

template <class T, fem::Physics P>
PointKernel<T> make_point_kernel(const P& physics) {
  PointKernel<T> kernel;
  kernel.dim = P::dim;
  kernel.comps = P::comps;
  kernel.num_stored = P::num_stored;
  kernel.uses_value = P::uses_value;
  kernel.uses_grad = P::uses_grad;
  kernel.symmetric = fem::is_symmetric<P>;
  kernel.physics.resize(sizeof(P));
  std::memcpy(kernel.physics.data(), &physics, sizeof(P));
  kernel.store = detail::store_points<T, P>;
  kernel.apply = detail::apply_points < T, P, has_lanes && detail::takes_lanes < P >> ;
  return kernel;
}

}  // namespace millrace
