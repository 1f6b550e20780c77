// Element operators on a GPU give what the host gives, in every order, and the same bits twice.
#include "fem/fem_gpu_tools.hpp"
#include "millrace/fem/element_sum.hpp"

namespace millrace::testing {
namespace {

template <class T, class P>
void expect_same_as_host(const P& physics, int order, const ElementOptions& given, int cells, const std::string& what) {
  expect_gpu_as_host<T>(warped_box(Cell::hex, cells, 1), physics, order, given, what);
}

template <class T>
class GpuElements : public OnGpu {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GpuElements, Reals);

TYPED_TEST(GpuElements, MassAsOnTheHost) {
  for (int order = 1; order <= 8; ++order) {
    expect_same_as_host<TypeParam>(fem::Mass<3>{}, order, {}, order < 4 ? 4 : 2, join("mass, order ", order));
    expect_same_as_host<TypeParam>(fem::Mass<3>{}, order, {.points = Points::on_nodes()}, 2,
                                   join("mass on nodes, order ", order));
  }
}

TYPED_TEST(GpuElements, DiffusionAsOnTheHost) {
  for (int order = 1; order <= 8; ++order) {
    expect_same_as_host<TypeParam>(fem::Diffusion<3>{}, order, {}, order < 4 ? 4 : 2, join("diffusion, order ", order));
    expect_same_as_host<TypeParam>(fem::Diffusion<3>{}, order, {.points = Points::on_nodes()}, order < 4 ? 3 : 2,
                                   join("diffusion on nodes, order ", order));
  }
}

TYPED_TEST(GpuElements, HelmholtzAndComponents) {
  for (const int order : {1, 2, 5, 8}) {
    expect_same_as_host<TypeParam>(fem::Helmholtz<3>{}, order, {}, 2, join("helmholtz, order ", order));
    expect_same_as_host<TypeParam>(fem::Helmholtz<3>{}, order, {.points = Points::on_nodes()}, 2,
                                   join("helmholtz on nodes, order ", order));
  }
  expect_same_as_host<TypeParam>(fem::VectorMass<3>{}, 3, {}, 2, "vector mass");
  expect_same_as_host<TypeParam>(fem::VectorDiffusion<3>{}, 3, {}, 2, "vector diffusion");
}

// <x, A x> beside an application: from the elements themselves, or (with beta, or <y, y>) after it.
template <class T, class P>
void expect_dot_products(const P& physics) {
  const Mesh mesh = warped_box(Cell::hex, 3, 1);
  Queue queue(Device::gpu());
  for (const int order : {1, 2, 3, 4, 7})
    for (const bool on_nodes : {false, true})
      for (const Accumulation accumulation : {Accumulation::deterministic, Accumulation::atomic}) {
        const Space space = make_space(mesh, order);
        ElementOptions options{.accumulation = accumulation, .constrained = space.all_boundary_nodes};
        if (on_nodes) options.points = Points::on_nodes();
        const auto a = make_element_operator<T>(mesh, space, physics, options).to(Device::gpu());
        EXPECT_EQ(a.fuses_dot(), !P::uses_grad || order == 1 || (on_nodes && order <= 3));
        const Array<T> x = on_gpu(random_vector<T>(a.shape().cols, 5)),
                       old = on_gpu(random_vector<T>(a.shape().cols, 6));
        for (const DotWith with : {DotWith::x, DotWith::result})
          for (const T beta : {T{0}, T{2}}) {
            Array<T> y = old.clone(), found(Device::gpu(), 2);
            a.apply(queue, {.alpha = T{3}, .x = x, .beta = beta, .y = y, .dot = with, .dot_result = found.data()});
            queue.wait();
            const std::vector<T> xs = x.to_vector(), ys = y.to_vector();
            const double expected = dot(with == DotWith::x ? xs : ys, ys);
            double size = 0;
            for (std::size_t i = 0; i < xs.size(); ++i)
              size += std::abs(static_cast<double>(ys[i]) * std::max(1., std::abs(static_cast<double>(ys[i]))));
            EXPECT_NEAR(static_cast<double>(found.to_vector()[0]), expected, rounding(a, size))
                << "order " << order << ", beta " << beta;
          }
      }
}
TYPED_TEST(GpuElements, DotProducts) {
  expect_dot_products<TypeParam>(fem::Mass<3>{});
  expect_dot_products<TypeParam>(fem::Diffusion<3>{});
}

// Elements that see what they share another way, and numbers of nodes that do not run evenly.
TYPED_TEST(GpuElements, TurnedElementsAndOtherNumbers) {
  const Mesh turned = turned_box();
  for (const int order : {2, 3, 6}) {
    expect_gpu_as_host<TypeParam>(turned, fem::Mass<3>{}, order, {}, join("turned mass, order ", order));
    expect_gpu_as_host<TypeParam>(turned, fem::Diffusion<3>{}, order, {.points = Points::on_nodes()},
                                  join("turned diffusion, order ", order));
    expect_gpu_as_host<TypeParam>(turned, fem::Diffusion<3>{}, order, {.factors = GeometricFactors::recomputed},
                                  join("turned recomputed diffusion, order ", order), 4);
    Space shuffled = make_space(turned, order);
    shuffle(shuffled);
    expect_gpu_as_host<TypeParam>(turned, shuffled, fem::Helmholtz<3>{}, {}, join("other numbers, order ", order));
    expect_gpu_as_host<TypeParam>(turned, shuffled, fem::Mass<3>{}, {}, join("mass, other numbers, order ", order));
  }
}

// Elements of a warp add up what they share: rows of many, cut by the ends of warps and of the mesh.
TYPED_TEST(GpuElements, RowsThatJoin) {
  const Mesh rows = make_box(Cell::hex, {13, 3, 2});
  for (const int order : {2, 3, 4, 5}) {
    expect_gpu_as_host<TypeParam>(rows, fem::Mass<3>{}, order, {}, join("rows of mass, order ", order));
    expect_gpu_as_host<TypeParam>(rows, fem::Diffusion<3>{}, order, {.points = Points::on_nodes()},
                                  join("rows of diffusion, order ", order));
    Space shuffled = make_space(rows, order);
    shuffle(shuffled);
    expect_gpu_as_host<TypeParam>(rows, shuffled, fem::Mass<3>{}, {}, join("rows, other numbers, order ", order));
  }
}

// Rows that go round: the last element of a row shares a face with the first, and two may share two faces.
TYPED_TEST(GpuElements, PeriodicSides) {
  for (const Cell cell : {Cell::hex, Cell::tet})
    for (const int order : {1, 3, 4})
      for (const int n : {2, 9}) {
        const Mesh mesh = make_box(cell, {n, 2, 3}, {{}, {1, 1, 1}, {true, true, n == 2}});
        const std::string what = join("periodic ", name(cell), ", order ", order);
        expect_gpu_as_host<TypeParam>(mesh, fem::Mass<3>{}, order, {}, what);
        expect_gpu_as_host<TypeParam>(mesh, fem::Diffusion<3>{}, order, {}, what);
      }
}

using GpuElementErrors = OnGpu;
TEST_F(GpuElementErrors, SayWhatAGpuTakes) {
  const Mesh hexes = warped_box(Cell::hex, 2, 1);
  const auto text_of = [](const auto& a) { return error_of<Unsupported>([&] { a.to(Device::gpu()); }); };
  const auto b = make_element_operator<double>(hexes, make_space(hexes, 9), fem::Mass<3>{});
  EXPECT_NE(text_of(b).find("order 1 to 8"), std::string::npos) << text_of(b);
  const Mesh quads = make_box(Cell::quad, {2, 2, 1});
  const auto d = make_element_operator<double>(quads, make_space(quads, 2), fem::Diffusion<2>{});
  EXPECT_NE(text_of(d).find("not compiled for a GPU"), std::string::npos) << text_of(d);
  Mesh two = make_box(Cell::hex, {2, 1, 1});
  two.blocks.push_back(two.blocks[0].clone());  // each with one of the two hexes
  for (std::size_t k = 0; k < 2; ++k) {
    CellBlock& block = two.blocks[k];
    const std::vector<Index> nodes(block.nodes_of(static_cast<Index>(k)).begin(),
                                   block.nodes_of(static_cast<Index>(k)).end());
    block = {Cell::hex, 1, Array<Index>(std::span<const Index>(nodes)), Array<std::int32_t>{0}};
  }
  const auto e = make_element_sum<double>(two, make_space(two, 2), fem::Mass<3>{});
  EXPECT_NE(text_of(e).find("takes meshes with one block of cells"), std::string::npos) << text_of(e);
}

}  // namespace
}  // namespace millrace::testing
