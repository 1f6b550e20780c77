// Meshes around bodies: a box whose first axis runs along the profile and whose second runs away from it, bent into
// place; sides that meet are then welded.
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include "millrace/base/to_size.hpp"
#include "millrace/mesh/generate.hpp"
#include "millrace/mesh/geometry.hpp"

namespace millrace {
namespace {

constexpr double pi = std::numbers::pi;

// t of [0, 1], in n steps each of which is longer by exp(rate / n) than the one before, as a fraction of the whole.
double grown(double t, double rate) { return rate == 0 ? t : std::expm1(rate * t) / std::expm1(rate); }

// The rate with which the first of n steps takes that part of the whole.
double rate_of(int n, double part) {
  if (n == 1 || part * n == 1) return 0;
  double low = -700, high = 700;  // the first step falls as the rate grows
  for (int step = 0; step < 200; ++step) {
    const double middle = 0.5 * (low + high);
    (grown(1.0 / n, middle) > part ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double layer_rate(const char* what, const AroundOptions& options, double distance) {
  if (options.first_height == 0) return std::log(options.growth) * options.across;
  require(options.first_height > 0 && options.first_height < distance && options.growth == 1, what,
          ": a first layer of ", options.first_height, " with a growth of ", options.growth,
          "; it takes a height between 0 and ", distance, ", and no growth besides");
  return rate_of(options.across, options.first_height / distance);
}

Point between(const Point& a, const Point& b, double t) {
  return {std::lerp(a[0], b[0], t), std::lerp(a[1], b[1], t), 0};
}

void check_options(const char* what, const AroundOptions& options) {
  require(options.around >= 3 && options.across >= 1 && options.layers >= 1 && options.wake >= 1, what, ": ",
          options.around, " cells around, ", options.across, " across, ", options.layers, " layers, ", options.wake,
          " in the wake; at least 3 around and 1 of the others are needed");
  require(options.growth > 0 && options.height > 0, what, ": a growth of ", options.growth, " and a height of ",
          options.height, "; both must be positive");
}

// A box of the unit square (times the height), before it is bent.
struct Bent {
  Mesh mesh;
  Index points_along = 0;          // of the lattice of the box
  std::vector<Index> same_as;      // [num_points]: the point that takes its place
  std::vector<std::int32_t> tags;  // [faces of the boundary]: new tags; 0: the face goes
};

// The mirror image of a triangle of a box: in every row of points, column c becomes column sum - c. Two of its vertices
// change places, so that it does not turn inside out.
void mirror_triangle(const std::vector<Index>& from, const std::vector<Lattice>& places, int order, Index points_along,
                     Index sum, std::span<Index> to) {
  for (std::size_t k = 0; k < places.size(); ++k) {
    const int turned = lattice_index(Cell::triangle, order, {places[k][1], places[k][0], 0});
    const Index row = from[k] / points_along * points_along;
    to[to_size(turned)] = row + sum - (from[k] - row);
  }
}

// The right half of a box of triangles becomes the mirror image of the left one.
void mirror_half(const char* what, Mesh& mesh, int along, int order) {
  CellBlock& block = mesh.blocks[0];
  require(block.cell == Cell::triangle && along % 2 == 0, what, ": mirrored diagonals of ", along, " cells of ",
          name(block.cell), "s; triangles and an even number along the body are needed");
  const Index points_along = along * order + 1;
  const std::vector<Lattice> places = lattice(Cell::triangle, order);
  const Index rows = block.num_cells() / (2 * along);  // cells come row by row, two triangles per quad
  for (Index row = 0; row < rows; ++row)
    for (Index c = 0; c < along; ++c) {
      const std::span<const Index> from = block.nodes_of(row * 2 * along + c);
      mirror_triangle({from.begin(), from.end()}, places, order, points_along, points_along - 1,
                      block.nodes_of((row + 1) * 2 * along - 1 - c));
    }
}

// About half of the quads of a box of triangles get their other diagonal.
void turn_diagonals(const char* what, Mesh& mesh, int along, int order, int seed) {
  CellBlock& block = mesh.blocks[0];
  require(block.cell == Cell::triangle && seed > 0, what, ": random diagonals of ", name(block.cell), "s by the seed ",
          seed, "; triangles and a positive one are needed");
  const std::vector<Lattice> places = lattice(Cell::triangle, order);
  std::mt19937 random(static_cast<unsigned>(seed));
  for (Index quad = 0; 2 * quad < block.num_cells(); ++quad) {
    if ((random() & 1u) == 0) continue;
    const Index first = quad % along * order;         // point of the quad along the body
    for (const Index t : {2 * quad, 2 * quad + 1}) {  // each becomes its mirror image inside the quad
      const std::span<Index> nodes = block.nodes_of(t);
      mirror_triangle({nodes.begin(), nodes.end()}, places, order, along * order + 1, 2 * first + order, nodes);
    }
  }
}

Bent begin(const char* what, Cell cell, int along, int order, const AroundOptions& options) {
  Bent bent;
  bent.mesh = make_box(cell, {along, options.across, options.layers}, {{0, 0, 0}, {1, 1, options.height}}, order);
  if (options.random_diagonals != 0) turn_diagonals(what, bent.mesh, along, order, options.random_diagonals);
  if (options.mirrored) mirror_half(what, bent.mesh, along, order);
  bent.points_along = along * order + 1;
  bent.same_as.resize(to_size(bent.mesh.num_points()));
  std::iota(bent.same_as.begin(), bent.same_as.end(), 0);
  const auto old = bent.mesh.boundary[0].tag.span();
  bent.tags.assign(old.begin(), old.end());
  return bent;
}

// Welds points, retags faces, leaves out what nobody uses any more.
Mesh finish(const char* what, Bent bent, const AroundOptions& options, std::vector<std::string> names) {
  Mesh& mesh = bent.mesh;
  std::vector<Index> number(to_size(mesh.num_points()), -1);
  Index num_points = 0;
  for (std::size_t p = 0; p < number.size(); ++p)
    if (bent.same_as[p] == static_cast<Index>(p)) {
      mesh.set_point(num_points, mesh.point(static_cast<Index>(p)));
      number[p] = num_points++;
    }
  const auto renumber = [&](Index p) { return number[to_size(bent.same_as[to_size(p)])]; };
  mesh.points = Array<double>(mesh.points.span().first(to_size(static_cast<Offset>(num_points) * mesh.dim)));
  for (Index& p : mesh.blocks[0].nodes.span()) p = renumber(p);
  BoundaryBlock& old = mesh.boundary[0];
  std::vector<Index> nodes;
  std::vector<std::int32_t> tags;
  for (Index f = 0; f < old.num_cells(); ++f)
    if (bent.tags[to_size(f)] != 0) {
      for (const Index p : old.nodes_of(f)) nodes.push_back(renumber(p));
      tags.push_back(bent.tags[to_size(f)]);
    }
  old.nodes = Array<Index>(std::span<const Index>(nodes));
  old.tag = Array<std::int32_t>(std::span<const std::int32_t>(tags));
  mesh.names.clear();
  if (mesh.dim == 3) names.insert(names.end(), {"z0", "z1"});
  for (std::size_t t = 0; t < names.size(); ++t)
    mesh.names.push_back({mesh.dim - 1, static_cast<std::int32_t>(t + 1), names[t]});
  const Index num_inverted = measure(mesh).num_inverted;
  require(num_inverted == 0, what, ": ", options.around, " cells around, ", options.across, " across and a growth of ",
          options.growth, " bend ", num_inverted, " of ", mesh.num_cells(), " cells inside out at order ",
          mesh.blocks[0].order, "; more cells around, or a lower order, avoid that");
  return std::move(bent.mesh);
}

// Along the first axis the end meets the beginning; tags of the box 3, 4 (y) and 5, 6 (z) become 1, 2 and 3, 4.
Mesh make_ring(const char* what, Cell cell, const AroundOptions& options, int order, double distance,
               const std::function<Point(double, double)>& place, std::vector<std::string> names) {
  check_options(what, options);
  Bent bent = begin(what, cell, options.around, order, options);
  const double rate = layer_rate(what, options, distance);
  deform(bent.mesh, [&](const Point& x) {
    const Point at = place(x[0], grown(x[1], rate));
    return Point{at[0], at[1], x[2]};
  });
  for (Index p = bent.points_along - 1; p < bent.mesh.num_points(); p += bent.points_along)
    bent.same_as[to_size(p)] = p - (bent.points_along - 1);
  for (std::int32_t& tag : bent.tags) tag = tag <= 2 ? 0 : tag - 2;
  return finish(what, std::move(bent), options, std::move(names));
}

}  // namespace

Mesh make_annulus(Cell cell, double inner, double outer, const AroundOptions& options, int order) {
  require(inner > 0 && outer > inner, "make_annulus: the radii are ", inner, " and ", outer,
          "; both must be positive and the second larger");
  const auto place = [=](double s, double t) -> Point {
    const double r = std::lerp(inner, outer, t);
    return {r * std::cos(-2 * pi * s), r * std::sin(-2 * pi * s), 0};
  };
  return make_ring("make_annulus", cell, options, order, outer - inner, place, {"inner", "outer"});
}

Mesh make_o_mesh(Cell cell, const Profile& profile, const AroundOptions& options, int order) {
  const Point right = profile.at(0), left = profile.at(0.5);
  const Profile circle = make_circle(options.far, between(right, left, 0.5));
  require(options.far > 0.51 * (right[0] - left[0]), "make_o_mesh: the far boundary has the radius ", options.far,
          ", which does not go around a body of length ", right[0] - left[0]);
  const auto place = [&](double s, double t) { return between(profile.at(s), circle.at(s), t); };
  return make_ring("make_o_mesh", cell, options, order, options.far, place, {"wall", "far"});
}

Mesh make_c_mesh(Cell cell, const Profile& profile, const AroundOptions& options, int order) {
  check_options("make_c_mesh", options);
  require(profile.sharp, "make_c_mesh: the profile is not sharp where the wake begins; make_o_mesh fits it");
  require<Unsupported>(cell != Cell::tet, "make_c_mesh: faces of tets do not match across the wake; hexes can be had");
  require(options.wake_length > 0 && options.far > 1, "make_c_mesh: a wake of length ", options.wake_length,
          " and a far boundary at ", options.far, "; the first must be positive, the second larger than 1");
  const int along = options.around + 2 * options.wake;
  const Point edge = profile.at(0);
  const double last_cell = std::abs(profile.at(1.0 / options.around)[0] - edge[0]);
  const double wake_rate = rate_of(options.wake, std::min(1.0 / options.wake, last_cell / options.wake_length));
  const auto place = [&](double s, double t) -> Point {
    const double cells = s * along, v = (cells - options.wake) / options.around;
    if (v > 0 && v < 1) {
      const double angle = -pi / 2 - pi * v;
      return between(profile.at(v),
                     {edge[0] + options.far * std::cos(angle), edge[1] + options.far * std::sin(angle), 0}, t);
    }
    const double q = (v <= 0 ? options.wake - cells : cells - options.wake - options.around) / options.wake;
    const double x = edge[0] + options.wake_length * grown(q, wake_rate);
    return {x, edge[1] + (v <= 0 ? -t : t) * options.far, 0};
  };
  Bent bent = begin("make_c_mesh", cell, along, order, options);
  const double rate = layer_rate("make_c_mesh", options, options.far);
  deform(bent.mesh, [&](const Point& x) {
    const Point at = place(x[0], grown(x[1], rate));
    return Point{at[0], at[1], x[2]};
  });
  // Points (i, 0, k) of both ends of the first axis are the two sides of the wake.
  const Index slab = bent.points_along * (options.across * order + 1);
  for (Index first = 0; first < bent.mesh.num_points(); first += slab)
    for (Index i = 0; i <= options.wake * order; ++i)
      bent.same_as[to_size(first + bent.points_along - 1 - i)] = first + i;
  Index on_profile = 0;  // faces of the side y = 0, which follow the first axis
  for (std::int32_t& tag : bent.tags) {
    const bool body =
        tag == 3 && on_profile % along >= options.wake && on_profile % along < options.wake + options.around;
    on_profile += tag == 3;
    tag = tag <= 2 ? 3 : tag == 3 ? (body ? 1 : 0) : tag == 4 ? 2 : tag - 1;
  }
  return finish("make_c_mesh", std::move(bent), options, {"wall", "far", "outflow"});
}

}  // namespace millrace
