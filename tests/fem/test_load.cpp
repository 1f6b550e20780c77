// Load vectors: integrals that are known, agreement with operators, parts of the mesh, the same bits twice.
#include "millrace/fem/load.hpp"

#include "fem/forms_tools.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace::testing {
namespace {

double power(double x, int n) { return n == 0 ? 1.0 : x * power(x, n - 1); }

TEST(Loads, PolynomialsAreIntegratedExactly) {
  Queue queue;
  for (const Cell cell : all_cells)
    for (const int order : {1, 2, 4}) {
      const Mesh mesh = make_box(cell, {2, 3, 2});
      const Space space = make_space(mesh, order);
      const int d = dim(cell);
      // f = x^i y^j of degree `order`, tested with v = x^order: known integrals over the unit box
      for (int i = 0; i <= order; ++i) {
        const int j = order - i;
        std::vector<double> b = zeros_of(space);
        add_load<double>(
            queue, mesh, space, [&](const Point& x) { return power(x[0], i) * power(x[1], j); }, b);
        const auto v = values_at_nodes<double>(space, [&](const double* x, int) { return power(x[0], order); });
        EXPECT_NEAR(sum_of(b), 1.0 / (i + 1) / (j + 1), 1e-14) << name(cell) << ' ' << order;
        EXPECT_NEAR(dot(b, v), 1.0 / (i + order + 1) / (j + 1), 1e-14) << name(cell) << ' ' << order;
      }
      std::vector<double> b = zeros_of(space);
      add_load<double>(queue, mesh, space, 2.5, b);  // a constant
      EXPECT_NEAR(sum_of(b), 2.5, 1e-13) << d;
    }
}

/// What a load adds, as a physics that multiplies it with u = 1.
template <int D>
struct SmoothLoad {
  static constexpr int dim = D, comps = 2;
  template <class T>
  MILLRACE_HD void operator()(const T* x, T* value, T (*flux)[unsigned(D)]) const {
    value[0] = std::exp(x[0]) * x[1];
    value[1] = T(1) + x[0] * x[D - 1];
    for (int k = 0; k < D; ++k) {
      flux[0][k] = x[k] * x[0] - T(0.3);
      flux[1][k] = std::sin(x[k]);
    }
  }
};
template <int D>
struct AsPhysics {
  static constexpr int dim = D, comps = 2;
  template <class T>
  void operator()(const T* x, const T* u, const T (*)[unsigned(D)], T* v, T (*flux)[unsigned(D)]) const {
    SmoothLoad<D>{}(x, v, flux);
    for (int c = 0; c < 2; ++c) {
      v[c] *= u[c];
      for (int k = 0; k < D; ++k) flux[c][k] *= u[c];
    }
  }
};

template <class T, int D>
void expect_load_of_operator(Cell cell) {
  for (const int geometry : {1, 2})
    for (const int order : {1, 3}) {
      const Mesh mesh = curved_box(cell, 3, geometry);
      const Space space = make_space(mesh, order, 2);
      const ElementOptions options{.points = fine_points(cell)};
      const auto a = make_element_operator<T>(mesh, space, fem::Pointwise<AsPhysics<D>>{}, options);
      const std::vector<T> ones(static_cast<std::size_t>(space.num_dofs()), T{1}), expected = product(a, ones);
      Queue one(Device::host(), 1), two(Device::host(), 2);
      std::vector<T> b(ones.size(), T{3}), again(b), threads(b);
      add_load<T>(one, mesh, space, SmoothLoad<D>{}, b, {.points = options.points});
      add_load<T>(one, mesh, space, SmoothLoad<D>{}, again, {.points = options.points});
      add_load<T>(two, mesh, space, SmoothLoad<D>{}, threads, {.points = options.points});
      EXPECT_TRUE(same_bits<T>(b, again));
      EXPECT_TRUE(same_bits<T>(b, threads));
      const double bound = rounding(a, 8.0);  // entries and the 3 that was there are below that
      for (std::size_t i = 0; i < b.size(); ++i)
        ASSERT_NEAR(static_cast<double>(b[i]), 3 + static_cast<double>(expected[i]), bound)
            << name(cell) << ' ' << order << ' ' << geometry << ", entry " << i;
    }
}

TEST(Loads, AreTheTransposedHalfOfAnOperator) {
  expect_load_of_operator<double, 2>(Cell::triangle);
  expect_load_of_operator<double, 2>(Cell::quad);
  expect_load_of_operator<double, 3>(Cell::tet);
  expect_load_of_operator<double, 3>(Cell::hex);
  expect_load_of_operator<float, 2>(Cell::triangle);
  expect_load_of_operator<float, 3>(Cell::hex);
}

TEST(Loads, SameBitsForAnyNumberOfThreads) {  // on meshes of many chunks
  const auto expect = [](Cell cell, int n, const auto& load) {
    const Mesh mesh = curved_box(cell, n, 2);
    const Space space = make_space(mesh, 2, 2);
    std::vector<double> first = zeros_of(space);
    Queue one(Device::host(), 1);
    add_load<double>(one, mesh, space, load, first);
    for (const int threads : {2, 3, 7}) {
      Queue queue(Device::host(), threads);
      std::vector<double> b = zeros_of(space);
      add_load<double>(queue, mesh, space, load, b);
      EXPECT_TRUE(same_bits<double>(first, b)) << name(cell) << ' ' << threads;
    }
  };
  expect(Cell::triangle, 20, SmoothLoad<2>{});
  expect(Cell::hex, 8, SmoothLoad<3>{});
}

struct FluxAlone {
  static constexpr int dim = 2, comps = 1;
  static constexpr bool uses_value = false;
  template <class T>
  MILLRACE_HD void operator()(const T*, T*, T (*flux)[2]) const {
    flux[0][0] = T(1), flux[0][1] = T(-2);
  }
};

TEST(Loads, FluxAloneSumsToZero) {  // sum of all grad v is the gradient of 1
  const Mesh mesh = curved_box(Cell::triangle, 3, 2);
  const Space space = make_space(mesh, 2);
  Queue queue;
  std::vector<double> b = zeros_of(space);
  add_load<double>(queue, mesh, space, FluxAlone{}, b, {.points = fine_points(Cell::triangle)});
  EXPECT_NEAR(sum_of(b), 0, 1e-14);
  const auto x = values_at_nodes<double>(space, [](const double* at, int) { return at[0] - at[1]; });
  EXPECT_NEAR(dot(b, x), 3 * measure(mesh).volume, 1e-13);  // grad x - grad y = (1, -1), in the isoparametric space
}

TEST(Loads, ComponentsInEveryForm) {
  const Mesh mesh = curved_box(Cell::quad, 2, 2);
  const Space space = make_space(mesh, 2, 2);
  Queue queue;
  std::vector<double> a = zeros_of(space), b(a), c(a), d(a);
  const auto first = [](const Point& x) { return 1 + x[0]; };
  add_load<double>(
      queue, mesh, space,
      [&](const Point& x) {
        return Point{first(x), -2, 0};
      },
      a);
  add_load<double>(
      queue, mesh, space,
      [&](const Point& x) {
        return std::array<double, 2>{first(x), -2};
      },
      b);
  add_load<double>(queue, mesh, space,
                   std::vector<std::function<double(const Point&)>>{first, [](const Point&) { return -2.0; }}, c);
  EXPECT_TRUE(same_bits<double>(a, b));
  EXPECT_TRUE(same_bits<double>(a, c));
  add_load<double>(queue, mesh, space, std::vector<std::function<double(const Point&)>>{first, {}}, d);
  const auto half = static_cast<std::ptrdiff_t>(a.size() / 2);
  EXPECT_TRUE(std::equal(a.begin(), a.begin() + half, d.begin()));
  EXPECT_TRUE(std::all_of(d.begin() + half, d.end(), [](double x) { return x == 0; }));
}

TEST(Loads, ByGroupsOfCells) {
  Queue queue;
  for (const Cell cell : all_cells) {
    Mesh mesh = make_box(cell, {4, 2, 2});
    tag_halves(mesh);
    const Space space = make_space(mesh, 2);
    const auto load = [&](const Groups& groups) {
      std::vector<double> b = zeros_of(space);
      add_load<double>(queue, mesh, space, [](const Point& x) { return x[0]; }, b, {.groups = groups});
      return b;
    };
    const auto left = load("left"), right = load(7), both = load({"left", "right"}), all = load({});
    EXPECT_NEAR(sum_of(left), 0.125, 1e-14);
    EXPECT_NEAR(sum_of(right), 0.375, 1e-14);
    EXPECT_TRUE(same_bits<double>(both, all));
    EXPECT_TRUE(same_bits<double>(both, load({5, 7, 5})));
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(left[i] + right[i], all[i], 1e-15);
  }
}

TEST(Loads, Errors) {
  Mesh mesh = make_box(Cell::quad, {2, 2, 1});
  tag_halves(mesh);
  const Space space = make_space(mesh, 1), pair = make_space(mesh, 1, 2);
  Queue queue;
  std::vector<double> b = zeros_of(space), b2 = zeros_of(pair), wrong(3);
  const auto one = [](const Point&) { return 1.0; };
  EXPECT_EQ(error_of([&] {
              add_load<double>(queue, mesh, space, one, b, {.groups = {5, 6}});
            }),
            "load: no cell has the tag 6; groups of cells are: 5 left, 7 right");
  EXPECT_EQ(error_of([&] { add_load<double>(queue, mesh, space, one, b, {.groups = "middle"}); }),
            "no group of dimension 2 has the name 'middle'; the mesh has: left right");
  EXPECT_EQ(error_of([&] { add_load<double>(queue, mesh, pair, one, b2); }), "load: it has 1 component, the space 2");
  EXPECT_EQ(error_of([&] {
              add_load<double>(queue, mesh, space, Point{1, 2, 3}, b);
            }),
            "load: it has 2 or 3 components, the space 1");
  EXPECT_EQ(error_of([&] { add_load<double>(queue, mesh, pair, SmoothLoad<3>{}, b2); }),
            "load: it is written for 3 dimensions, the mesh has 2");
  EXPECT_EQ(error_of([&] { add_load<double>(queue, mesh, space, one, wrong); }),
            "load: needs one vector of 9 entries; this is 1 of 3");
  EXPECT_NE(error_of([&] {
              add_load<double>(queue, make_box(Cell::quad, {3, 1, 1}), space, one, b);
            }).find("make the space on this mesh"),
            std::string::npos);
  Mesh turned = mesh.clone();
  deform(turned, [](const Point& x) { return Point{-x[0], x[1], 0}; });
  EXPECT_NE(error_of([&] { add_load<double>(queue, turned, space, one, b); }).find("quad 0 has a Jacobian"),
            std::string::npos);
}

}  // namespace
}  // namespace millrace::testing
