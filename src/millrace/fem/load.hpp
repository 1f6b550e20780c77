// Load vectors: (f, v) + (g, grad v) over all cells or those of some physical groups, added to a vector of unknowns.
// Written as a function of the place, or as a functor in the manner of fem::Pointwise.
#pragma once

#include "millrace/base/operator.hpp"
#include "millrace/base/queue.hpp"
#include "millrace/fem/groups.hpp"
#include "millrace/fem/options.hpp"
#include "millrace/fem/place_function.hpp"
#include "millrace/fem/pointwise.hpp"
#include "millrace/fem/space.hpp"

namespace millrace {

/// How a load is integrated, and where.
struct LoadOptions {
  /// As of an element operator; more for a function that varies much within a cell. Where there are several blocks of
  /// cells, `num` counts for quads and hexes, `degree` for triangles and tets.
  Points points{};
  Groups groups{};  // of cells; none: all cells
};

/// A functor in the manner of fem::Pointwise: F has `static constexpr int dim, comps` and
///   template <class T> MILLRACE_HD void operator()(const T* x, T* value, T (*flux)[dim]) const;
/// with [comps] and [comps][dim], which come as zeros.
template <class F>
concept LoadFunctor = requires {
  F::dim + 0;
  F::comps + 0;
} && requires(const F& f, double* value, double (*flux)[unsigned(F::dim)]) {
  f(static_cast<const double*>(value), value, flux);
};

/// What multiplies v and grad v at a place: a LoadFunctor, which may say `uses_value = false` or `uses_grad = false`;
/// or for (f, v) alone anything that makes a PlaceFunction, as [](const Point& x) { return x[0]; }.
class Load {
 public:
  template <LoadFunctor F>
  Load(const F& f)
      : dim_(F::dim),
        min_comps_(F::comps),
        max_comps_(F::comps),
        uses_value_(fem::says_value<F>),
        uses_grad_(fem::says_grad<F>) {
    at_ = [f](const Point& x, double* value, double* flux) {
      double v[unsigned(F::comps)] = {}, g[unsigned(F::comps)][unsigned(F::dim)] = {};
      f(x.data(), v, g);
      for (int c = 0; c < F::comps; ++c) {
        value[c] = v[c];
        for (int d = 0; d < F::dim; ++d) flux[c * F::dim + d] = g[c][d];
      }
    };
  }
  template <class F>
    requires(!LoadFunctor<F> && std::is_convertible_v<const F&, PlaceFunction>)
  Load(const F& f) {
    const PlaceFunction function(f);
    require(!function.uses_normal(), "load: the function asks for a normal, which there is on a boundary alone");
    min_comps_ = function.min_comps(), max_comps_ = function.max_comps();
    at_ = [function](const Point& x, double* value, double*) { function.evaluate(x, {}, value); };
  }

  bool uses_value() const { return uses_value_; }
  bool uses_grad() const { return uses_grad_; }
  int max_comps() const { return max_comps_; }
  /// An Error unless its dimension and components are those of the space.
  void check(const Space& space) const;
  /// value [max_comps], flux [max_comps, dim] if it has one.
  void evaluate(const Point& x, double* value, double* flux) const { at_(x, value, flux); }

 private:
  std::function<void(const Point& x, double* value, double* flux)> at_;
  int dim_ = 0;  // 0: any
  int min_comps_ = 1, max_comps_ = 1;
  bool uses_value_ = true, uses_grad_ = false;
};

/// b += (f, v) + (g, grad v) for all v of the space. The function is evaluated on the host, in double; on the host, B^T
/// and the sums follow there. For b on a GPU, B^T and the sums are done there on tets and triangles, and on hexes with
/// order + 1 or order + 2 points a direction up to order 8; other loads are made on the host and copied. The same bits
/// twice and for any number of threads. The queue is where b is.
template <class T>
void add_load(Queue& queue, const Mesh& mesh, const Space& space, const Load& load, std::type_identity_t<Vectors<T>> b,
              const LoadOptions& options = {});

extern template void add_load<float>(Queue&, const Mesh&, const Space&, const Load&, Vectors<float>,
                                     const LoadOptions&);
extern template void add_load<double>(Queue&, const Mesh&, const Space&, const Load&, Vectors<double>,
                                      const LoadOptions&);

}  // namespace millrace
