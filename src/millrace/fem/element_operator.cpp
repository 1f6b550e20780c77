// Checks what belongs together, makes the arrays, and sends an application to its back end.
#include "millrace/fem/element_operator.hpp"

#include <algorithm>
#include <limits>

#include "millrace/base/dot.hpp"
#include "millrace/base/sort_unique.hpp"
#include "millrace/fem/element/factors.hpp"
#include "millrace/fem/hex/trilinear_map.hpp"

namespace millrace {
namespace {

/// Node numbers, with ~n for the constrained ones.
Array<Index> mark_constrained(const Array<Index>& offsets, Index num_nodes, const Array<Index>& constrained) {
  Array<Index> marked = offsets.clone();
  if (constrained.empty()) return marked;
  std::vector<bool> is_constrained(static_cast<std::size_t>(num_nodes));
  for (const Index n : constrained.span()) is_constrained[static_cast<std::size_t>(n)] = true;
  for (Index& n : marked.span())
    if (is_constrained[static_cast<std::size_t>(n)]) n = ~n;
  return marked;
}

Array<Index> sorted_nodes(std::vector<Index> nodes, Index num_nodes) {
  sort_unique(nodes);
  require(nodes.empty() || (nodes.front() >= 0 && nodes.back() < num_nodes), "element operator: constrained node ",
          nodes.empty() ? 0 : (nodes.front() < 0 ? nodes.front() : nodes.back()), " is outside 0..", num_nodes - 1);
  return Array<Index>(std::span<const Index>(nodes));
}

const CellBlock& block_of(const Mesh& mesh, int number) {
  if (number == -1) return mesh.only_block();
  require(number >= 0 && number < std::ssize(mesh.blocks), "element operator: block ", number,
          " was asked for; the mesh has 0 to ", std::ssize(mesh.blocks) - 1);
  return mesh.blocks[static_cast<std::size_t>(number)];
}

bool skips_nodes(const Space& space, const ElementOptions& options) {
  return space.blocks.size() > 1 || (!options.identity && !options.constrained.empty());
}

template <class T>
void check_gpu(const PointKernel<T>& physics, Cell cell, Evaluation asked, bool skips_nodes) {
  require<Unsupported>(build::cuda, "element operator: a CUDA device was asked for, but this build has no CUDA");
  require<Unsupported>(
      !skips_nodes,
      "element operator: a GPU was asked for, where kernels write the nodes of their own cells alone; it "
      "takes meshes with one block of cells, and constrained nodes with the identity");
  const GpuFunctions<T>& functions = physics.on_gpu;
  const bool fused = asked == Evaluation::fused && (cell == Cell::tet ? functions.tets : functions.hexes);
  require<Unsupported>(
      fused || functions.points,
      "element operator: this physics was not compiled for a GPU; those of fem/physics.hpp in three dimensions are; "
      "others are compiled with nvcc (fem/user_physics_cuda.cuh), given as source text, or as a function of a library "
      "(GpuFunctions::points)");
}

}  // namespace

template <class T>
ElementOperator<T>::ElementOperator(const Mesh& mesh, const Space& space, PointKernel<T> physics,
                                    const ElementOptions& options)
    : physics_(std::move(physics)) {
  require<Unsupported>(physics_.store && physics_.apply,
                       "element operator: this physics was not compiled for the host; name the GPU it is for");
  set_up(mesh, space, options);
  bind_fields(block_of(mesh, options.block));
  if (options.factors == GeometricFactors::stored)
    data_.factors = store_factors<T>(mesh, block_of(mesh, options.block), data_.map, physics_, default_num_threads());
  host_ = make_host_elements(data_, physics_);
  if (options.factors == GeometricFactors::stored) field_owners_.clear();  // nothing reads them any more
}

template <class T>
ElementOperator<T>::ElementOperator(Device target, const Mesh& mesh, const Space& space, PointKernel<T> physics,
                                    const ElementOptions& options)
    : physics_(std::move(physics)) {
  require(!target.on_host() && physics_.on_gpu.store,
          "element operator: made in place on a GPU, of a physics that is stored there, such as one given as source "
          "text; on the host, leave the device out");
  require<Unsupported>(options.factors == GeometricFactors::stored,
                       "element operator: recomputed factors were asked for; a physics that is stored on a GPU takes "
                       "GeometricFactors::stored");
  check_gpu(physics_, space.block(options.block).cell, options.evaluation, skips_nodes(space, options));
  set_up(mesh, space, options);
  const Array<Index> offsets = std::move(data_.offsets), cell_nodes = block_of(mesh, options.block).nodes.to(target);
  data_.offsets = offsets.to(target);
  data_.constrained = data_.constrained.to(target);
  if constexpr (build::cuda) {
    Queue queue(target);
    const ElementMap& map = data_.map;
    const auto there = [&](std::span<const double> table) { return Array<double>(table).to(target); };
    const Array<double> points = mesh.points.to(target), values = there(map.values()), grads = there(map.grads()),
                        weights = there(map.weights());
    const Array<std::int32_t> groups = block_of(mesh, options.block).tag.to(target);
    const Index none = std::numeric_limits<Index>::max();
    Array<Index> bad = Array<Index>{none}.to(target);
    data_.factors = Array<T>(target, data_.num_elem * data_.stored_per_element());
    physics_.on_gpu.store(queue, physics_.physics.data(),
                          {data_.num_elem, map.num_nodes(), map.num_points(), cell_nodes.data(), points.data(),
                           values.data(), grads.data(), weights.data(), groups.data()},
                          data_.factors.data(), bad.data());
    queue.wait();
    check_geometry(data_.basis.cell, bad.to_vector()[0]);
    prepare_gpu(queue, offsets.span());
  }
}

template <class T>
void ElementOperator<T>::set_up(const Mesh& mesh, const Space& space, const ElementOptions& options) {
  const SpaceBlock& elements = space.block(options.block);
  const CellBlock& block = block_of(mesh, options.block);
  require(elements.cell == block.cell && elements.restriction.num_elem == block.num_cells(),
          "element operator: the space has ", elements.restriction.num_elem, ' ', name(elements.cell),
          " elements, the mesh ", block.num_cells(), ' ', name(block.cell), " cells; make the space on this mesh");
  require(physics_.dim == space.dim, "element operator: the physics is written for ", physics_.dim,
          " dimensions, the mesh has ", space.dim);
  require(physics_.comps == space.comps, "element operator: the physics has ", physics_.comps,
          " components, the space ", space.comps);
  skips_nodes_ = skips_nodes(space, options);
  data_.basis = make_element_basis(elements.cell, space.order, options.points);
  data_.map = ElementMap(block.cell, block.order, data_.basis.rule);
  data_.comps = physics_.comps;
  data_.num_stored = physics_.num_stored;
  data_.num_elem = elements.restriction.num_elem;
  data_.num_nodes = space.num_nodes;
  data_.comp_stride = elements.restriction.comp_stride;
  data_.constrained = sorted_nodes(options.constrained, space.num_nodes);
  data_.offsets = mark_constrained(elements.restriction.offsets, space.num_nodes, data_.constrained);
  if (!options.identity) data_.constrained = {};
  data_.kind = options.factors;
  data_.accumulation = options.accumulation;
  data_.evaluation = options.evaluation;
  if (options.factors == GeometricFactors::recomputed) {
    data_.cell_nodes = block.nodes.clone();
    data_.points = mesh.points.clone();
    data_.groups = block.tag.clone();
  }
}

template <class T>
ElementOperator<T> ElementOperator<T>::to(Device target) const {
  require<Unsupported>(device().on_host(), "element operator: only one on the host can be copied to another device");
  if (!target.on_host()) check_gpu(physics_, data_.basis.cell, data_.evaluation, skips_nodes_);
  ElementOperator copy;
  copy.physics_ = physics_;
  copy.skips_nodes_ = skips_nodes_;
  ElementData<T>& d = copy.data_;
  static_cast<ElementFacts&>(d) = data_;
  d.offsets = data_.offsets.to(target);
  d.constrained = data_.constrained.to(target);
  d.factors = target.on_host() ? data_.factors.clone() : factors_by_element(data_).to(target);
  d.cell_nodes = data_.cell_nodes.to(target);
  d.points = data_.points.to(target);
  if (target.on_host()) {
    d.groups = data_.groups.clone();
    copy.field_owners_ = field_owners_;
    copy.host_ = make_host_elements(d, copy.physics_);
  } else if constexpr (build::cuda) {
    Queue queue(target);
    copy.prepare_gpu(queue, data_.offsets.span());
  }
  return copy;
}

template <class T>
void ElementOperator<T>::prepare_gpu(Queue& queue, std::span<const Index> host_offsets) {
  const bool tets = data_.basis.cell == Cell::tet;
  if (!(tets ? physics_.on_gpu.tets : physics_.on_gpu.hexes)) data_.evaluation = Evaluation::unfused;
  if constexpr (build::cuda) {
    if (data_.evaluation == Evaluation::unfused)
      cuda::prepare_unfused(queue, data_, host_offsets);
    else if (tets)
      cuda::prepare_tets(queue, data_, physics_, host_offsets);
    else
      cuda::prepare_hexes(queue, data_, physics_, host_offsets);
  }
}

template <class T>
void ElementOperator<T>::set_evaluation(Evaluation evaluation) {
  require<Unsupported>(device().on_host(),
                       "element operator: another evaluation was asked for on a GPU, where it is "
                       "fixed; ask for it on the host, before `to`");
  data_.evaluation = evaluation;
}

template <class T>
void ElementOperator<T>::set_accumulation(Accumulation accumulation) {
  const bool any = device().on_host() || evaluation() == Evaluation::unfused || data_.shared.first.size() > 0;
  require<Unsupported>(accumulation == Accumulation::atomic || any,
                       "element operator: it came to the GPU with atomic sums; make it with deterministic ones");
  data_.accumulation = accumulation;
}

template <class T>
Traffic ElementOperator<T>::traffic(int num_vectors, bool reads_y) const {
  Traffic traffic;
  const Offset per_element = data_.kind == GeometricFactors::stored ? data_.stored_per_element()
                             : data_.factors.empty()                ? 0
                                                                    : fem::hex_map_size;  // recomputed on a GPU
  const Offset stored = data_.num_elem * per_element;                      // no padding
  const auto values =
      static_cast<double>(stored) * sizeof(T) + static_cast<double>(data_.cell_nodes.bytes() + data_.points.bytes());
  traffic.matrix = values + static_cast<double>(data_.offsets.bytes());
  traffic.vectors = static_cast<double>(data_.num_dofs()) * sizeof(T) * num_vectors * (reads_y ? 3 : 2);
  traffic.minimum = values + traffic.vectors;
  return traffic;
}

template <class T>
bool ElementOperator<T>::has_compiled_loops() const {
  if (!data_.basis.tensor) return false;
  const int p = data_.basis.tensor->num_nodes(), q = data_.basis.tensor->num_points;
  return has_compiled_contract(p, q) && has_compiled_contract(q, q);
}

template <class T>
void ElementOperator<T>::do_apply(Queue& queue, const ApplyRequest<T>& r) const {
  if (device().on_host()) {
    for (int k = 0; k < r.y.num; ++k)
      apply_elements(queue, data_, physics_, host_, r.alpha, r.x.data + k * r.x.stride, r.beta,
                     r.y.data + k * r.y.stride);
  } else if constexpr (build::cuda) {
    if (evaluation() == Evaluation::unfused) return cuda::apply_unfused(queue, data_, physics_, r);
    const GpuFunctions<T>& functions = physics_.on_gpu;
    const bool stored = data_.kind == GeometricFactors::stored, straight = data_.map.num_nodes() == 8;
    const auto apply = data_.basis.cell == Cell::tet ? functions.tets
                       : stored                      ? functions.hexes
                       : straight                    ? functions.straight_hexes
                                                     : functions.curved_hexes;
    apply(queue, data_, physics_, r);
    const bool left = r.dot == DotWith::none || (r.dot == DotWith::x && r.beta == T{0});  // the kernel has it
    if (!left) dot<T>(queue, r.dot == DotWith::x ? r.x : Vectors<const T>(r.y), r.y, r.dot_result);
  } else {
    throw Unsupported("element operator: a CUDA device was asked for, but this build has no CUDA");
  }
}

template class ElementOperator<float>;
template class ElementOperator<double>;

}  // namespace millrace
