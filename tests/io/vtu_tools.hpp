// A reader of the .vtu files that we write, apart from the writer: finds every array by its name and checks that the
// arrays fill the file without gaps.
#pragma once

#include <cstring>
#include <map>

#include "io/io_tools.hpp"

namespace millrace::test {

/// The value of an attribute in an element's text, or `none`.
inline std::string attribute(std::string_view element, const std::string& name, const std::string& none = "(none)") {
  const std::string before = " " + name + "=\"";
  const auto begin = element.find(before);
  if (begin == element.npos) return none;
  const auto end = element.find('"', begin + before.size());
  return std::string(element.substr(begin + before.size(), end - begin - before.size()));
}

struct VtuArray {
  std::string type, comps, bytes;

  template <class T>
  std::vector<T> as() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    EXPECT_EQ(values.size() * sizeof(T), bytes.size());
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

struct VtuFile {
  std::string head;  // the text before the arrays
  std::string num_points, num_cells;
  std::map<std::string, VtuArray> arrays;  // by "Element/Name", escaped as in the file

  const VtuArray& array(const std::string& name) const {
    static const VtuArray none;
    const auto found = arrays.find(name);
    if (found == arrays.end()) {
      ADD_FAILURE() << "no array " << name;
      return none;
    }
    return found->second;
  }
};

inline VtuFile read_vtu(const std::filesystem::path& path) {
  const std::string all = load(path);
  const std::string mark = "  <AppendedData encoding=\"raw\">\n_", tail = "\n  </AppendedData>\n</VTKFile>\n";
  VtuFile file;
  const auto begin = all.find(mark);
  if (begin == all.npos || !all.ends_with(tail)) {
    ADD_FAILURE() << path << " has no appended arrays";
    return file;
  }
  file.head = all.substr(0, begin);
  const std::string data = all.substr(begin + mark.size(), all.size() - begin - mark.size() - tail.size());
  std::size_t place = 0;
  std::string element;
  for (std::size_t at = file.head.find('<'); at != std::string::npos; at = file.head.find('<', at + 1)) {
    const std::string text = file.head.substr(at, file.head.find('>', at) + 1 - at);
    if (text.starts_with("<Piece")) {
      file.num_points = attribute(text, "NumberOfPoints");
      file.num_cells = attribute(text, "NumberOfCells");
    }
    if (!text.starts_with("<DataArray")) {
      element = text.substr(1, text.find_first_of(" >") - 1);
      continue;
    }
    EXPECT_EQ(attribute(text, "format"), "appended");
    EXPECT_EQ(attribute(text, "offset"), std::to_string(place)) << text;
    std::uint64_t bytes = 0;
    if (place + sizeof bytes > data.size()) {
      ADD_FAILURE() << "the arrays end before " << text;
      return file;
    }
    std::memcpy(&bytes, data.data() + place, sizeof bytes);
    EXPECT_LE(place + sizeof bytes + bytes, data.size()) << text;
    file.arrays[element + "/" + attribute(text, "Name")] = {
        attribute(text, "type"), attribute(text, "NumberOfComponents", "1"), data.substr(place + sizeof bytes, bytes)};
    place += sizeof bytes + bytes;
  }
  EXPECT_EQ(place, data.size());
  return file;
}

}  // namespace millrace::test
