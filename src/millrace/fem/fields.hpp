// Coefficients that are fields: numbers by physical group, at the quadrature points, or at the nodes of a space. They
// stand where the physics of fem/physics.hpp and functors of fem::Pointwise have a coefficient:
//   fem::Diffusion<3, fem::ByGroup>{{{1, 0.5}, {2, 40}}}
#pragma once

#include <initializer_list>
#include <span>

#include "millrace/fem/physics/point_kernel.hpp"
#include "millrace/fem/space.hpp"

namespace millrace::fem {

/// The number of a physical group of cells.
struct GroupValue {
  std::int32_t tag = 0;
  double number = 0;
};

/// One number for each physical group of cells. An operator is made only if every group of its mesh has one.
class ByGroup {
 public:
  static constexpr int max_groups = 32;
  ByGroup() = default;
  ByGroup(std::initializer_list<GroupValue> values) : ByGroup(std::span(values.begin(), values.size())) {}
  explicit ByGroup(std::span<const GroupValue> values);

  /// At a point.
  template <class T, int D>
  MILLRACE_HD T operator()(const PointGeometry<T, D>& g) const {
    int i = 0;
    while (i + 1 < num_ && values_[i].tag != g.group) ++i;
    return T(values_[i].number);
  }
  /// An Error lists the groups that have no number.
  void bind(const FieldPlaces& at, FieldOwners& owners) const;

 private:
  int num_ = 0;
  GroupValue values_[unsigned(max_groups)] = {};
};

/// Numbers at the quadrature points of the operator, [num_elem, comps, points], where points are those of its rule: of
/// quads and hexes x fastest. One component is a coefficient, `dim` of them a velocity. The numbers are read while the
/// operator is made, and with recomputed factors as long as it is used.
class PointField {
 public:
  PointField() = default;
  explicit PointField(std::span<const double> values, int comps = 1) : values_(values), comps_(comps) {}

  /// At a point.
  template <class T, int D>
  MILLRACE_HD T operator()(const PointGeometry<T, D>& g) const {
    return T(at_points_[std::int64_t{g.element} * comps_ * num_points_ + g.point]);
  }
  /// All components at a point.
  template <class T, int D>
  MILLRACE_HD void operator()(const PointGeometry<T, D>& g, T* numbers) const {
    for (int c = 0; c < comps_; ++c)
      numbers[c] = T(at_points_[(std::int64_t{g.element} * comps_ + c) * num_points_ + g.point]);
  }
  /// An Error unless there is a number for every point.
  void bind(const FieldPlaces& at, FieldOwners& owners);

 protected:
  std::span<const double> values_;
  const double* at_points_ = nullptr;  // [num_elem, comps, points]
  int comps_ = 1, num_points_ = 0;
};

/// A field of a space on the same mesh, of any order, interpolated to the points when the operator is made. Space and
/// values are not needed after that.
class NodalField : public PointField {
 public:
  NodalField() = default;
  /// values [space.num_dofs()].
  NodalField(const Space& space, std::span<const double> values) : PointField(values, space.comps), space_(&space) {}
  /// Interpolates. An Error unless space and values belong together and to the mesh.
  void bind(const FieldPlaces& at, FieldOwners& owners);

 private:
  const Space* space_ = nullptr;
};

}  // namespace millrace::fem
