// Boundary integrals: areas and normals, the theorem of Gauss, the Robin operator against its matrix, what is refused.
#include "millrace/fem/boundary.hpp"

#include "fem/forms_tools.hpp"
#include "fem/mixed_tools.hpp"
#include "millrace/fem/load.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace::testing {
namespace {

double area_of(const Boundary& boundary) {
  return std::accumulate(boundary.weights.begin(), boundary.weights.end(), 0.0);
}

TEST(BoundaryFaces, AreasAndNormalsOfABox) {
  for (const Cell cell : all_cells) {
    const int d = dim(cell);
    const Mesh mesh = make_box(cell, {2, 3, 2}, {{0, 0, 0}, {2, 3, 4}});
    const Space space = make_space(mesh, 2);
    const double depth = d == 3 ? 4 : 1;
    const Boundary x1 = make_boundary(mesh, space, "x1"), y0 = make_boundary(mesh, space, 3);
    EXPECT_NEAR(area_of(x1), 3 * depth, 1e-13);
    EXPECT_NEAR(area_of(y0), 2 * depth, 1e-13);
    for (Index f = 0; f < x1.num_faces; ++f)
      for (int q = 0; q < x1.num_points; ++q) {
        EXPECT_NEAR(x1.normal(f, q)[0], 1, 1e-14);
        EXPECT_NEAR(x1.place(f, q)[0], 2, 1e-14);
      }
    EXPECT_NEAR(y0.normal(0, 0)[1], -1, 1e-14);
    EXPECT_NEAR(area_of(make_boundary(mesh, space, {"x1", "y0"})), 5 * depth, 1e-13);
    EXPECT_NEAR(area_of(make_whole_boundary(mesh, space)), d == 2 ? 10 : 2 * (6 + 8 + 12), 1e-12);
    Queue queue;
    std::vector<double> b = zeros_of(space);
    add_boundary_load<double>(queue, x1, 2.0, b);
    EXPECT_NEAR(sum_of(b), 6 * depth, 1e-12);
    for (const Index n : space.all_boundary_nodes)
      if (space.place(n)[0] < 2 - 1e-12) {
        EXPECT_EQ(b[static_cast<std::size_t>(n)], 0);
      }
  }
}

TEST(BoundaryFaces, CurvedAreasConvergeWithTheGeometry) {
  for (const int geometry : {1, 2, 3}) {
    const auto error = [&](Cell cell, int around) {
      const Mesh mesh = make_annulus(cell, 1, 2, {.around = around, .across = 1}, geometry);
      const Space space = make_space(mesh, 1);
      return std::abs(area_of(make_boundary(mesh, space, "outer", {.degree = 12})) - 4 * M_PI) / (4 * M_PI);
    };
    for (const Cell cell : all_cells) {
      const double slope = std::log2(error(cell, 8) / error(cell, 16));
      EXPECT_GT(slope, geometry + 0.8) << name(cell) << " of order " << geometry;
    }
  }
}

/// g = (x^2 + y, x y - z, 1 + y z) and its divergence, as loads.
template <int D>
struct Field {
  static constexpr int dim = D, comps = 1;
  template <class T>
  static void at(const T* x, T* g) {
    const T z = D == 3 ? x[D - 1] : T(0);
    g[0] = x[0] * x[0] + x[1];
    g[1] = x[0] * x[1] - z;
    if constexpr (D == 3) g[2] = T(1) + x[1] * z;
  }
  template <class T>
  MILLRACE_HD void operator()(const T* x, T* value, T (*flux)[unsigned(D)]) const {
    at(x, flux[0]);
    value[0] = T(3) * x[0] + (D == 3 ? x[1] : T(0));
  }
};

/// (g, grad v) + (div g, v) = (g . n, v) on the boundary, for every v: to rounding, for all integrands are polynomials.
template <int D>
void expect_theorem_of_gauss(Cell cell, const Mesh& mesh, int order) {
  const Space space = make_space(mesh, order);
  Queue queue;
  std::vector<double> inside = zeros_of(space), outside(inside);
  add_load<double>(queue, mesh, space, Field<D>{}, inside, {.points = fine_points(cell)});
  add_boundary_load<double>(
      queue, make_whole_boundary(mesh, space, {.degree = 16}),
      [](const Point& x, const Point& normal) {
        double g[3] = {};
        Field<D>::at(x.data(), g);
        return g[0] * normal[0] + g[1] * normal[1] + g[2] * normal[2];
      },
      outside);
  for (std::size_t i = 0; i < inside.size(); ++i)
    ASSERT_NEAR(inside[i], outside[i], 2e-13) << name(cell) << " order " << order << ", node " << i;
}

TEST(BoundaryFaces, TheoremOfGauss) {
  for (const int order : {1, 2, 3})
    for (const int geometry : {1, 2}) {
      expect_theorem_of_gauss<2>(Cell::triangle, curved_box(Cell::triangle, 2, geometry), order);
      expect_theorem_of_gauss<2>(Cell::quad, curved_box(Cell::quad, 2, geometry), order);
      expect_theorem_of_gauss<3>(Cell::tet, curved_box(Cell::tet, 2, geometry), order);
      expect_theorem_of_gauss<3>(Cell::hex, curved_box(Cell::hex, 2, geometry), order);
    }
  expect_theorem_of_gauss<3>(Cell::hex, turned_box(), 2);
}

TEST(BoundaryFaces, NormalsOfAClosedSurface) {
  for (const Cell cell : all_cells) {
    const Mesh mesh = curved_box(cell, 3, 3);
    const Space space = make_space(mesh, 1);
    const Boundary all = make_whole_boundary(mesh, space, {.degree = 16});
    Point sum{};
    double flux = 0;  // of the field x, whose divergence is dim
    for (Index f = 0; f < all.num_faces; ++f)
      for (int q = 0; q < all.num_points; ++q) {
        const double w = all.weights[static_cast<std::size_t>(f * all.num_points + q)];
        const Point n = all.normal(f, q), x = all.place(f, q);
        for (std::size_t k = 0; k < 3; ++k) sum[k] += w * n[k], flux += w * n[k] * x[k];
        EXPECT_NEAR(std::hypot(n[0], n[1], n[2]), 1, 1e-14);
      }
    for (const double s : sum) EXPECT_NEAR(s, 0, 1e-13) << name(cell);
    EXPECT_NEAR(flux, dim(cell) * measure(mesh).volume, 1e-12) << name(cell);
  }
}

TEST(BoundaryFaces, OrientationInTheFileDoesNotMatter) {
  for (const Cell cell : all_cells) {
    const Mesh mesh = curved_box(cell, 2, 1);
    Mesh turned = mesh.clone();
    for (BoundaryBlock& block : turned.boundary)
      for (Index f = 0; f < block.num_cells(); f += 2) std::swap(block.nodes_of(f)[0], block.nodes_of(f)[1]);
    if (cell == Cell::hex)  // a quad that is turned, not twisted
      for (BoundaryBlock& block : turned.boundary)
        for (Index f = 0; f < block.num_cells(); f += 2) std::swap(block.nodes_of(f)[2], block.nodes_of(f)[3]);
    const Space space = make_space(mesh, 2), other = make_space(turned, 2);
    const Boundary a = make_boundary(mesh, space, {1, 4}), b = make_boundary(turned, other, {1, 4});
    EXPECT_EQ(a.nodes, b.nodes);
    EXPECT_EQ(a.normals, b.normals);
    EXPECT_EQ(a.weights, b.weights);
  }
}

TEST(BoundaryFaces, AFaceInTwoGroupsCountsOnce) {
  Mesh mesh = make_box(Cell::quad, {3, 3, 1});
  const BoundaryBlock first = mesh.boundary.at(0).clone();  // all faces; those with tag 1 also get tag 9
  std::vector<Index> nodes;
  for (Index f = 0; f < first.num_cells(); ++f)
    if (first.tag.data()[f] == 1) nodes.insert(nodes.end(), first.nodes_of(f).begin(), first.nodes_of(f).end());
  const auto count = static_cast<std::int64_t>(nodes.size() / 2);
  mesh.boundary.push_back(
      {first.cell, first.order, Array<Index>(std::span<const Index>(nodes)), Array<std::int32_t>(count, 9)});
  const Space space = make_space(mesh, 1);
  EXPECT_NEAR(area_of(make_boundary(mesh, space, 9)), 1, 1e-14);
  EXPECT_NEAR(area_of(make_boundary(mesh, space, {1, 9})), 1, 1e-14);
  EXPECT_NEAR(area_of(make_boundary(mesh, space, {9, 2, 1})), 2, 1e-14);
}

TEST(BoundaryFaces, FacesInNoGroup) {
  Mesh mesh = make_box(Cell::quad, {2, 2, 1});
  for (BoundaryBlock& block : mesh.boundary)
    for (std::int32_t& tag : block.tag.span())
      if (tag == 3) tag = 0;
  const Space space = make_space(mesh, 1);
  EXPECT_NEAR(area_of(make_boundary(mesh, space, 0)), 1, 1e-14);
}

template <class T>
void expect_boundary_operator(Cell cell, int comps) {
  const Mesh mesh = curved_box(cell, 2, 2);
  const Space space = make_space(mesh, 3, comps);
  const Boundary part = make_boundary(mesh, space, {"x0", "y1"});
  const auto alpha = [](const Point& x, const Point& n) { return Point{2 + x[0], 1 + n[1] * n[1], 0.5}; };
  const auto single = [](const Point& x) { return 2 + x[0]; };
  const BoundaryOperator<T> a = comps > 1 ? BoundaryOperator<T>(part, alpha) : BoundaryOperator<T>(part, single);
  Queue one(Device::host(), 1), two(Device::host(), 2);
  const Csr<T> matrix = a.assemble(one);
  const SparseMatrix<T> stored(matrix.clone());
  const auto x = random_vector<T>(space.num_dofs(), 3), old = random_vector<T>(space.num_dofs(), 4);
  const double bound = 4 * (2 * part.num_nodes + 2 * part.num_points + 10) * double{epsilon<T>} * max_row(matrix);
  std::vector<T> y(old), again(old), threads(old), expected(old);
  a.apply(one, {.alpha = T{2}, .x = x, .beta = T{-1}, .y = y});
  a.apply(one, {.alpha = T{2}, .x = x, .beta = T{-1}, .y = again});
  a.apply(two, {.alpha = T{2}, .x = x, .beta = T{-1}, .y = threads});
  stored.apply(one, {.alpha = T{2}, .x = x, .beta = T{-1}, .y = expected});
  EXPECT_TRUE(same_bits<T>(y, again));
  EXPECT_TRUE(same_bits<T>(y, threads));
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_NEAR(double{y[i]}, double{expected[i]}, 2 * bound + 4 * double{epsilon<T>}) << i;

  std::vector<T> diagonal(x.size());
  a.diagonal(one, diagonal);
  for (Index r = 0; r < matrix.num_rows; ++r)
    for (Offset k = matrix.row_begin(r); k < matrix.row_begin(r + 1); ++k)
      if (matrix.cols.data()[k] == r) {
        EXPECT_NEAR(double{diagonal[static_cast<std::size_t>(r)]}, double{matrix.vals.data()[k]}, bound);
      }
  const Csr<T> transposed = transpose(matrix);
  EXPECT_TRUE(same_bits<T>(matrix.vals.span(), transposed.vals.span()));

  if (comps > 1) return;  // A 1 = (alpha, v)
  std::vector<T> load(x.size(), T{0});
  add_boundary_load<T>(one, part, single, load);
  const auto sums = product(a, std::vector<T>(x.size(), T{1}));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(double{load[i]}, double{sums[i]}, bound);
}

TEST(BoundaryOperators, AgreeWithTheirMatrix) {
  for (const Cell cell : all_cells) {
    expect_boundary_operator<double>(cell, 1);
    expect_boundary_operator<float>(cell, 1);
    expect_boundary_operator<double>(cell, dim(cell));
  }
}

TEST(BoundaryOperators, SameBitsForAnyNumberOfThreads) {
  const Mesh mesh = curved_box(Cell::hex, 8, 2);
  const Space space = make_space(mesh, 3);
  const Boundary all = make_whole_boundary(mesh, space);
  const BoundaryOperator<double> a(all, [](const Point& x) { return std::exp(x[0]); });
  const auto x = random_vector<double>(space.num_dofs(), 1), first = product(a, x);
  std::vector<double> load = zeros_of(space);
  Queue one(Device::host(), 1);
  const auto h = [](const Point& at, const Point& n) { return std::sin(at[0]) * n[1]; };
  add_boundary_load<double>(one, all, h, load);
  for (const int threads : {2, 3, 5}) {
    Queue queue(Device::host(), threads);
    std::vector<double> b = zeros_of(space);
    add_boundary_load<double>(queue, all, h, b);
    EXPECT_TRUE(same_bits<double>(load, b));
    EXPECT_TRUE(same_bits<double>(first, product(a, x, threads)));
  }
}

TEST(BoundaryOperators, MovesAndCopies) {
  const Mesh mesh = make_box(Cell::tet, {2, 2, 2});
  const Space space = make_space(mesh, 2, 3);
  const BoundaryOperator<double> a(make_boundary(mesh, space, "z1"), 3.0);
  const BoundaryOperator<double> copy = a.to(Device::host());
  const auto x = random_vector<double>(space.num_dofs(), 5);
  EXPECT_TRUE(same_bits<double>(product(a, x), product(copy, x)));
  const std::vector<double> ones(x.size(), 1.0);
  EXPECT_NEAR(dot(ones, product(a, ones)), 9, 1e-12);  // three components on a side of area 1
  EXPECT_LT(a.traffic().matrix, 1e5);
  EXPECT_GT(a.traffic().total(), a.traffic().vectors);
}

TEST(BoundaryFaces, Errors) {
  Mesh mesh = make_box(Cell::quad, {2, 2, 1});
  const Space space = make_space(mesh, 1), pair = make_space(mesh, 1, 2);
  EXPECT_EQ(error_of([&] {
              make_boundary(mesh, space, {1, 8});
            }),
            "boundary: no face has the tag 8; groups of faces are: 1 x0, 2 x1, 3 y0, 4 y1");
  EXPECT_EQ(error_of([&] { make_boundary(mesh, space, "top"); }),
            "no group of dimension 1 has the name 'top'; the mesh has: x0 x1 y0 y1");
  EXPECT_EQ(error_of([&] { make_boundary(mesh, space, ""); }),
            "no group of dimension 1 has the name ''; the mesh has: x0 x1 y0 y1");
  EXPECT_EQ(error_of([&] { make_boundary(mesh, space, Groups{}); }),
            "boundary: no group was named; for all of the boundary there is make_whole_boundary");
  const Boundary part = make_boundary(mesh, pair, "x0");
  Queue queue;
  std::vector<double> b = zeros_of(pair), wrong(4);
  EXPECT_EQ(error_of([&] { add_boundary_load<double>(queue, part, 1.0, b); }),
            "boundary load: it has 1 component, the space 2");
  EXPECT_EQ(error_of([&] { add_boundary_load<double>(queue, part, Point{}, wrong); }),
            "boundary load: needs one vector of 18 entries; this is 1 of 4");
  EXPECT_EQ(error_of([&] { BoundaryOperator<double>(part, [](const Point&) { return std::array<double, 4>{}; }); }),
            "boundary operator: alpha has 4 components; 1 or 2 are accepted");

  // a face between two cells: from the middle of the bottom to the centre
  Index middle = -1, centre = -1;
  for (Index p = 0; p < mesh.num_points(); ++p) {
    if (mesh.point(p) == Point{0.5, 0, 0}) middle = p;
    if (mesh.point(p) == Point{0.5, 0.5, 0}) centre = p;
  }
  mesh.boundary.push_back({Cell::segment, 1, Array<Index>{middle, centre}, Array<std::int32_t>{6}});
  mesh.names.push_back({1, 6, "crack"});
  const Space cracked = make_space(mesh, 1);
  EXPECT_EQ(
      error_of<Unsupported>([&] {
        make_boundary(mesh, cracked, {"x0", "crack"});
      }),
      "boundary: a face of the group 6 crack lies between two cells, where no side is outside; integrals are over "
      "faces with one cell");
  EXPECT_NEAR(area_of(make_boundary(mesh, cracked, {"x0", "y0"})), 2, 1e-14);
}

TEST(Boundary, SeveralBlocksAndGluedSides) {
  Queue queue;
  const Mesh mesh = mixed_box(4, 1, 0);  // the unit square
  for (int order = 1; order <= 4; ++order) {
    const Space space = make_space(mesh, order);
    std::vector<double> around = zeros_of(space), all = zeros_of(space);
    add_boundary_load<double>(
        queue, make_whole_boundary(mesh, space), [](const Point& x) { return 1 + x[0]; }, around);
    EXPECT_NEAR(sum_of(around), 6, 1e-13);
    add_load<double>(
        queue, mesh, space, [](const Point& x) { return x[0] * x[1]; }, all);
    EXPECT_NEAR(sum_of(all), 0.25, 1e-13);
  }
  const Mesh channel = make_box(Cell::hex, {2, 2, 2}, {.periodic = {true, false, false}});
  const Space glued = make_space(channel, 2);
  std::vector<double> b = zeros_of(glued);
  add_boundary_load<double>(queue, make_whole_boundary(channel, glued), 1.0, b);
  EXPECT_NEAR(sum_of(b), 4, 1e-13);  // without the two sides that are one
  EXPECT_NE(error_of<Unsupported>([&] { make_boundary(channel, glued, "x0"); }).find("lies between two cells"),
            std::string::npos);
}

}  // namespace
}  // namespace millrace::testing
