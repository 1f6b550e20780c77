// Gathers, and interpolates by the tables of the field's own order at the points of the rule.
#include "millrace/fem/element/sample.hpp"

#include "millrace/base/parallel.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/basis/tabulate.hpp"

namespace millrace {

ElementBasis basis_of_order(const ElementBasis& points, int order) {
  if (order == points.order) return points;
  ElementBasis basis;
  basis.cell = points.cell;
  basis.order = order;
  basis.dim = points.dim;
  basis.num_nodes = num_nodes(points.cell, order);
  basis.rule = points.rule;
  if (points.tensor && points.tensor->num_points > order) {
    basis.tensor = make_tensor_basis(order, {1, 0, points.tensor->points, points.tensor->weights});
    return basis;
  }
  NodeTable table = tabulate_nodes(points.cell, order, NodeKind::fem, points.rule.points);
  basis.simplex = SimplexBasis{
      points.cell, order, {}, points.rule, std::move(table.values), std::move(table.gradients),
  };
  return basis;
}

template <class T>
void sample_fields(int num_threads, const ElementBasis& points, const NodalLayout& layout, const T* values,
                   const UseSample<T>& use) {
  constexpr int L = num_lanes<T>;
  PointKernel<T> all;  // value and gradient of every component
  all.comps = layout.comps;
  all.uses_value = all.uses_grad = true;
  const ElementBatch<T> batch(basis_of_order(points, layout.order), all);
  const int nodes = batch.num_nodes();
  const auto num_elem = static_cast<Index>(std::ssize(layout.offsets) / nodes);
  const Work each{.flops = 2 * batch.work_size()};
  parallel_for(num_threads, (std::int64_t{num_elem} + L - 1) / L, each, [&](std::int64_t begin, std::int64_t end) {
    std::vector<T> work(to_size(batch.work_size()));
    for (std::int64_t b = begin; b < end; ++b) {
      const auto first = static_cast<Index>(b * L);
      const int count = std::min<Index>(L, num_elem - first);
      T* u = work.data();
      for (int c = 0; c < layout.comps; ++c)
        for (int n = 0; n < nodes; ++n)
          for (int l = 0; l < L; ++l, ++u) {
            const Index node = layout.offsets[to_size(Offset{first + std::min(l, count - 1)} * nodes + n)];
            *u = values[(node < 0 ? ~node : node) + c * layout.comp_stride];
          }
      const auto at = batch.evaluate(work.data());
      use(first, count, at.value, at.grad);
    }
  });
}

const SpaceBlock& find_block(const char* what, const Space& space, Cell cell, Index num_elem) {
  const SpaceBlock* found = nullptr;
  std::string all;
  for (const SpaceBlock& block : space.blocks) {
    all += join(all.empty() ? "" : " and ", block.restriction.num_elem, ' ', name(block.cell));
    if (block.cell != cell || block.restriction.num_elem != num_elem) continue;
    require<Unsupported>(!found, what, ": the space of the field has two blocks of ", num_elem, ' ', name(cell),
                         " elements, and which of them are the operator's cannot be told; accepted are blocks that "
                         "differ in shape or number");
    found = &block;
  }
  require(found != nullptr, what, ": the space of the field has ", all, " elements, the mesh of the operator ",
          num_elem, ' ', name(cell), " cells; make it on this mesh");
  return *found;
}

template void sample_fields(int, const ElementBasis&, const NodalLayout&, const float*, const UseSample<float>&);
template void sample_fields(int, const ElementBasis&, const NodalLayout&, const double*, const UseSample<double>&);

}  // namespace millrace
