// Transfers between orders: polynomials of the coarse order come through exactly, restriction is the transpose, and
// constrained nodes of both sides fit together.
#include "millrace/fem/multigrid/p_transfer.hpp"

#include "fem/fem_tools.hpp"
#include "on_gpu.hpp"

namespace millrace::testing {
namespace {

using multigrid::by_component;
using multigrid::by_node;
using multigrid::coarse_constrained;
using multigrid::NodeLayout;
using multigrid::PTransfer;

struct Pair {
  Cell cell;
  int fine, coarse;
};
// Halved orders, which are compiled for hexes, and others.
constexpr Pair pairs[] = {{Cell::hex, 8, 4},  {Cell::hex, 7, 3},  {Cell::hex, 6, 3},      {Cell::hex, 5, 2},
                          {Cell::hex, 4, 2},  {Cell::hex, 3, 1},  {Cell::hex, 2, 1},      {Cell::hex, 7, 5},
                          {Cell::hex, 3, 3},  {Cell::tet, 4, 2},  {Cell::tet, 3, 1},      {Cell::tet, 5, 2},
                          {Cell::quad, 6, 3}, {Cell::quad, 2, 1}, {Cell::triangle, 5, 2}, {Cell::triangle, 3, 3}};

std::string text_of(const Pair& pair) { return join(name(pair.cell), ' ', pair.fine, " to ", pair.coarse); }

/// Of the order in each variable, or in all, with all terms.
double coarse_function(const Pair& pair, const double* x, int c) {
  const double line = 0.3 + 0.5 * x[0] - 0.4 * x[1] + (dim(pair.cell) == 3 ? 0.2 * x[2] : 0);
  double value = std::pow(line, pair.coarse);
  if (is_tensor(pair.cell)) value += std::pow(x[0] * x[1], pair.coarse);
  return value * (c + 1) - c;
}

template <class W>
std::vector<W> in_layout(const std::vector<W>& by_components, const Space& space, NodeLayout layout) {
  std::vector<W> moved(by_components.size());
  for (Index n = 0; n < space.num_nodes; ++n)
    for (int c = 0; c < space.comps; ++c)
      moved[static_cast<std::size_t>(n * layout.node + c * layout.comp)] =
          by_components[static_cast<std::size_t>(space.entry(n, c))];
  return moved;
}

TEST(PTransfer, ReproducesPolynomialsOfTheCoarseOrder) {
  for (const Pair& pair : pairs) {
    const Mesh mesh = make_box(pair.cell, {3, 2, 2});
    const Space fine = make_space(mesh, pair.fine, 2), coarse = make_space(mesh, pair.coarse, 2);
    const auto f = [&](const double* x, int c) { return coarse_function(pair, x, c); };
    for (const NodeLayout layout : {by_component(coarse), by_node(coarse)}) {
      const PTransfer<double> transfer(Device::host(), fine, coarse, {}, {}, layout);
      const auto from = in_layout(values_at_nodes<double>(coarse, f), coarse, layout);
      auto found = values_at_nodes<double>(fine, [&](const double* x, int c) { return -f(x, c); });
      Queue queue;
      transfer.prolong(queue, from.data(), found.data());  // what is there, and P of the coarse one, is nothing
      for (const double value : found) ASSERT_NEAR(value, 0, 1e-12) << text_of(pair);
    }
  }
}

TEST(PTransfer, RestrictionIsTheTranspose) {
  for (const Pair& pair : pairs) {
    const Mesh mesh = warped_box(pair.cell, 2, 1);
    const Space fine = make_space(mesh, pair.fine, 2), coarse = make_space(mesh, pair.coarse, 2);
    const std::vector<Index> held = coarse_constrained(fine, coarse, fine.boundary[0].nodes);
    const PTransfer<double> transfer(Device::host(), fine, coarse, fine.boundary[0].nodes, held, by_node(coarse));
    const auto x = random_vector<double>(coarse.num_dofs(), 1), b = random_vector<double>(fine.num_dofs(), 2),
               q = random_vector<double>(fine.num_dofs(), 3);
    std::vector<double> px(b.size(), 0.0), rb(x.size(), NAN), rr(x.size(), NAN), r(b.size());
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = b[i] - q[i];
    Queue queue;
    transfer.prolong(queue, x.data(), px.data());
    transfer.restrict_to(queue, b.data(), q.data(), rb.data());
    transfer.restrict_to(queue, r.data(), nullptr, rr.data());
    EXPECT_NEAR(dot(px, r), dot(x, rb), 1e-12 * std::sqrt(dot(r, r) * dot(px, px))) << text_of(pair);
    EXPECT_TRUE(same_bits<double>(rb, rr)) << text_of(pair);
  }
}

TEST(PTransfer, CoarseNodesAreHeldWhereFineOnesAre) {
  for (const Pair& pair : pairs) {
    const Mesh mesh = warped_box(pair.cell, 3, 1);
    const Space fine = make_space(mesh, pair.fine), coarse = make_space(mesh, pair.coarse);
    EXPECT_EQ(coarse_constrained(fine, coarse, fine.all_boundary_nodes), coarse.all_boundary_nodes) << text_of(pair);
    EXPECT_EQ(coarse_constrained(fine, coarse, fine.boundary[1].nodes), coarse.boundary[1].nodes) << text_of(pair);
    EXPECT_TRUE(coarse_constrained(fine, coarse, {}).empty());
    const std::vector<Index> vertex{7};  // vertices come first in every space
    EXPECT_EQ(coarse_constrained(fine, coarse, vertex), vertex) << text_of(pair);
  }
}

TEST(PTransfer, ConstrainedNodesNeitherGiveNorTake) {
  const Mesh mesh = make_box(Cell::hex, {2, 2, 2});
  const Space fine = make_space(mesh, 4), coarse = make_space(mesh, 2);
  const auto& held = coarse.all_boundary_nodes;
  const PTransfer<float> transfer(Device::host(), fine, coarse, fine.all_boundary_nodes, held, by_component(coarse));
  std::vector<float> x(static_cast<std::size_t>(coarse.num_dofs()), 1.0F);
  for (const Index n : held) x[static_cast<std::size_t>(n)] = NAN;  // never read
  std::vector<float> y(static_cast<std::size_t>(fine.num_dofs()), 2.0F);
  for (const Index n : fine.all_boundary_nodes) y[static_cast<std::size_t>(n)] = NAN;  // never read by restriction
  Queue queue;
  transfer.restrict_to(queue, y.data(), nullptr, x.data());
  for (const float value : x) EXPECT_TRUE(std::isfinite(value));
  for (const Index n : held) EXPECT_EQ(x[static_cast<std::size_t>(n)], 0.0F);
  for (const Index n : held) x[static_cast<std::size_t>(n)] = NAN;
  transfer.prolong(queue, x.data(), y.data());
  for (Index n = 0; n < fine.num_nodes; ++n) {
    const bool on = std::binary_search(fine.all_boundary_nodes.begin(), fine.all_boundary_nodes.end(), n);
    EXPECT_EQ(std::isnan(y[static_cast<std::size_t>(n)]), on);
  }
}

TEST(PTransfer, GivesTheSameBitsOnAnyNumberOfThreads) {
  for (const Pair& pair : {Pair{Cell::hex, 4, 2}, Pair{Cell::tet, 3, 1}}) {
    const Mesh mesh = warped_box(pair.cell, 6, 1);
    const Space fine = make_space(mesh, pair.fine), coarse = make_space(mesh, pair.coarse);
    const PTransfer<float> transfer(Device::host(), fine, coarse, {}, {}, by_component(coarse));
    const auto x = random_vector<float>(coarse.num_dofs(), 1), b = random_vector<float>(fine.num_dofs(), 2);
    std::vector<std::vector<float>> up(3, b), down(3, x);
    for (int threads = 1; threads <= 3; ++threads) {
      Queue queue(Device::host(), threads);
      const auto at = static_cast<std::size_t>(threads - 1);
      transfer.prolong(queue, x.data(), up[at].data());
      transfer.restrict_to(queue, b.data(), nullptr, down[at].data());
      EXPECT_TRUE(same_bits<float>(up[0], up[at]));
      EXPECT_TRUE(same_bits<float>(down[0], down[at]));
    }
  }
}

TEST(GpuPTransfer, GivesWhatTheHostGives) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU";
  Queue host, gpu(Device::gpu());
  for (const Pair& pair : pairs) {
    const Mesh mesh = warped_box(pair.cell, 3, 1);
    const Space fine = make_space(mesh, pair.fine, 2), coarse = make_space(mesh, pair.coarse, 2);
    const auto& held = fine.all_boundary_nodes;
    const auto make = [&](Device device) {
      return PTransfer<double>(device, fine, coarse, held, coarse_constrained(fine, coarse, held), by_node(coarse));
    };
    const PTransfer<double> here = make(Device::host()), there = make(Device::gpu());
    auto x = random_vector<double>(coarse.num_dofs(), 1), y = random_vector<double>(fine.num_dofs(), 2);
    const auto q = random_vector<double>(fine.num_dofs(), 3);
    Array<double> x_there = on_gpu(x), y_there = on_gpu(y);
    const Array<double> q_there = on_gpu(q);
    here.prolong(host, x.data(), y.data());
    there.prolong(gpu, x_there.data(), y_there.data());
    here.restrict_to(host, y.data(), q.data(), x.data());
    there.restrict_to(gpu, y_there.data(), q_there.data(), x_there.data());
    gpu.wait();
    const auto y_found = y_there.to_vector(), x_found = x_there.to_vector();
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y_found[i], y[i], 1e-13) << text_of(pair);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x_found[i], x[i], 1e-12) << text_of(pair);
  }
}

}  // namespace
}  // namespace millrace::testing
