// Coefficients that are fields equal the same as functions of the place; what does not fit is said before anything is
// computed.
#include "millrace/fem/fields.hpp"

#include "fem/fem_tools.hpp"
#include "millrace/fem/by_group.hpp"

namespace millrace::testing {
namespace {

/// Cells left of the middle are of group 7, others of group 3.
Mesh halves(Cell cell, int n, int geometry_order = 1) {
  Mesh mesh = make_box(cell, {n, n, dim(cell) == 3 ? n : 1}, {}, geometry_order);
  CellBlock& block = mesh.blocks.at(0);
  for (Index e = 0; e < block.num_cells(); ++e) {
    double middle = 0;
    for (const Index p : block.nodes_of(e)) middle += mesh.point(p)[0] / block.nodes_per_cell();
    block.tag.data()[e] = middle < 0.5 ? 7 : 3;
  }
  return mesh;
}

struct TwoHalves {
  template <class T>
  MILLRACE_HD T operator()(const T* x) const {
    return x[0] < T(0.5) ? T(2.5) : T(40);
  }
};

struct Tilted {  // in spaces of any order, on straight meshes
  template <class T>
  MILLRACE_HD T operator()(const T* x) const {
    return T(1) + x[0] + T(2) * x[1];
  }
};

template <int D>
struct Drift {
  template <class T>
  MILLRACE_HD void operator()(const T* x, T* b) const {
    for (int d = 0; d < D; ++d) b[d] = T(d + 1) - x[D - 1 - d];
  }
};

template <class F>
void for_both_dims(Cell cell, F&& f) {
  if (dim(cell) == 2)
    f.template operator()<2>();
  else
    f.template operator()<3>();
}

void expect_same_operator(const ElementOperator<double>& a, const ElementOperator<double>& b, std::string_view what) {
  Queue queue;
  const auto x = random_vector<double>(a.shape().cols, 3);
  const auto y = product(a, x), z = product(b, x);
  const double bound = rounding(a, max_row(b.assemble(queue)));
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], z[i], bound) << what << ", entry " << i;
}

TEST(Fields, ByGroupIsTheFunctionOfThePlace) {
  for (const Cell cell : all_cells)
    for_both_dims(cell, [&]<int D>() {
      const Mesh mesh = halves(cell, 4, 2);
      const Space space = make_space(mesh, 2);
      const auto x = random_vector<double>(space.num_nodes, 3);
      const fem::ByGroup k{{3, 40}, {7, 2.5}};
      for (const GeometricFactors factors : {GeometricFactors::stored, GeometricFactors::recomputed}) {
        const ElementOptions options{.factors = factors};
        const auto by_group =
            make_element_operator<double>(mesh, space, fem::Helmholtz<D, fem::ByGroup, fem::ByGroup>{k, k}, options);
        const auto by_place =
            make_element_operator<double>(mesh, space, fem::Helmholtz<D, TwoHalves, TwoHalves>{}, options);
        const auto y = product(by_place, x);
        EXPECT_TRUE(same_bits<double>(y, product(by_group, x))) << name(cell);
        EXPECT_TRUE(same_bits<double>(y, product(by_group.to(Device::host()), x))) << name(cell) << ", copied";
      }
    });
}

TEST(Fields, ByGroupNamesGroupsWithoutANumber) {
  const Mesh mesh = halves(Cell::quad, 4);
  const Space space = make_space(mesh, 1);
  EXPECT_EQ(error_of([&] {
              make_element_operator<double>(mesh, space, fem::Mass<2, fem::ByGroup>{{{1, 2.0}, {7, 1.0}}});
            }),
            "coefficient by group: the mesh has cells of groups without a number: 3; there are numbers for: 1 7 (0: "
            "cells of no group)");
  EXPECT_EQ(error_of([&] {
              fem::ByGroup({{1, 2.0}, {1, 3.0}});
            }),
            "coefficient by group: group 1 has two numbers, 2 and 3");
  EXPECT_EQ(error_of([&] { fem::ByGroup({}); }),
            "coefficient by group: numbers for 0 groups were given; 1 to 32 are possible");
  const std::vector<fem::GroupValue> many(33);
  EXPECT_EQ(error_of([&] { fem::ByGroup(std::span(many)); }),
            "coefficient by group: numbers for 33 groups were given; 1 to 32 are possible");
}

