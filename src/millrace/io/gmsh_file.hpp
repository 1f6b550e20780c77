// What a gmsh file says, before it becomes a mesh: nodes by number, elements by type, groups. Inside the library.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "millrace/io/gmsh_scanner.hpp"
#include "millrace/io/gmsh_types.hpp"
#include "millrace/mesh/mesh.hpp"

namespace millrace {

/// Nodes in the order of the file. Their numbers need be neither dense nor ascending.
class GmshNodes {
 public:
  void add(std::int64_t number) { numbers_.push_back(number); }
  std::vector<Point> places;
  Index count() const { return static_cast<Index>(places.size()); }
  /// Called once all are added; a number that stands twice is an error.
  void finish(const GmshScanner& scanner);
  bool finished() const { return finished_; }
  /// Its position, or -1.
  Index find(std::int64_t number) const;

 private:
  std::vector<std::int64_t> numbers_;
  std::int64_t first_ = 0;
  std::vector<Index> direct_;                           // [last - first + 1], where numbers are dense enough
  std::vector<std::pair<std::int64_t, Index>> sorted_;  // otherwise
  bool finished_ = false;
};

/// All elements of one type.
struct GmshElements {
  const GmshType* type = nullptr;
  std::vector<std::int32_t> tags;  // [num]: the first physical group, or 0
  std::vector<Index> nodes;        // [num, type->num_nodes]: positions among the nodes, in gmsh's order
  std::vector<std::pair<std::int64_t, std::int32_t>> more_tags;  // element and group, for those in several

  std::span<const Index> nodes_of(std::int64_t e) const {
    return std::span(nodes).subspan(static_cast<std::size_t>(e * type->num_nodes),
                                    static_cast<std::size_t>(type->num_nodes));
  }
};

/// An entity that continues at another one.
struct GmshPeriodic {
  int dim = 0;
  std::int64_t entity = 0, master = 0;
  std::vector<std::array<Index, 2>> pairs{};  // positions of nodes: of the entity, and of the master
};

struct GmshFile {
  std::string name;
  bool has_elements = false;
  std::vector<GroupName> groups;
  std::map<std::pair<int, std::int64_t>, std::vector<std::int32_t>> entities;  // (dim, entity) to its physical groups
  std::vector<std::string> notes;                                              // what is left out
  GmshNodes nodes;
  std::vector<GmshElements> elements;
  std::vector<GmshPeriodic> periodic;

  GmshElements& of_type(const GmshScanner& scanner, std::int64_t number);
  /// Reads the nodes of one element; names the element when one does not exist.
  void read_nodes(GmshScanner& scanner, GmshElements& elements, std::int64_t element, bool as_size) const;
};

// Sections, each from behind its first line to before its last one.
void read_nodes_2(GmshScanner& scanner, GmshFile& file);
void read_elements_2(GmshScanner& scanner, GmshFile& file);
struct GmshVersion4 {
  bool is_40 = false;  // 4.0 differs in the order of some numbers
};
void read_entities_4(GmshScanner& scanner, GmshFile& file, GmshVersion4 version);
void read_partitioned_entities_4(GmshScanner& scanner, GmshFile& file);
void read_nodes_4(GmshScanner& scanner, GmshFile& file, GmshVersion4 version);
void read_elements_4(GmshScanner& scanner, GmshFile& file, GmshVersion4 version);
void read_periodic_text(GmshScanner& scanner, GmshFile& file);  // MSH 2 and 4.0
void read_periodic_4(GmshScanner& scanner, GmshFile& file);

/// The periodic sides of a mesh of that dimension; point_of: its point for the position of each node.
std::vector<PeriodicSide> make_periodic(const GmshFile& file, int dim, const std::vector<Index>& point_of);

GmshFile parse_gmsh(std::string_view text, const std::string& name);
Mesh make_mesh(GmshFile file);

}  // namespace millrace
