// Comments as lines of a text file.
#include "millrace/io/text_writer.hpp"

#include "millrace/base/error.hpp"

namespace millrace {

std::string comment_lines(std::string_view comment) {
  require(comment.find('\0') == comment.npos, "a comment for a text file holds a NUL byte");
  std::string lines;
  while (!comment.empty()) {
    const auto end = std::min(comment.find('\n'), comment.size());
    lines += join("% ", comment.substr(0, end), '\n');
    comment.remove_prefix(std::min(end + 1, comment.size()));
  }
  return lines;
}

}  // namespace millrace