TEST(Fields, ByGroupTakesNames) {
  Mesh mesh = halves(Cell::quad, 4);
  mesh.names.push_back({2, 7, "left"});
  mesh.names.push_back({2, 3, "right"});
  mesh.names.push_back({2, 5, "nowhere"});
  const Space space = make_space(mesh, 2);
  const auto x = random_vector<double>(space.num_nodes, 3);
  const auto y = [&](const fem::ByGroup& k) {
    return product(make_element_operator<double>(mesh, space, fem::Mass<2, fem::ByGroup>{k}), x);
  };
  const auto by_tag = y({{3, 40}, {7, 2.5}});
  EXPECT_TRUE(same_bits<double>(by_tag, y(fem::by_group(mesh, {{"left", 2.5}, {"right", 40}}))));
  EXPECT_TRUE(same_bits<double>(by_tag, y(fem::by_group(mesh, {{7, 2.5}, {"right", 40}}))));
  EXPECT_TRUE(same_bits<double>(y({{3, 2}, {7, 2}}), y(fem::by_group(mesh, {{{"left", "right"}, 2}}))));
  EXPECT_EQ(error_of([&] {
              fem::by_group(mesh, {{"nowhere", 1}});
            }),
            "coefficient by group: no cell has the tag 5; groups of cells are: 3 right, 7 left");
  EXPECT_EQ(error_of([&] {
              fem::by_group(mesh, {{"left", 1}, {7, 2}});
            }),
            "coefficient by group: group 7 has two numbers, 1 and 2");
  EXPECT_EQ(error_of([&] { fem::by_group(mesh, {{{}, 3}}); }), "coefficient by group: the number 3 has no group");
}

// Order 5 has more nodes of a line than an operator of order 2 has points.
TEST(Fields, NodalFieldOfAnyOrder) {
  for (const Cell cell : all_cells)
    for_both_dims(cell, [&]<int D>() {
      const Mesh mesh = make_box(cell, {3, 2, D == 3 ? 2 : 1});
      const Space space = make_space(mesh, 2);
      const auto by_place = make_element_operator<double>(mesh, space, fem::Helmholtz<D, Tilted>{});
      for (const int order : {1, 2, 3, 5})
        for (const GeometricFactors factors : {GeometricFactors::stored, GeometricFactors::recomputed}) {
          const auto make = [&] {  // neither space nor values are needed afterwards
            const Space field_space = make_space(mesh, order);
            const auto values = values_at_nodes<double>(field_space, [](const double* x, int) { return Tilted()(x); });
            return make_element_operator<double>(
                mesh, space, fem::Helmholtz<D, fem::NodalField>{{field_space, values}, {}}, {.factors = factors});
          };
          expect_same_operator(make(), by_place, join(name(cell), " with a field of order ", order));
        }
    });
}

TEST(Fields, NodalFieldAsVelocity) {
  for (const Cell cell : all_cells)
    for_both_dims(cell, [&]<int D>() {
      const Mesh mesh = make_box(cell, {3, 2, D == 3 ? 2 : 1});
      const Space space = make_space(mesh, 3), velocities = make_space(mesh, 1, D);
      const auto b = values_at_nodes<double>(velocities, [](const double* x, int c) {
        double all[3];
        Drift<D>()(x, all);
        return all[c];
      });
      expect_same_operator(
          make_element_operator<double>(
              mesh, space, fem::ConvectionDiffusion<D, fem::Constant, fem::NodalField>{{}, {velocities, b}}),
          make_element_operator<double>(mesh, space, fem::ConvectionDiffusion<D, fem::Constant, Drift<D>>{}),
          name(cell));
    });
}

/// Writes down where it is asked.
struct Recorded {
  double* to = nullptr;
  int num_points = 0;
  template <class T, int D>
  T operator()(const fem::PointGeometry<T, D>& g) const {
    return to[g.element * num_points + g.point] = Tilted()(g.x);
  }
};

