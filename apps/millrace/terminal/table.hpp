// A table in the terminal: columns as wide as their widest cell, and a bar in the room that is left.
#pragma once

#include <string>
#include <vector>

#include "terminal/terminal.hpp"

namespace millrace::command {

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
  };
  enum class Tone { plain, bold, dim };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell a column; bar is its share of the longest bar, none when negative.
  void add(std::vector<std::string> cells, double bar = -1, Tone tone = Tone::plain);
  std::string text(const Style& style) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    double bar;
    Tone tone;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace millrace::command
