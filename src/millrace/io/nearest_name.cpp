// Distances of texts in letters (Damerau 1964).
#include "millrace/io/nearest_name.hpp"

#include <algorithm>
#include <vector>

namespace millrace {
namespace {

std::size_t distance(std::string_view a, std::string_view b) {
  // [a.size() + 1, b.size() + 1]: of the beginnings of both
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view wanted, std::span<const std::string> names) {
  constexpr std::size_t longest = 64;  // nobody mistypes a longer name, and the work grows with the square
  std::string nearest;
  if (wanted.size() > longest) return nearest;
  std::size_t least = (wanted.size() + 1) / 3 + 1;
  for (const std::string& name : names) {
    if (name.size() > longest) continue;
    const std::size_t far = distance(wanted, name);
    if (far < least) least = far, nearest = name;
  }
  return nearest;
}

}  // namespace millrace