TEST(Fields, PointFieldIsReadPointByPoint) {
  for (const Cell cell : all_cells)
    for_both_dims(cell, [&]<int D>() {
      const Mesh mesh = warped_box(cell, 2, 2);
      const Space space = make_space(mesh, 2);
      const int points = make_element_basis(cell, 2).num_points();
      std::vector<double> values(static_cast<std::size_t>(mesh.num_cells() * points),
                                 std::numeric_limits<double>::quiet_NaN());
      const auto x = random_vector<double>(space.num_nodes, 3);
      const auto recorded = make_element_operator<double>(mesh, space, fem::Mass<D, Recorded>{{values.data(), points}});
      const auto read =
          make_element_operator<double>(mesh, space, fem::Mass<D, fem::PointField>{fem::PointField(values)});
      EXPECT_TRUE(same_bits<double>(product(recorded, x), product(read, x))) << name(cell);
    });
}

TEST(Fields, SaysWhatDoesNotFit) {
  const Mesh mesh = make_box(Cell::quad, {2, 2, 1}), other = make_box(Cell::quad, {3, 2, 1});
  const Space space = make_space(mesh, 1), elsewhere = make_space(other, 1);
  const std::vector<double> nine(9, 1.0);
  EXPECT_EQ(
      error_of(
          [&] { make_element_operator<double>(mesh, space, fem::Mass<2, fem::PointField>{fem::PointField(nine)}); }),
      "point field: 4 quad elements with 9 points each and 1 components need 36 numbers; there are 9 (on a mesh with "
      "several blocks each block has an operator and a field of its own)");
  EXPECT_EQ(
      error_of([&] {
        make_element_operator<double>(mesh, space, fem::Mass<2, fem::NodalField>{{elsewhere, nine}});
      }),
      "nodal field: the space of the field has 6 quad elements, the mesh of the operator 4 quad cells; make it on "
      "this mesh");
  const Space fine = make_space(mesh, 2);
  EXPECT_EQ(error_of([&] {
              make_element_operator<double>(mesh, space, fem::Mass<2, fem::NodalField>{{fine, nine}});
            }),
            "nodal field: the space has 25 unknowns; there are 9 values");
  EXPECT_EQ(error_of([&] { make_element_operator<double>(mesh, space, fem::Mass<2, fem::NodalField>{}); }),
            "nodal field: has no space; give it one with its values");
}

/// Helmholtz by a functor whose coefficients are anything.
template <int D, class Mu, class Beta>
struct WithCoefficients {
  static constexpr int dim = D, comps = 1, num_coefficients = 2;
  Mu mu{};
  Beta beta{};
  template <class P, class Visit>
  MILLRACE_HD static constexpr void each_coefficient(P& f, Visit&& visit) {
    visit(f.mu);
    visit(f.beta);
  }
  template <class T>
  MILLRACE_HD void operator()(const fem::FieldsAt<T, D>& at, const T* u, const T (*grad)[unsigned(D)], T* v,
                              T (*flux)[unsigned(D)]) const {
    v[0] = at.coefficient[1] * u[0];
    for (int d = 0; d < D; ++d) flux[0][d] = at.coefficient[0] * grad[0][d];
  }
};

TEST(Fields, CoefficientsOfAFunctor) {
  for (const Cell cell : all_cells)
    for_both_dims(cell, [&]<int D>() {
      const Mesh mesh = halves(cell, 2);
      const Space space = make_space(mesh, 2);
      const auto tilted = values_at_nodes<double>(space, [](const double* x, int) { return Tilted()(x); });
      const fem::ByGroup k{{3, 40}, {7, 2.5}};
      using F = WithCoefficients<D, fem::ByGroup, fem::NodalField>;
      for (const GeometricFactors factors : {GeometricFactors::stored, GeometricFactors::recomputed})
        expect_same_operator(
            make_element_operator<double>(mesh, space, fem::Pointwise<F>{{k, {space, tilted}}}, {.factors = factors}),
            make_element_operator<double>(mesh, space, fem::Helmholtz<D, TwoHalves, Tilted>{}), name(cell));
    });
}

