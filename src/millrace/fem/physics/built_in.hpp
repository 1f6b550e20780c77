// The lists of built-in physics, each once: those compiled for the host in the library, and those that kernels of a GPU
// know. Programs that use them do not compile them again.
#pragma once

#include <tuple>
#include <type_traits>

#include "millrace/fem/physics/point_kernel.hpp"

namespace millrace {

template <int D>
using BuiltInPhysicsOf = std::tuple<fem::Mass<D>, fem::Diffusion<D>, fem::VectorMass<D>, fem::VectorDiffusion<D>,
                                    fem::Helmholtz<D>, fem::ConvectionDiffusion<D>, fem::Elasticity<D>>;
/// With constant coefficients, on the host.
using BuiltInPhysics = decltype(std::tuple_cat(BuiltInPhysicsOf<2>{}, BuiltInPhysicsOf<3>{}));
/// On a GPU, fused: each has its kernels in hex/ and tet/.
using FusedPhysics = std::tuple<fem::Mass<3>, fem::Diffusion<3>, fem::Helmholtz<3>>;
/// On a GPU, at the points alone.
using PointPhysics =
    decltype(std::tuple_cat(FusedPhysics{}, std::tuple<fem::ConvectionDiffusion<3>, fem::Elasticity<3>>{}));

template <class P, class List>
inline constexpr bool is_among = false;
template <class P, class... Ps>
inline constexpr bool is_among<P, std::tuple<Ps...>> = (std::is_same_v<P, Ps> || ...);

/// The Form of a physics where the list has it; else void, also for what is derived from a built-in one.
template <class P, class List>
struct FormAmong {
  using type = void;
};
template <class P, class List>
  requires(is_among<typename P::Form, List> && std::is_same_v<typename P::Self, P>)
struct FormAmong<P, List> {
  using type = typename P::Form;
};
/// The physics whose kernels on a GPU serve another one, fused and at the points alone; void: there are none.
template <class P>
using FusedForm = typename FormAmong<P, FusedPhysics>::type;
template <class P>
using PointForm = typename FormAmong<P, PointPhysics>::type;

/// Can its factors be recomputed at a point, from the geometry there?
template <class P>
inline constexpr bool can_recompute =
    requires(const P& physics, const fem::PointCofactors<double>& g, const fem::PointValue<double, 3, P::comps>& u,
             fem::PointValue<double, 3, P::comps>& v) { physics.apply_with(g, u, v); };

/// make_point_kernel of one of BuiltInPhysics, compiled in the library.
template <class T, class P>
PointKernel<T> make_built_in_kernel(const P& physics);

template <class T, fem::Physics P>
PointKernel<T> make_point_kernel(const P& physics) {
  if constexpr (is_among<P, BuiltInPhysics>)
    return make_built_in_kernel<T>(physics);
  else
    return compile_point_kernel<T>(physics);
}

}  // namespace millrace
