// Nodes and elements of MSH 2: one line per node or element; in binary files elements come in blocks of one type.
#include "millrace/io/gmsh_file.hpp"

namespace millrace {

void read_nodes_2(GmshScanner& scanner, GmshFile& file) {
  const std::int64_t count = scanner.checked_count(scanner.text_integer("the number of nodes"), "the number of nodes");
  if (scanner.binary()) scanner.end_text_line();
  file.nodes.places.reserve(static_cast<std::size_t>(count));
  for (std::int64_t n = 0; n < count; ++n) {
    scanner.begin_record();
    file.nodes.add(scanner.integer("the number of a node"));
    Point x{};
    for (double& coordinate : x) coordinate = scanner.real("a coordinate of a node");
    file.nodes.places.push_back(x);
    scanner.end_record("the three coordinates of a node");
  }
}

namespace {

void read_tags(GmshScanner& scanner, GmshElements& elements, std::int64_t num_tags) {
  std::int64_t physical = 0;
  for (std::int64_t t = 0; t < num_tags; ++t) {
    const std::int64_t tag = scanner.integer("a tag of an element");
    if (t == 0) physical = tag;
  }
  elements.tags.push_back(static_cast<std::int32_t>(physical));
}

std::int64_t read_num_tags(GmshScanner& scanner) {
  return scanner.checked_count(scanner.integer("the number of tags of an element"), "the number of tags of an element",
                               scanner.binary() ? 4 : 2);
}

}  // namespace

void read_elements_2(GmshScanner& scanner, GmshFile& file) {
  const std::int64_t count =
      scanner.checked_count(scanner.text_integer("the number of elements"), "the number of elements");
  if (!scanner.binary()) {
    for (std::int64_t e = 0; e < count; ++e) {
      scanner.begin_record();
      const std::int64_t number = scanner.integer("the number of an element");
      GmshElements& elements = file.of_type(scanner, scanner.integer("the type of an element"));
      read_tags(scanner, elements, read_num_tags(scanner));
      file.read_nodes(scanner, elements, number, false);
      scanner.end_record("the nodes of an element");
    }
    return;
  }
  scanner.end_text_line();
  for (std::int64_t done = 0; done < count;) {
    GmshElements& elements = file.of_type(scanner, scanner.integer("the type of elements"));
    const std::int64_t in_block = scanner.integer("the number of elements of a block");
    if (in_block < 1 || in_block > count - done)
      scanner.fail("a block has ", in_block, " elements, but ", count - done, " are left of ", count);
    const std::int64_t num_tags = read_num_tags(scanner);
    for (std::int64_t e = 0; e < in_block; ++e) {
      const std::int64_t number = scanner.integer("the number of an element");
      read_tags(scanner, elements, num_tags);
      file.read_nodes(scanner, elements, number, false);
    }
    done += in_block;
  }
}

}  // namespace millrace