/// (b . grad u + |grad w|^2 w u, v) with given b [D] and w.
template <int D>
struct Carried {
  static constexpr int dim = D, comps = 1, num_given = D + 1;
  template <class T>
  MILLRACE_HD void operator()(const fem::FieldsAt<T, D>& at, const T* u, const T (*grad)[unsigned(D)], T* v,
                              T (*)[unsigned(D)]) const {
    T square = T(0);
    for (int d = 0; d < D; ++d) {
      v[0] += at.given[d] * grad[0][d];
      square += at.given_grad[D][d] * at.given_grad[D][d];
    }
    v[0] += square * at.given[D] * u[0];
  }
};
template <int D>
struct CarriedByPlace {
  static constexpr int dim = D, comps = 1;
  template <class T>
  MILLRACE_HD void operator()(const T* x, const T* u, const T (*grad)[unsigned(D)], T* v, T (*)[unsigned(D)]) const {
    T b[unsigned(D)];
    Drift<D>()(x, b);
    v[0] = T(5) * Tilted()(x) * u[0];  // grad w = (1, 2)
    for (int d = 0; d < D; ++d) v[0] += b[d] * grad[0][d];
  }
};

TEST(Fields, GivenNodalFields) {
  Queue queue(Device::host(), 3);
  for (const Cell cell : all_cells)
    for_both_dims(cell, [&]<int D>() {
      Mesh mesh = make_box(cell, {3, 2, D == 3 ? 2 : 1});
      deform(mesh, [](const Point& x) { return Point{x[0] + 0.2 * x[1], x[1], x[2] - 0.1 * x[0]}; });
      const Space space = make_space(mesh, 2), vectors = make_space(mesh, 1, D), scalars = make_space(mesh, 4);
      const auto b = values_at_nodes<double>(vectors, [](const double* x, int c) {
        double all[3];
        Drift<D>()(x, all);
        return all[c];
      });
      const auto w = values_at_nodes<double>(scalars, [](const double* x, int) { return Tilted()(x); });
      auto given = make_element_operator<double>(mesh, space, fem::Pointwise<Carried<D>>{});
      const auto x = random_vector<double>(space.num_nodes, 3);
      for (const double y : product(given, x)) EXPECT_EQ(y, 0);  // nothing is given yet
      given.set_given(queue, 0, vectors, b);
      given.set_given(queue, D, scalars, w);
      expect_same_operator(given, make_element_operator<double>(mesh, space, fem::Pointwise<CarriedByPlace<D>>{}),
                           name(cell));
    });
}

TEST(Fields, GivenFieldsThatDoNotFit) {
  Queue queue;
  const Mesh mesh = make_box(Cell::quad, {2, 2, 1});
  const Space space = make_space(mesh, 1), vectors = make_space(mesh, 1, 2);
  const std::vector<double> nine(9), many(18);
  auto a = make_element_operator<double>(mesh, space, fem::Pointwise<Carried<2>>{});
  EXPECT_EQ(error_of([&] { a.set_given(queue, 2, vectors, many); }),
            "set_given: fields 2 to 3 were given; the physics asks for 3 (num_given of its functor), counted from 0");
  EXPECT_EQ(error_of([&] { a.set_given(queue, 0, vectors, nine); }),
            "set_given: needs one vector of 18 entries; this is 1 of 9");
  EXPECT_EQ(error_of([&] {
              a.set_given(queue, 0, make_space(make_box(Cell::quad, {3, 2, 1}), 1), nine);
            }),
            "set_given: the space of the field has 6 quad elements, the mesh of the operator 4 quad cells; make it on "
            "this mesh");
  EXPECT_EQ(error_of([&] { a.update(queue, nine); }),
            "update: this physics has no state; fem::linearise makes one that has, of a fem::Pointwise");
  EXPECT_EQ(error_of([&] {
              make_element_operator<double>(mesh, space, fem::Pointwise<Carried<2>>{},
                                            {.factors = GeometricFactors::recomputed});
            }),
            "element operator: recomputed factors were asked for; a physics with a state or given fields keeps them at "
            "the points, with GeometricFactors::stored");
}

}  // namespace
}  // namespace millrace::testing
