// The fused kernels of hexes, lane by lane on the host: all orders, both kinds of points, both ways to sum.
#include "emulated.hpp"

namespace millrace::emulated {

bool synchronous() { return false; }
template <class T>
void prepare_tets(Queue&, ElementData<T>&, const PointKernel<T>&) {
  throw Unsupported("emulator: there are hexes only");
}
template void prepare_tets(Queue&, ElementData<float>&, const PointKernel<float>&);
template void prepare_tets(Queue&, ElementData<double>&, const PointKernel<double>&);
template <class T, class Physics>
void apply_tets(Queue&, const ElementData<T>&, const Physics&, T, const T*, T, T*) {
  throw Unsupported("emulator: there are hexes only");
}

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

// Elements of a warp join: rows of many, cut by the ends of warps and of the mesh, turned, and with other numbers.
TEST(EmulatedHexes, RowsThatJoin) {
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
  for (const int order : {1, 2, 3, 4}) expect_same(turned_box(), order, {}, join("rows that join, order ", order));
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
