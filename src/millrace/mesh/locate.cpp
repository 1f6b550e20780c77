// CellFinder: boxes around all cells in one tree, a second and closer bound for each cell, then its inverse map.
#include "millrace/mesh/locate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "millrace/base/thread_limit.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/mesh/places/box_tree.hpp"

namespace millrace {
namespace {

using detail::Bounds;
using detail::CellBounds;
using detail::Frame;
using detail::InverseMap;

constexpr int most_numbers = 125 * 3;  // coordinates of the largest cell: a hex of order 4

void gather(const Mesh& mesh, std::span<const Index> nodes, double* x) {
  for (const Index n : nodes) x = std::copy_n(mesh.points.data() + Offset{n} * mesh.dim, mesh.dim, x);
}

/// A start for Newton's method: the affine guess, brought into the reference cell.
Point brought_inside(Cell cell, Point xi) {
  double sum = 0;
  for (double& x : xi) {
    x = std::clamp(x, 0.0, 1.0);
    sum += x;
  }
  if (!is_tensor(cell) && sum > 1)
    for (double& x : xi) x /= sum;
  return xi;
}

std::string text_of(const Point& x, int dim) {
  return dim == 2 ? join('(', x[0], ", ", x[1], ')') : join('(', x[0], ", ", x[1], ", ", x[2], ')');
}

}  // namespace

struct CellFinder::Data {
  const Mesh& mesh;
  double tolerance;
  std::vector<CellBounds> kinds;  // [blocks]
  std::vector<Index> first;       // [blocks + 1]: number of each block's first cell among all
  std::vector<Bounds> boxes;      // [cells of all blocks]
  std::vector<Frame> frames;      // [cells of all blocks]
  detail::BoxTree tree;

  Data(const Mesh& of, double slack) : mesh(of), tolerance(slack), tree(bound_cells()) {}

  std::span<const Bounds> bound_cells() {
    first.push_back(0);
    for (const CellBlock& block : mesh.blocks) {
      kinds.emplace_back(block.cell, block.order);
      first.push_back(first.back() + block.num_cells());
    }
    boxes.resize(to_size(first.back()));
    frames.resize(boxes.size());
    const Work each{.flops = 200};
    for (std::size_t b = 0; b < kinds.size(); ++b)
      parallel_for(default_num_threads(), mesh.blocks[b].num_cells(), each, [&](std::int64_t begin, std::int64_t end) {
        double x[most_numbers], work[most_numbers];
        for (auto c = static_cast<Index>(begin); c < end; ++c) {
          gather(mesh, mesh.blocks[b].nodes_of(c), x);
          const auto number = to_size(first[b] + c);
          kinds[b].find(x, tolerance, work, boxes[number], frames[number]);
        }
      });
    return boxes;
  }

  Location location(Index number) const {
    std::int32_t b = 0;
    while (number >= first[to_size(b) + 1]) ++b;
    return {b, number - first[to_size(b)], {}, 0};
  }

