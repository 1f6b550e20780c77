// A load is the transposed half of an element operator: the function at the points, B^T, and sums in a fixed order.
#include "millrace/fem/load.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/fem/actions/basis_actions_cuda.hpp"
#include "millrace/fem/basis_actions.hpp"
#include "millrace/fem/element/schedule.hpp"
#include "millrace/fem/integral/choose.hpp"
#include "millrace/fem/physics/point.hpp"
#include "millrace/solve/identity.hpp"

namespace millrace {
namespace {

/// The cells that a load is integrated over, and their nodes in the space.
struct LoadCells {
  std::vector<Index> cells;    // ascending
  std::vector<Index> offsets;  // [num_cells, nodes]
  Index num() const { return static_cast<Index>(cells.size()); }
};

LoadCells choose_cells(const CellBlock& block, const Restriction& restriction, std::span<const std::int32_t> asked) {
  LoadCells chosen;
  const auto offsets = restriction.offsets.span();
  if (asked.empty()) {
    chosen.cells.resize(to_size(block.num_cells()));
    std::iota(chosen.cells.begin(), chosen.cells.end(), 0);
    chosen.offsets.assign(offsets.begin(), offsets.end());
    return chosen;
  }
  for (Index c = 0; c < block.num_cells(); ++c)
    if (std::binary_search(asked.begin(), asked.end(), block.tag.data()[c])) {
      chosen.cells.push_back(c);
      const auto mine = offsets.subspan(to_size(Offset{c} * restriction.nodes), to_size(restriction.nodes));
      chosen.offsets.insert(chosen.offsets.end(), mine.begin(), mine.end());
    }
  return chosen;
}

/// The load at the points of an element with weights and geometry: value [comps, points], flux [comps, dim, points].
/// Of one thread.
template <int D>
class PointLoads {
 public:
  PointLoads(const Load& load, const ElementMap& map, int comps)
      : load_(load),
        map_(map),
        comps_(comps),
        work_(to_size(map.work_size())),
        value_(to_size(std::max(comps, load.max_comps()))),
        flux_(value_.size() * D) {}

  /// False where the map of the cell is degenerate or inverted.
  template <class T>
  bool evaluate(const Mesh& mesh, const CellBlock& block, Index cell, T* value, T* flux) {
    const ElementPoints at = map_.evaluate(mesh.points.data(), block.nodes_of(cell), work_.data());
    const int n = at.num_points;
    for (int q = 0; q < n; ++q) {
      fem::PointGeometry<double, D> g;
      Point x{};
      for (int i = 0; i < D; ++i) {
        x[to_size(i)] = at.places[i * n + q];
        for (int j = 0; j < D; ++j) g.jacobian[i][j] = at.jacobians[(i * D + j) * n + q];
      }
      fem::invert(g);
      if (!(g.det > 0)) return false;
      load_.evaluate(x, value_.data(), flux_.data());
      const double weight = at.weights[q] * g.det;
      for (int c = 0; c < comps_; ++c) {
        if (load_.uses_value()) value[c * n + q] = static_cast<T>(weight * value_[to_size(c)]);
        if (!load_.uses_grad()) continue;
        for (int j = 0; j < D; ++j) {
          double sum = 0;
          for (int k = 0; k < D; ++k) sum += flux_[to_size(c * D + k)] * g.inverse[j][k];
          flux[(c * D + j) * n + q] = static_cast<T>(weight * sum);
        }
      }
    }
    return true;
  }

 private:
  const Load& load_;
  const ElementMap& map_;
  int comps_;
  std::vector<double> work_, value_, flux_;
};

/// Of one block of cells, of those with these tags.
template <class T>
class LoadVector {
 public:
  LoadVector(const Mesh& mesh, std::size_t block, const Space& space, const Load& load, const Points& points,
             std::span<const std::int32_t> tags)
      : mesh_(mesh),
        block_(mesh.blocks[block]),
        space_(space),
        nodes_(space.blocks[block].restriction.nodes),
        load_(load),
        basis_(make_element_basis(block_.cell, space.order, detail::points_of_block(mesh, block_.cell, points))),
        map_(block_.cell, block_.order, basis_.rule),
        cells_(choose_cells(block_, space.blocks[block].restriction, tags)) {}

