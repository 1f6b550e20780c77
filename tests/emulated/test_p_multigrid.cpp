// The kernels of p-multigrid, lane by lane on the host: transfers between orders, and blocks of elements.
#include "emulated.hpp"
#include "millrace/fem/multigrid/element_blocks.hpp"
#include "millrace/fem/multigrid/p_transfer.hpp"

namespace millrace::emulated {

template <class W>
void prolong(Queue& queue, const multigrid::AnyPlan& plan, const multigrid::TransferView<W>& view, int comps,
             const W* coarse, W* fine);
template <class W>
void restrict_to(Queue& queue, const multigrid::AnyPlan& plan, const multigrid::TransferView<W>& view,
                 const multigrid::NodeSums& sums, int comps, const W* b, const W* q, W* contributions, W* coarse);
template <class W>
void step_blocks(Queue& queue, const multigrid::BlockTable<W>& table, const multigrid::BlocksView<W>& view, int comps,
                 W* contributions, const multigrid::BlockStep<W>& step);

}  // namespace millrace::emulated

namespace millrace::testing {
namespace {

struct Orders {
  Cell cell;
  int fine, coarse;
};

/// Both orders of threads: what waits too little gives another result.
template <class F>
void forwards_and_backwards(F&& f) {
  for (const bool backwards : {false, true}) {
    emulator::backwards = backwards;
    f();
  }
  emulator::backwards = false;
}

TEST(EmulatedPMultigrid, TransfersAreThoseOfTheHost) {
  for (const auto& [cell, p, c] : {Orders{Cell::hex, 8, 4},
                                   {Cell::hex, 7, 3},
                                   {Cell::hex, 6, 3},
                                   {Cell::hex, 5, 2},
                                   {Cell::hex, 4, 2},
                                   {Cell::hex, 3, 1},
                                   {Cell::hex, 2, 1},
                                   {Cell::hex, 5, 4},
                                   {Cell::tet, 5, 3},
                                   {Cell::tet, 2, 1},
                                   {Cell::quad, 4, 2}}) {
    const Mesh mesh = warped_box(cell, 3, 1);
    const Space fine = make_space(mesh, p, 2), coarse = make_space(mesh, c, 2);
    const auto& held = fine.all_boundary_nodes;
    const multigrid::PTransfer<double> transfer(Device::host(), fine, coarse, held,
                                                multigrid::coarse_constrained(fine, coarse, held),
                                                multigrid::by_node(coarse));
    const auto x = random_vector<double>(coarse.num_dofs(), 1), y = random_vector<double>(fine.num_dofs(), 2),
               q = random_vector<double>(fine.num_dofs(), 3);
    auto up = y, down = x;
    Queue queue;
    transfer.prolong(queue, x.data(), up.data());
    transfer.restrict_to(queue, y.data(), q.data(), down.data());
    forwards_and_backwards([&] {
      auto found_up = y, found_down = x;
      std::vector<double> contributions(static_cast<std::size_t>(fine.only_block().restriction.num_elem) * 2 *
                                        static_cast<std::size_t>(transfer.plan().coarse_nodes));
      emulated::prolong(queue, transfer.plan(), transfer.view(), 2, x.data(), found_up.data());
      emulated::restrict_to(queue, transfer.plan(), transfer.view(), transfer.sums(), 2, y.data(), q.data(),
                            contributions.data(), found_down.data());
      for (std::size_t i = 0; i < up.size(); ++i) ASSERT_NEAR(found_up[i], up[i], 1e-13) << name(cell) << p;
      for (std::size_t i = 0; i < down.size(); ++i) ASSERT_NEAR(found_down[i], down[i], 1e-12) << name(cell) << p;
    });
  }
}

TEST(EmulatedPMultigrid, BlocksAreThoseOfTheHost) {
  for (int order = 1; order <= 8; ++order) {
    const Mesh mesh = warped_box(Cell::hex, 2, 1);
    Space space = make_space(mesh, order, 2);
    if (order % 3 == 0) shuffle(space);  // nodes inside of elements are among the others
    std::vector<double> diagonal(static_cast<std::size_t>(space.num_dofs()), 2.0), mass;
    const std::vector<Index> held{0, 3, space.num_nodes - 1};  // the last is inside of an element, from order 2 on
    const multigrid::ElementBlocks<double> blocks(Device::host(), mesh, space, held, diagonal, false, mass);
    const auto r = random_vector<double>(space.num_dofs(), 1), z = random_vector<double>(space.num_dofs(), 2),
               x = random_vector<double>(space.num_dofs(), 3);
    const auto step = [&](std::vector<double>& to_z, std::vector<double>& to_x) {
      return multigrid::BlockStep<double>{
          .keep = 0.5, .add = 2, .weight = -1, .r = r.data(), .z = to_z.data(), .x = to_x.data()};
    };
    auto expected_z = z, expected_x = x;
    Queue queue;
    blocks.step(queue, step(expected_z, expected_x));
    forwards_and_backwards([&] {
      auto found_z = z, found_x = x;
      std::vector<double> contributions(static_cast<std::size_t>(space.only_block().restriction.offsets.size()) * 2);
      emulated::step_blocks(queue, blocks.table(), blocks.view(), 2, contributions.data(), step(found_z, found_x));
      for (std::size_t i = 0; i < r.size(); ++i) {
        ASSERT_NEAR(found_z[i], expected_z[i], 1e-12) << order;
        ASSERT_NEAR(found_x[i], expected_x[i], 1e-12) << order;
      }
    });
  }
}

}  // namespace
}  // namespace millrace::testing
