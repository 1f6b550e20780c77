// What a report says to a human.
#include <fmt/format.h>

#include "millrace/base/human.hpp"
#include "millrace/precond/amg.hpp"

namespace millrace {

std::string AmgReport::text() const {
  std::string lines = fmt::format("{} levels, operator complexity {:.2f}, grid complexity {:.2f}\n", levels.size(),
                                  operator_complexity, grid_complexity);
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const AmgLevelReport& level = levels[l];
    lines += fmt::format("  {}: {} rows, {} entries, {:.1f} a row, {}, {:.1f} MB", l, level.rows, level.entries,
                         level.rows > 0 ? static_cast<double>(level.entries) / static_cast<double>(level.rows) : 0.0,
                         level.format, static_cast<double>(level.bytes) * 1e-6);
    if (level.largest_eigenvalue > 0) lines += fmt::format(", eigenvalues up to {:.3g}", level.largest_eigenvalue);
    if (level.singular_blocks > 0)
      lines += fmt::format(", {} blocks are singular and smoothed by their diagonals", level.singular_blocks);
    lines += '\n';
  }
  if (!dense_coarsest) lines += "  the last level is only smoothed: it no longer becomes smaller\n";
  if (replaced_diagonals > 0) lines += fmt::format("  {} diagonal entries were zero or missing\n", replaced_diagonals);
  if (null_vectors > 0) lines += fmt::format("  the matrix is singular: {} null vectors\n", null_vectors);
  lines += fmt::format(
      "  {:.3f} s: strength {:.3f}, aggregates {:.3f}, prolongators {:.3f}, patterns {:.3f}, products {:.3f}, formats "
      "{:.3f}, eigenvalues {:.3f}, coarsest {:.3f}\n",
      total, strength, aggregates, prolongators, patterns, products, formats, eigenvalues, coarsest);
  return lines;
}

}  // namespace millrace
