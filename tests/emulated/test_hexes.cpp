// The fused kernels of hexes, lane by lane on the host: all orders, both kinds of points, both ways to sum.
#include "emulated.hpp"

namespace millrace::emulated {

bool synchronous() { return false; }

}  // namespace millrace::emulated

namespace millrace::testing {
namespace {

TEST(EmulatedHexes, EveryOrderAsOnTheHost) {
  const Mesh mesh = warped_box(Cell::hex, 2, 1);
  for (int order = 1; order <= 8; ++order)
    for (const Points& points : {Points{}, Points::on_nodes()}) {
      expect_emulated_as_host<double>(mesh, fem::Mass<3>{}, order, {.points = points}, join("mass, order ", order));
      expect_emulated_as_host<double>(mesh, fem::Diffusion<3>{}, order, {.points = points},
                                      join("diffusion, order ", order));
    }
}

// Elements of a warp merge: rows of many, cut by the ends of warps and of the mesh, turned, and with other numbers.
TEST(EmulatedHexes, RowsThatMerge) {
  for (const int order : {2, 3, 4, 5})
    for (const bool is_turned : {false, true}) {
      const Mesh mesh = is_turned ? turned_box() : make_box(Cell::hex, {13, 3, 2});
      const std::string what = join(is_turned ? "turned, order " : "rows, order ", order);
      expect_emulated_as_host<double>(mesh, fem::Mass<3>{}, order, {}, what);
      expect_emulated_as_host<double>(mesh, fem::Diffusion<3>{}, order, {.points = Points::on_nodes()}, what);
      Space shuffled = make_space(mesh, order);
      shuffle(shuffled);
      expect_emulated_as_host<double>(mesh, shuffled, fem::Mass<3>{}, {}, what + ", other numbers");
      expect_emulated_as_host<double>(mesh, shuffled, fem::Diffusion<3>{}, {.points = Points::on_nodes()},
                                      what + ", other numbers");
    }
}

// Rows that go round: the last element of a row shares a face with the first, and two may share two faces.
TEST(EmulatedHexes, PeriodicRows) {
  for (const int order : {1, 2, 3, 5})
    for (const int n : {2, 3, 9}) {
      const Mesh mesh = make_box(Cell::hex, {n, 2, 3}, {{}, {1, 1, 1}, {true, true, n == 3}});
      expect_emulated_as_host<double>(mesh, fem::Mass<3>{}, order, {}, join("periodic mass, order ", order));
      expect_emulated_as_host<double>(mesh, fem::Diffusion<3>{}, order, {.points = Points::on_nodes()},
                                      join("periodic diffusion, order ", order));
    }
}

TEST(EmulatedHexes, RecomputedFactors) {
  const auto expect_same = [](const Mesh& mesh, int order, const Points& points, const std::string& what) {
    const ElementOptions options{.points = points, .factors = GeometricFactors::recomputed};
    expect_emulated_as_host<double>(mesh, fem::Diffusion<3>{{0.5}}, order, options, "diffusion, " + what, 8);
    expect_emulated_as_host<double>(mesh, fem::Mass<3>{{2.5}}, order, options, "mass, " + what, 8);
  };
  for (const int order : {1, 2, 3, 4, 7})
    for (const Points& points : {Points{}, Points::on_nodes()})
      expect_same(warped_box(Cell::hex, 2, 1), order, points, join("straight, order ", order));
  for (const int order : {1, 4}) expect_same(warped_box(Cell::hex, 2, 3), order, {}, join("curved, order ", order));
  for (const int order : {1, 2, 3, 4}) expect_same(turned_box(), order, {}, join("rows that merge, order ", order));
}

/// A user's physics, whose members are in no stored factor.
struct Stretched {
  static constexpr int dim = 3, comps = 1;
  static constexpr bool symmetric = true;
  double reaction, diffusion[3];  // none has a default: only the object given knows them
  template <class T>
  MILLRACE_HD void operator()(const T* x, const T* u, const T (*grad)[3], T* v, T (*flux)[3]) const {
    v[0] = T(reaction) * u[0];
    for (int d = 0; d < 3; ++d) flux[0][d] = T(diffusion[d]) * (T(1) + x[0]) * grad[0][d];
  }
};

TEST(EmulatedHexes, PhysicsOfAUserKeepsItsMembers) {
  const fem::Pointwise<Stretched> physics{{3, {1, 0.5, 10}}};
  const Mesh mesh = warped_box(Cell::hex, 2, 1);
  for (const int order : {1, 2, 3, 4})
    for (const Points& points : {Points{}, Points::on_nodes()})
      expect_emulated_as_host<double, ElementOrders<1, 2, 3, 4>>(mesh, physics, order, {.points = points},
                                                                 join("members, order ", order));
}

TEST(Emulator, ThreadsThatWaitForEndedOnesAreAnError) {
  EXPECT_THROW(emulator::launch(1, 32, 0,
                                [] {
                                  if (threadIdx.x > 0) __syncthreads();
                                }),
               Error);
}

}  // namespace
}  // namespace millrace::testing
