// Lists the nodes on the surface of elements and the elements that share each.
#include "millrace/fem/surface.hpp"

#include <limits>

#include "millrace/base/dispatch.hpp"

namespace millrace {
namespace {

SurfaceNodes surface_of_hex(int order) {
  SurfaceNodes surface;
  dispatch<2, 3, 4, 5, 6, 7, 8, 9>("nodes a direction", order + 1, [&]<int P>() {
    surface.num = cuda::num_surface(P);
    for (int k = 0; k < P; ++k)
      for (int j = 0; j < P; ++j)
        for (int i = 0; i < P; ++i)
          surface.number.push_back(cuda::on_surface(P, i, j, k) ? cuda::surface_number<P>(i, j, k) : -1);
  });
  return surface;
}

SurfaceNodes surface_of_tet(int order) {
  SurfaceNodes surface;
  for (int k = 0; k <= order; ++k)
    for (int j = 0; j + k <= order; ++j)
      for (int i = 0; i + j + k <= order; ++i) {
        const bool on = i == 0 || j == 0 || k == 0 || i + j + k == order;
        surface.number.push_back(on ? surface.num++ : -1);
      }
  return surface;
}

}  // namespace

SurfaceNodes surface_nodes(Cell cell, int order) {
  require<Unsupported>(cell == Cell::hex || cell == Cell::tet, "surface nodes: of a ", name(cell),
                       " were asked for; there are those of hex and tet");
  return cell == Cell::hex ? surface_of_hex(order) : surface_of_tet(order);
}

SharedNodes find_shared(std::span<const Index> offsets, Index num_elem, const SurfaceNodes& surface, Index num_nodes) {
  const std::int64_t num_slots = std::int64_t{num_elem} * surface.num;
  require<Unsupported>(num_slots <= std::numeric_limits<Index>::max(), "element operator: deterministic sums of ",
                       num_elem, " elements with ", surface.num, " nodes on their surface need ", num_slots,
                       " slots; at most 2^31 - 1 are possible. Sum::atomic needs none");
  const auto nodes = std::ssize(surface.number);
  std::vector<std::pair<std::int64_t, Index>> local;  // node and its number on the surface
  for (std::int64_t n = 0; n < nodes; ++n)
    if (const Index number = surface.number[static_cast<std::size_t>(n)]; number >= 0) local.emplace_back(n, number);
  const auto visit = [&](auto&& f) {
    for (Index e = 0; e < num_elem; ++e)
      for (const auto& [node, number] : local)
        if (const Index n = offsets[static_cast<std::size_t>(e * nodes + node)]; n >= 0)
          f(static_cast<std::size_t>(n), static_cast<Index>(std::int64_t{e} * surface.num + number));
  };
  std::vector<Index> count(static_cast<std::size_t>(num_nodes)), all, first{0}, place(count.size());
  visit([&](std::size_t n, Index) { ++count[n]; });
  for (std::size_t n = 0; n < count.size(); ++n)
    if (count[n] > 0)
      place[n] = first.back(), all.push_back(static_cast<Index>(n)), first.push_back(place[n] + count[n]);
  std::vector<Index> slots(static_cast<std::size_t>(first.back()));
  visit([&](std::size_t n, Index slot) { slots[static_cast<std::size_t>(place[n]++)] = slot; });
  const auto array = [](const std::vector<Index>& v) { return Array<Index>(std::span<const Index>(v)); };
  return {array(all), array(first), array(slots)};
}

}  // namespace millrace
