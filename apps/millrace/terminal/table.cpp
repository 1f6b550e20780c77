// Lays the columns out and draws the bars.
#include "terminal/table.hpp"

#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/base/printable.hpp"

namespace millrace::command {

namespace {

std::string padded(const std::string& text, int width, Table::Align align) {
  const std::string blanks(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
  return align == Table::Align::left ? text + blanks : blanks + text;
}

void trim_right(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

}  // namespace

void Table::add(std::vector<std::string> cells, double bar, Tone tone) {
  require(cells.size() == columns_.size(), "table: a row of ", cells.size(), " cells for ", columns_.size(),
          " columns");
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back({std::move(cells), bar, tone});
}

std::string Table::text(const Style& style) const {
  constexpr int longest_bar = 40, shortest_bar = 6;
  std::vector<int> widths;
  int total = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    int width = display_width(columns_[c].title);
    for (const Row& row : rows_) width = std::max(width, display_width(row.cells[c]));
    widths.push_back(width);
    total += width + 2;
  }
  const int room = std::min(style.width - total, longest_bar);

  std::string text, line;
  for (std::size_t c = 0; c < columns_.size(); ++c)
    line += padded(columns_[c].title, widths[c], columns_[c].align) + "  ";
  trim_right(line);
  text += dim(line, style) + '\n';
  for (const Row& row : rows_) {
    line.clear();
    for (std::size_t c = 0; c < columns_.size(); ++c) line += padded(row.cells[c], widths[c], columns_[c].align) + "  ";
    if (row.bar >= 0 && room >= shortest_bar) line += bar(row.bar, room, style);
    trim_right(line);
    text += (row.tone == Tone::bold ? bold(line, style) : row.tone == Tone::dim ? dim(line, style) : line) + '\n';
  }
  return text;
}

}  // namespace millrace::command