  /// Can a GPU apply B^T of this basis?
  bool on_gpu() const {
    if (!basis_.tensor) return true;
    const int more = basis_.tensor->num_points - basis_.order;
    return basis_.dim == 3 && basis_.order <= 8 && (more == 1 || more == 2);
  }

  /// Chunks of cells by colours, as in an element operator.
  void add_on_host(int num_threads, T* b) const {
    const int nodes = nodes_, comps = space_.comps;
    constexpr int chunk = 32;  // cells whose point values lie side by side
    const ElementSchedule schedule =
        make_element_schedule(cells_.offsets, cells_.num(), nodes, space_.num_nodes, chunk);
    schedule.run(num_threads, {.flops = 256}, [&](int, Index first, Index last) {
      Queue alone(Device::host(), 1);
      const Index count = last - first;
      std::vector<T> value(values(count)), flux(fluxes(count)), u(to_size(Offset{count} * comps * nodes));
      fill_points(1, first, last, value.data(), flux.data());
      transpose(alone, count, value, flux, u);
      const T* from = u.data();
      for (Index e = first; e < last; ++e)
        for (int c = 0; c < comps; ++c)
          for (int n = 0; n < nodes; ++n) b[space_.entry(cells_.offsets[to_size(Offset{e} * nodes + n)], c)] += *from++;
    });
    check_geometry(block_.cell, first_bad_);
  }

  /// Values at points come from the host, batch by batch; B^T and the sums are done there.
  void add_on_gpu([[maybe_unused]] Queue& queue, [[maybe_unused]] T* b) const {
    if constexpr (build::cuda) {
      const int nodes = nodes_, comps = space_.comps;
      constexpr Index batch = 1 << 14;
      const Device there = queue.device();
      Array<T> u(queue, Offset{cells_.num()} * comps * nodes);
      for (Index first = 0; first < cells_.num(); first += batch) {
        const Index last = std::min(first + batch, cells_.num()), count = last - first;
        std::vector<T> value(values(count)), flux(fluxes(count));
        fill_points(default_num_threads(), first, last, value.data(), flux.data());
        check_geometry(block_.cell, first_bad_);
        const Array<T> value_there = Array<T>(std::span<const T>(value)).to(there),
                       flux_there = Array<T>(std::span<const T>(flux)).to(there);
        const Offset size = Offset{comps} * nodes;
        transpose(queue, count, value_there, flux_there, Vectors<T>(there, u.data() + first * size, count * size));
        queue.wait();  // the batch on the GPU ends here
      }
      const RestrictionOnGpu r =
          cuda::make_restriction_on_gpu(there, cells_.offsets, cells_.num(), space_.num_nodes, comps, space_.num_nodes);
      cuda::sum_elements(queue, r, T{1}, static_cast<const T*>(u.data()), T{1}, b);
      queue.wait();
    } else {
      throw Unsupported("load: a CUDA device was asked for, but this build has no CUDA");
    }
  }

 private:
  std::size_t values(Index count) const {
    return load_.uses_value() ? to_size(Offset{count} * space_.comps * basis_.num_points()) : 0;
  }
  std::size_t fluxes(Index count) const {
    return load_.uses_grad() ? to_size(Offset{count} * space_.comps * space_.dim * basis_.num_points()) : 0;
  }

