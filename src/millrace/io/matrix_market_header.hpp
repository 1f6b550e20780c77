// The head of a Matrix Market file: banner, comments and size line. Inside the library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "millrace/base/printable.hpp"
#include "millrace/io/matrix_market.hpp"

namespace millrace {

/// A header, and where the entries begin.
struct MatrixMarketHead {
  MatrixMarketHeader header;
  bool vector = false;         // the object is "vector": entries have no column
  std::size_t body = 0;        // the first byte behind the size line
  std::int64_t size_line = 0;  // its number, counted from 1

  int numbers_per_entry() const;  // in a line: indices and values
  int values_per_entry() const;   // 0, 1 or 2
};

/// `name` is what error texts call the file.
MatrixMarketHead parse_head(std::string_view text, const std::string& name, bool strict);

/// Is the size line among these first bytes of a file?
bool head_is_complete(std::string_view text);

/// The words between blanks.
std::vector<std::string_view> words_of(std::string_view line);

}  // namespace millrace
