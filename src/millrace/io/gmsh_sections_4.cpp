// Sections of MSH 4: elements lie in entities, and the entities are in physical groups. Text and binary files have the
// same numbers in the same order.
#include "millrace/io/gmsh_file.hpp"

namespace millrace {
namespace {

void read_list(GmshScanner& scanner, std::string_view what) {
  for (std::int64_t left = scanner.count(what); left > 0; --left) scanner.integer(what);
}

// A negative number means the group has the entity turned round. A part of the boundary between
// partitions lists the groups of the entity it cuts, which has another dimension: those are not its own.
void read_groups(GmshScanner& scanner, GmshFile& file, int dim, std::int64_t entity, std::int64_t groups_dim) {
  const std::int64_t count = scanner.count("the number of physical groups of an entity");
  for (std::int64_t g = 0; g < count; ++g) {
    const std::int64_t group = scanner.integer("a physical group of an entity");
    if (groups_dim == dim)
      file.entities[{dim, entity}].push_back(static_cast<std::int32_t>(group < 0 ? -group : group));
  }
}

std::array<std::int64_t, 4> read_counts(GmshScanner& scanner) {
  std::array<std::int64_t, 4> counts{};
  for (std::int64_t& count : counts) count = scanner.count("the number of entities");
  return counts;
}

void skip_reals(GmshScanner& scanner, int count) {
  for (int k = 0; k < count; ++k) scanner.real("a bound of an entity");
}

}  // namespace

void read_entities_4(GmshScanner& scanner, GmshFile& file, GmshVersion4 version) {
  const auto counts = read_counts(scanner);
  for (int dim = 0; dim < 4; ++dim)
    for (std::int64_t left = counts[static_cast<std::size_t>(dim)]; left > 0; --left) {
      const std::int64_t entity = scanner.integer("the number of an entity");
      skip_reals(scanner, dim == 0 && !version.is_40 ? 3 : 6);
      read_groups(scanner, file, dim, entity, dim);
      if (dim > 0) read_list(scanner, "the entities that bound an entity");
    }
}

void read_partitioned_entities_4(GmshScanner& scanner, GmshFile& file) {
  scanner.size("the number of partitions");
  for (std::int64_t ghosts = scanner.count("the number of ghost entities"); ghosts > 0; --ghosts)
    for (int k = 0; k < 2; ++k) scanner.integer("a ghost entity and its partition");
  const auto counts = read_counts(scanner);
  for (int dim = 0; dim < 4; ++dim)
    for (std::int64_t left = counts[static_cast<std::size_t>(dim)]; left > 0; --left) {
      const std::int64_t entity = scanner.integer("the number of an entity");
      const std::int64_t parent_dim = scanner.integer("the dimension of the parent of an entity");
      scanner.integer("the parent of an entity");
      read_list(scanner, "the partitions of an entity");
      skip_reals(scanner, dim == 0 ? 3 : 6);
      read_groups(scanner, file, dim, entity, parent_dim);
      if (dim > 0) read_list(scanner, "the entities that bound an entity");
    }
}

void read_nodes_4(GmshScanner& scanner, GmshFile& file, GmshVersion4 version) {
  const std::int64_t num_blocks = scanner.count("the number of blocks of nodes");
  const std::int64_t total = scanner.count("the number of nodes");
  for (int k = 0; k < 2 && !version.is_40; ++k) scanner.size("the smallest or largest number of a node");
  file.nodes.places.reserve(static_cast<std::size_t>(total));
  for (std::int64_t b = 0; b < num_blocks; ++b) {
    std::array<std::int64_t, 2> entity{};  // 4.1: dimension and number; 4.0: the other way round
    for (std::int64_t& part : entity) part = scanner.integer("the entity of a block of nodes");
    const std::int64_t parametric = scanner.integer("whether nodes have parameters (0 or 1)");
    const std::int64_t dim = entity[version.is_40 ? 1 : 0];
    if (dim < 0 || dim > 3 || parametric < 0 || parametric > 1)
      scanner.fail("a block of nodes of dimension ", dim, " with ", parametric,
                   " for parameters; 0 to 3 and 0 or 1 are possible");
    const std::int64_t count = scanner.count("the number of nodes of a block");
    if (count > total - file.nodes.count())
      scanner.fail("a block has ", count, " nodes, but ", total - file.nodes.count(), " are left of ", total);
    for (std::int64_t n = 0; n < count && !version.is_40; ++n) file.nodes.add(scanner.size("the number of a node"));
    for (std::int64_t n = 0; n < count; ++n) {
      scanner.begin_record();
      if (version.is_40) file.nodes.add(scanner.integer("the number of a node"));
      Point x{};
      for (double& coordinate : x) coordinate = scanner.real("a coordinate of a node");
      file.nodes.places.push_back(x);
      if (!version.is_40)
        for (std::int64_t k = 0; k < parametric * dim; ++k) scanner.real("a parameter of a node");
      else if (parametric != 0)
        scanner.rest_of_line();
      scanner.end_record("the coordinates of a node");
    }
  }
  if (file.nodes.count() != total) scanner.fail("the blocks have ", file.nodes.count(), " nodes, not ", total);
}

void read_elements_4(GmshScanner& scanner, GmshFile& file, GmshVersion4 version) {
  const std::int64_t num_blocks = scanner.count("the number of blocks of elements");
  const std::int64_t total = scanner.count("the number of elements");
  for (int k = 0; k < 2 && !version.is_40; ++k) scanner.size("the smallest or largest number of an element");
  std::int64_t left = total;
  for (std::int64_t b = 0; b < num_blocks; ++b) {
    std::array<std::int64_t, 2> entity{};
    for (std::int64_t& part : entity) part = scanner.integer("the entity of a block of elements");
    if (version.is_40) std::swap(entity[0], entity[1]);
    GmshElements& elements = file.of_type(scanner, scanner.integer("the type of elements"));
    if (entity[0] != elements.type->dim)
      scanner.fail("a block of elements of type ", elements.type->number, ", which has dimension ", elements.type->dim,
                   ", in an entity of dimension ", entity[0]);
    const auto group = file.entities.find({elements.type->dim, entity[1]});
    const std::int64_t count = scanner.count("the number of elements of a block");
    if (count > left) scanner.fail("a block has ", count, " elements, but ", left, " are left of ", total);
    left -= count;
    for (std::int64_t e = 0; e < count; ++e) {
      scanner.begin_record();
      const std::int64_t number = scanner.size("the number of an element");
      elements.tags.push_back(group == file.entities.end() ? 0 : group->second.front());
      for (std::size_t g = 1; group != file.entities.end() && g < group->second.size(); ++g)
        elements.more_tags.emplace_back(std::ssize(elements.tags) - 1, group->second[g]);
      file.read_nodes(scanner, elements, number, true);
      scanner.end_record("the nodes of an element");
    }
  }
  if (left != 0) scanner.fail("the blocks have ", total - left, " elements, not ", total);
}

}  // namespace millrace