  /// value [last - first, comps, points], flux [last - first, comps, dim, points].
  void fill_points(int num_threads, Index first, Index last, T* value, T* flux) const {
    const Offset size = Offset{space_.comps} * basis_.num_points();
    const auto fill = [&]<int D>() {
      parallel(threads_for(num_threads, last - first, {.flops = 256}), [&](int thread, int threads) {
        PointLoads<D> points(load_, map_, space_.comps);
        const auto [begin, end] = even_part(last - first, thread, threads);
        for (std::int64_t e = begin; e < end; ++e) {
          const Index cell = cells_.cells[to_size(first + e)];
          if (points.evaluate(mesh_, block_, cell, value + (load_.uses_value() ? e * size : 0),
                              flux + (load_.uses_grad() ? e * size * D : 0)))
            continue;
          for (Index seen = first_bad_; cell < seen && !first_bad_.compare_exchange_weak(seen, cell);) continue;
        }
      });
    };
    if (space_.dim == 2)
      fill.template operator()<2>();
    else
      fill.template operator()<3>();
  }

  /// u = B^T value + G^T flux, [count, comps, nodes].
  void transpose(Queue& queue, Index count, Vectors<const T> value, Vectors<const T> flux, Vectors<T> u) const {
    const ElementFields fields{count, space_.comps};
    const auto act = [&](const auto& basis) {
      if (load_.uses_value()) interp_transpose<T>(queue, basis, fields, value, u);
      if (load_.uses_grad())
        grad_transpose<T>(queue, basis, fields, flux, u, load_.uses_value() ? Write::add : Write::set);
    };
    if (basis_.tensor)
      act(TensorProduct{*basis_.tensor, basis_.dim});
    else
      act(*basis_.simplex);
  }

  const Mesh& mesh_;
  const CellBlock& block_;
  const Space& space_;
  int nodes_;  // of a cell
  const Load& load_;
  ElementBasis basis_;
  ElementMap map_;
  LoadCells cells_;
  mutable std::atomic<Index> first_bad_ = std::numeric_limits<Index>::max();  // cell with a bad map
};

}  // namespace

void Load::check(const Space& space) const {
  const int comps = space.comps;
  require(dim_ == 0 || dim_ == space.dim, "load: it is written for ", dim_, " dimensions, the mesh has ", space.dim);
  require(
      min_comps_ <= comps && comps <= max_comps_, "load: it has ", [&] { return comps_text(min_comps_, max_comps_); },
      ", the space ", comps);
}

template <class T>
void add_load(Queue& queue, const Mesh& mesh, const Space& space, const Load& load, std::type_identity_t<Vectors<T>> b,
              const LoadOptions& options) {
  const ThreadLimit limit(queue);
  check_same_cells("load", mesh, space);
  load.check(space);
  require(b.size == space.num_dofs() && b.num == 1, "load: needs one vector of ", space.num_dofs(),
          " entries; this is ", b.num, " of ", b.size);
  require(
      b.device == queue.device(), "load: the vector is on ", [&] { return to_string(b.device); }, ", the queue on ",
      [&] { return to_string(queue.device()); }, "; both must be on one device");
  if (!load.uses_value() && !load.uses_grad()) return;
  const std::vector<std::int32_t> tags = detail::tags_of_cells("load", mesh, options.groups);
  for (std::size_t block = 0; block < mesh.blocks.size(); ++block) {
    const LoadVector<T> vector(mesh, block, space, load, options.points, tags);
    if (b.device.on_host()) {
      vector.add_on_host(queue.num_threads(), b.data);
    } else if (vector.on_gpu()) {
      vector.add_on_gpu(queue, b.data);
    } else {
      Array<T> made(b.size, T{0});
      vector.add_on_host(default_num_threads(), made.data());
      const Array<T> there = made.to(b.device);
      Identity<T>(b.size, b.device).apply(queue, {.x = there, .beta = T{1}, .y = b});
      queue.wait();
    }
  }
}

template void add_load<float>(Queue&, const Mesh&, const Space&, const Load&, Vectors<float>, const LoadOptions&);
template void add_load<double>(Queue&, const Mesh&, const Space&, const Load&, Vectors<double>, const LoadOptions&);

}  // namespace millrace
