// The sections of a gmsh file, one after another. Sections that say nothing about the mesh are skipped.
#include "millrace/io/gmsh_file.hpp"

#include <algorithm>

#include "millrace/base/printable.hpp"

namespace millrace {

void GmshNodes::finish(const GmshScanner& scanner) {
  finished_ = true;
  const auto n = static_cast<std::int64_t>(numbers_.size());
  if (n > INT32_MAX) scanner.fail(n, " nodes; at most 2^31 - 1 are possible");
  if (n == 0) return;
  const auto [low, high] = std::minmax_element(numbers_.begin(), numbers_.end());
  if (*low < 0) scanner.fail("a node has the number ", *low, "; numbers cannot be negative");
  first_ = *low;
  std::int64_t twice = -1;
  if (*high - *low < 8 * n + 1000) {
    direct_.assign(static_cast<std::size_t>(*high - *low + 1), -1);
    for (std::int64_t k = 0; k < n; ++k) {
      Index& position = direct_[static_cast<std::size_t>(numbers_[static_cast<std::size_t>(k)] - first_)];
      if (position >= 0) twice = numbers_[static_cast<std::size_t>(k)];
      position = static_cast<Index>(k);
    }
  } else {
    for (std::int64_t k = 0; k < n; ++k)
      sorted_.emplace_back(numbers_[static_cast<std::size_t>(k)], static_cast<Index>(k));
    std::sort(sorted_.begin(), sorted_.end());
    for (std::size_t k = 1; k < sorted_.size(); ++k)
      if (sorted_[k].first == sorted_[k - 1].first) twice = sorted_[k].first;
  }
  if (twice >= 0) scanner.fail("node ", twice, " stands twice in the section that ends here");
  numbers_ = {};
}

Index GmshNodes::find(std::int64_t number) const {
  if (!direct_.empty()) {
    const std::int64_t k = number - first_;
    return k < 0 || k >= std::ssize(direct_) ? -1 : direct_[static_cast<std::size_t>(k)];
  }
  const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), std::pair(number, Index{0}));
  return at == sorted_.end() || at->first != number ? -1 : at->second;
}

GmshElements& GmshFile::of_type(const GmshScanner& scanner, std::int64_t number) {
  for (GmshElements& known : elements)
    if (known.type->number == number) return known;
  const GmshType* type = find_gmsh_type(number);
  if (type == nullptr) scanner.fail("an element of ", why_not(number));
  return elements.emplace_back(GmshElements{type, {}, {}, {}});
}

void GmshFile::read_nodes(GmshScanner& scanner, GmshElements& block, std::int64_t element, bool as_size) const {
  for (int n = 0; n < block.type->num_nodes; ++n) {
    const std::int64_t number =
        as_size ? scanner.size("a node of an element") : scanner.integer("a node of an element");
    const Index position = nodes.find(number);
    if (position < 0) scanner.fail("element ", element, " has the node ", number, ", which is not among the nodes");
    block.nodes.push_back(position);
  }
}

namespace {

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : scanner_(text, name) { file_.name = name; }

  GmshFile read() && {
    while (!scanner_.at_end()) {
      const std::string section(scanner_.word("a section"));
      if (section == "$NOD" || section == "$ELM")
        scanner_.fail("this is MSH 1; MSH 2.2 and 4.1 are read (gmsh -save -format msh41 converts)");
      if (!known_format_ && section != "$MeshFormat" && section != "$Comments" && section != "$Comment")
        scanner_.fail("expected $MeshFormat, which begins a gmsh file of version 2 or 4");
      if (section[0] != '$' || section.starts_with("$End")) scanner_.fail("expected a section, such as $Elements");
      read_section(section);
    }
    if (!known_format_) scanner_.fail("expected $MeshFormat, found the end of the file");
    if (!file_.has_elements) scanner_.fail("the file ends without a section $Elements");
    std::erase_if(file_.elements, [](const GmshElements& elements) { return elements.tags.empty(); });
    return std::move(file_);
  }

 private:
  void read_section(const std::string& section) {
    const bool has_data = section == "$Nodes" || section == "$Elements" || section == "$Entities" ||
                          section == "$PartitionedEntities" || section == "$Periodic";
    if (has_data && major_ == 4 && scanner_.binary()) scanner_.end_text_line();
    if (section == "$MeshFormat")
      read_format();
    else if (section == "$PhysicalNames")
      read_names();
    else if (section == "$Entities" && major_ == 4)
      read_entities_4(scanner_, file_, version_4_);
    else if (section == "$PartitionedEntities" && major_ == 4 && !version_4_.is_40)
      read_partitioned_entities_4(scanner_, file_);
    else if (section == "$Nodes")
      read_nodes();
    else if (section == "$Elements")
      read_elements();
    else if (section == "$Periodic")
      read_periodic();
    else
      return skip(section);
    end(section);
  }

