// The section $Periodic: for every entity that continues at another one, the pairs of nodes that are one. MSH 2 and 4.0
// have it as text even in binary files.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "millrace/base/to_size.hpp"
#include "millrace/io/gmsh_file.hpp"

namespace millrace {
namespace {

constexpr std::array<std::string_view, 4> entity_names{"point", "curve", "surface", "volume"};

std::string text_of(const GmshPeriodic& link) {
  return join(entity_names[to_size(link.dim)], " ", link.entity, " with its master ", link.master);
}

GmshPeriodic checked_link(const GmshScanner& scanner, std::int64_t dim, std::int64_t entity, std::int64_t master) {
  if (dim < 0 || dim > 2) scanner.fail("a periodic entity of dimension ", dim, "; 0 to 2 are possible");
  return {.dim = static_cast<int>(dim), .entity = entity, .master = master};
}

void add_pair(const GmshScanner& scanner, const GmshFile& file, GmshPeriodic& link, std::int64_t node,
              std::int64_t master) {
  std::array<Index, 2> pair{};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::int64_t number = k == 0 ? node : master;
    pair[k] = file.nodes.find(number);
    if (pair[k] < 0) scanner.fail("periodic ", text_of(link), ": node ", number, " is not among the nodes");
  }
  link.pairs.push_back(pair);
}

// Masters may have masters of their own, as corners do, but the last one has none.
void check_circles(const GmshScanner& scanner, const GmshFile& file) {
  std::vector<Index> to(to_size(file.nodes.count()));
  std::iota(to.begin(), to.end(), 0);
  const auto root = [&](Index n) {
    while (to[to_size(n)] != n) n = to[to_size(n)] = to[to_size(to[to_size(n)])];
    return n;
  };
  std::vector<char> has_master(to.size(), 0), ends(to.size(), 0);
  for (const GmshPeriodic& link : file.periodic)
    for (const auto& [node, master] : link.pairs) {
      if (node == master) continue;  // on an axis
      has_master[to_size(node)] = 1;
      to[to_size(root(node))] = root(master);
    }
  for (Index n = 0; n < file.nodes.count(); ++n)
    if (has_master[to_size(n)] == 0) ends[to_size(root(n))] = 1;
  for (const GmshPeriodic& link : file.periodic)
    for (const auto& pair : link.pairs)
      if (ends[to_size(root(pair[0]))] == 0)
        scanner.fail("periodic ", text_of(link), ": from node to master the pairs lead round in a circle");
}

// The affine map takes the master's place to the node's. Where it does not, pairs count, and a note says so.
void check_map(GmshFile& file, const GmshPeriodic& link, std::span<const double> affine) {
  double worst = 0, size = 0;
  for (const auto& [node, master] : link.pairs) {
    const Point &x = file.nodes.places[to_size(node)], &y = file.nodes.places[to_size(master)];
    for (std::size_t d = 0; d < 3; ++d) {
      const double image =
          affine[4 * d] * y[0] + affine[4 * d + 1] * y[1] + affine[4 * d + 2] * y[2] + affine[4 * d + 3];
      worst = std::max(worst, std::abs(image - x[d]));
      size = std::max({size, std::abs(x[d]), std::abs(y[d])});
    }
  }
  if (!(worst <= 1e-6 * size))
    file.notes.push_back(join("periodic ", text_of(link), ": nodes lie up to ", worst,
                              " from where the affine map takes their masters; the pairs of nodes count"));
}

}  // namespace

void read_periodic_text(GmshScanner& scanner, GmshFile& file) {
  const std::string_view what = "a periodic entity";
  for (std::int64_t left = scanner.checked_count(scanner.text_integer("the number of periodic entities"),
                                                 "the number of periodic entities");
       left > 0; --left) {
    const std::int64_t dim = scanner.text_integer(what), entity = scanner.text_integer(what);
    GmshPeriodic link = checked_link(scanner, dim, entity, scanner.text_integer(what));
    std::vector<double> affine;
    std::string_view word = scanner.word("the number of pairs of nodes");
    if (word == "Affine") {
      scanner.begin_record();
      for (int k = 0; k < 16; ++k) affine.push_back(scanner.text_real("a number of an affine map"));
      scanner.end_record("an affine map");
      word = scanner.word("the number of pairs of nodes");
    }
    const std::int64_t count =
        scanner.checked_count(scanner.to_integer(word, "the number of pairs of nodes"), "the number of pairs of nodes");
    for (std::int64_t k = 0; k < count; ++k) {
      scanner.begin_record();
      const std::int64_t node = scanner.text_integer("a node of a pair");
      add_pair(scanner, file, link, node, scanner.text_integer("a node of a pair"));
      scanner.end_record("a pair of nodes");
    }
    if (!affine.empty()) check_map(file, link, affine);
    file.periodic.push_back(std::move(link));
  }
  check_circles(scanner, file);
}

void read_periodic_4(GmshScanner& scanner, GmshFile& file) {
  const std::string_view what = "a periodic entity";
  for (std::int64_t left = scanner.count("the number of periodic entities"); left > 0; --left) {
    const std::int64_t dim = scanner.integer(what), entity = scanner.integer(what);
    GmshPeriodic link = checked_link(scanner, dim, entity, scanner.integer(what));
    const std::int64_t num_affine = scanner.size("how many numbers an affine map has");
    if (num_affine != 0 && num_affine != 16)
      scanner.fail("an affine map of ", num_affine, " numbers; 0 or 16 are possible");
    std::vector<double> affine;
    for (std::int64_t k = 0; k < num_affine; ++k) affine.push_back(scanner.real("a number of an affine map"));
    const std::int64_t count = scanner.count("the number of pairs of nodes");
    for (std::int64_t k = 0; k < count; ++k) {
      scanner.begin_record();
      const std::int64_t node = scanner.size("a node of a pair");
      add_pair(scanner, file, link, node, scanner.size("a node of a pair"));
      scanner.end_record("a pair of nodes");
    }
    if (!affine.empty()) check_map(file, link, affine);
    file.periodic.push_back(std::move(link));
  }
  check_circles(scanner, file);
}

// Faces of the mesh are glued by their vertices; what is said of their ends, and of nodes between vertices, follows.
std::vector<PeriodicSide> make_periodic(const GmshFile& file, int dim, const std::vector<Index>& point_of) {
  std::vector<char> is_vertex(to_size(file.nodes.count()), 0);
  for (const GmshElements& elements : file.elements)
    for (std::size_t k = 0; elements.type->dim == dim && k < elements.nodes.size(); ++k)
      if (k % to_size(elements.type->num_nodes) < to_size(num_vertices(elements.type->cell)))
        is_vertex[to_size(elements.nodes[k])] = 1;
  std::vector<PeriodicSide> sides;
  for (const GmshPeriodic& link : file.periodic) {
    if (link.dim != dim - 1) continue;
    PeriodicSide side;
    for (const auto& [node, master] : link.pairs) {
      require<IoError>(
          is_vertex[to_size(node)] == is_vertex[to_size(master)], file.name, ": periodic ",
          [&] { return text_of(link); }, ": a vertex of a cell is paired with a node that is none");
      if (is_vertex[to_size(node)] != 0) side.pairs.push_back({point_of[to_size(node)], point_of[to_size(master)]});
    }
    if (!side.pairs.empty()) sides.push_back(std::move(side));
  }
  return sides;
}

}  // namespace millrace