  Location find(const Point& place, Outside outside, std::vector<Index>& candidates) const;
  bool is_in(Location& at, const Point& place, const Frame& frame) const;
  Location find_nearest(const Point& place) const;
};

bool CellFinder::Data::is_in(Location& at, const Point& place, const Frame& frame) const {
  double x[most_numbers];
  const CellBlock& block = mesh.blocks[to_size(at.block)];
  const CellBounds& kind = kinds[to_size(at.block)];
  gather(mesh, block.nodes_of(at.cell), x);
  at.reference = brought_inside(block.cell, frame.reference(place, kind.middle()));
  return kind.map().invert(x, place, frame.scale, tolerance, frame.reach(), at.reference);
}

Location CellFinder::Data::find(const Point& place, Outside outside, std::vector<Index>& candidates) const {
  candidates.clear();
  tree.for_each_near(place, [&](Index number) {
    const Frame& frame = frames[to_size(number)];
    if (!boxes[to_size(number)].holds(place)) return;
    if (frame.inside.holds(frame.reference(place, kinds[to_size(location(number).block)].middle())))
      candidates.push_back(number);
  });
  std::sort(candidates.begin(), candidates.end());
  std::size_t num_left = 0;  // candidates for a second look
  for (const Index number : candidates) {
    Location at = location(number);
    if (is_in(at, place, frames[to_size(number)])) return at;
    const CellBlock& block = mesh.blocks[to_size(at.block)];
    if (is_tensor(block.cell) || block.order > 1) candidates[num_left++] = number;
  }
  // A map that is not affine may have sent Newton's method astray; steps that stay in the cell do not get lost.
  for (std::size_t i = 0; i < num_left; ++i) {
    Location at = location(candidates[i]);
    const Frame& frame = frames[to_size(candidates[i])];
    const InverseMap& map = kinds[to_size(at.block)].map();
    double x[most_numbers];
    gather(mesh, mesh.blocks[to_size(at.block)].nodes_of(at.cell), x);
    map.nearest(x, place, frame.scale, at.reference);
    if (map.is_close(x, place, frame.scale, tolerance, at.reference) ||
        map.invert(x, place, frame.scale, tolerance, frame.reach(), at.reference))
      return at;
  }
  return outside == Outside::nearest ? find_nearest(place) : Location{};
}

Location CellFinder::Data::find_nearest(const Point& place) const {
  Location best;
  Index best_number = std::numeric_limits<Index>::max();
  best.distance = std::numeric_limits<double>::infinity();
  // Distances that differ by rounding are the same: then the lowest cell is taken.
  const auto limit = [&] { return best.distance * best.distance * (1 + 1e-11); };
  double x[most_numbers];
  tree.for_each_within(place, limit, [&](Index number) {
    if (boxes[to_size(number)].distance_squared(place) > limit()) return;
    Location at = location(number);
    gather(mesh, mesh.blocks[to_size(at.block)].nodes_of(at.cell), x);
    at.distance = kinds[to_size(at.block)].map().nearest(x, place, frames[to_size(number)].scale, at.reference);
    const bool same = std::abs(at.distance - best.distance) <= 1e-12 * best.distance;
    if (same ? number > best_number : at.distance > best.distance) return;
    best = at;
    best_number = number;
  });
  return best;
}

CellFinder::CellFinder(const Mesh& mesh, double tolerance) {
  require(mesh.dim == 2 || mesh.dim == 3, "cell finder: the mesh has dimension ", mesh.dim, "; 2 or 3 is right");
  require(tolerance >= 0 && tolerance <= 0.01, "cell finder: the tolerance is ", tolerance,
          "; 0 to 0.01 of a reference cell is accepted");
  data_ = std::make_unique<const Data>(mesh, tolerance);
}

CellFinder::CellFinder(CellFinder&&) noexcept = default;
CellFinder& CellFinder::operator=(CellFinder&&) noexcept = default;
CellFinder::~CellFinder() = default;

const Mesh& CellFinder::mesh() const { return data_->mesh; }

Location CellFinder::locate(const Point& place, Outside outside) const {
  Queue one(Device::host(), 1);
  return locate(one, std::span(&place, 1), outside)[0];
}

std::vector<Location> CellFinder::locate(Queue& queue, std::span<const Point> places, Outside outside) const {
  const ThreadLimit limit(queue);
  require<Unsupported>(queue.device().on_host(), "locate: cells are found on the host; the queue is of a GPU");
  const int dim = data_->mesh.dim;
  require(outside != Outside::nearest || places.empty() || !data_->boxes.empty(),
          "locate: the nearest point of a mesh without cells was asked for");
  std::vector<Location> found(places.size());
  parallel(places.size() < 64 ? 1 : queue.num_threads(), [&](int thread, int count) {
    const auto [begin, end] = even_part(std::ssize(places), thread, count);
    std::vector<Index> candidates;
    for (auto i = to_size(begin); i < to_size(end); ++i) {
      Point place = places[i];
      if (dim == 2) place[2] = 0;
      require(
          std::isfinite(place[0]) && std::isfinite(place[1]) && std::isfinite(place[2]), "locate: place ", i, ", ",
          [&] { return text_of(place, dim); }, ", is not finite");
      found[i] = data_->find(place, outside, candidates);
    }
  });
  if (outside != Outside::refuse) return found;
  const auto lost = [](const Location& at) { return !at.found(); };
  const auto first = std::find_if(found.begin(), found.end(), lost);
  require(
      first == found.end(), "locate: ", [&] { return std::count_if(found.begin(), found.end(), lost); }, " of ",
      places.size(), " places lie outside of the mesh; the first is place ", first - found.begin(), ", ",
      [&] { return text_of(places[to_size(first - found.begin())], dim); },
      "; Outside::nearest takes the nearest point of the mesh instead");
  return found;
}

Point place_of(const Mesh& mesh, const Location& at) {
  require(at.block >= 0 && to_size(at.block) < mesh.blocks.size() && at.cell >= 0 &&
              at.cell < mesh.blocks[to_size(at.block)].num_cells(),
          "place_of: cell ", at.cell, " of block ", at.block, " is not in the mesh of ",
          [&] { return mesh.description(); });
  const CellBlock& block = mesh.blocks[to_size(at.block)];
  double x[most_numbers];
  gather(mesh, block.nodes_of(at.cell), x);
  return InverseMap(block.cell, block.order).at(x, at.reference).x;
}

}  // namespace millrace