  void skip(const std::string& section) {
    const std::string last = "$End" + section.substr(1);
    if (!scanner_.skip_past(last)) scanner_.fail("the section ", section, " has no end (", last, ")");
    if (section != "$Comments" && section != "$Comment")
      file_.notes.push_back(join("the section ", printable(section), " is left out"));
  }
  void end(const std::string& section) {
    const std::string last = "$End" + section.substr(1), what = last + " (the section has all its entries)";
    const std::string_view found = scanner_.word(what);
    if (found != last) scanner_.fail("expected ", what, ", found ", in_quotes(found));
    if (section == "$Nodes") file_.nodes.finish(scanner_);
  }

  void read_format() {
    if (known_format_) scanner_.fail("a second $MeshFormat");
    const std::string version(scanner_.word("the version of the format"));
    major_ = version.starts_with('2') ? 2 : 4;
    version_4_.is_40 = version == "4" || version == "4.0";
    const bool is_2 = version == "2" || version == "2.0" || version == "2.1" || version == "2.2";
    if (!is_2 && version != "4.1" && !version_4_.is_40)
      scanner_.fail("version ", in_quotes(version), "; MSH 2.2 and 4.1 are read (gmsh -save -format msh41 converts)");
    const std::int64_t binary = scanner_.text_integer("0 for text or 1 for binary data");
    if (binary != 0 && binary != 1) scanner_.fail("expected 0 for text or 1 for binary data, found ", binary);
    const std::int64_t size = scanner_.text_integer("the number of bytes of a number (8)");
    if (size != 8) scanner_.fail("numbers of ", size, " bytes; 8 are read");
    if (binary == 1) {
      if (version_4_.is_40) scanner_.fail("MSH 4.0 is read as text only; MSH 2.2 and 4.1 also in binary form");
      scanner_.end_text_line();
      scanner_.set_binary(false);
      const std::int64_t one = scanner_.integer("the number 1, which shows the order of bytes");
      if (one != 1 && one != 0x01000000)
        scanner_.fail("expected the number 1, which shows the order of bytes, found ", one);
      scanner_.set_binary(one != 1);
    }
    known_format_ = true;
  }

  void read_names() {
    const std::int64_t count =
        scanner_.checked_count(scanner_.text_integer("the number of names"), "the number of names");
    for (std::int64_t n = 0; n < count; ++n) {
      const std::int64_t dim = scanner_.text_integer("the dimension of a physical group");
      const std::int64_t tag = scanner_.text_integer("the number of a physical group");
      if (dim < 0 || dim > 3 || tag < INT32_MIN || tag > INT32_MAX)
        scanner_.fail("a physical group of dimension ", dim, " with the number ", tag);
      const std::string_view line = scanner_.rest_of_line();
      const auto first = line.find('"'), last = line.rfind('"');
      if (first == line.npos || first == last) scanner_.fail("expected the name of a physical group in quotes");
      file_.groups.push_back({static_cast<int>(dim), static_cast<std::int32_t>(tag),
                              std::string(line.substr(first + 1, last - first - 1))});
    }
  }

  void read_nodes() {
    if (file_.nodes.finished()) scanner_.fail("a second section $Nodes");
    if (major_ == 2)
      read_nodes_2(scanner_, file_);
    else
      read_nodes_4(scanner_, file_, version_4_);
  }
  void read_elements() {
    if (!file_.nodes.finished()) scanner_.fail("the elements come before the nodes");
    if (file_.has_elements) scanner_.fail("a second section $Elements");
    if (major_ == 2)
      read_elements_2(scanner_, file_);
    else
      read_elements_4(scanner_, file_, version_4_);
    file_.has_elements = true;
  }
  void read_periodic() {
    if (!file_.nodes.finished()) scanner_.fail("the periodic entities come before the nodes");
    if (!file_.periodic.empty()) scanner_.fail("a second section $Periodic");
    if (major_ == 4 && !version_4_.is_40)
      read_periodic_4(scanner_, file_);
    else
      read_periodic_text(scanner_, file_);
  }

  GmshScanner scanner_;
  GmshFile file_;
  bool known_format_ = false;
  int major_ = 0;
  GmshVersion4 version_4_;
};

}  // namespace

GmshFile parse_gmsh(std::string_view text, const std::string& name) { return Reader(text, name).read(); }

}  // namespace millrace
