// The rule of docs/formats.md ("Which one") as far as statistics tell it.
#include "verbs/solve/format.hpp"

#include <fmt/format.h>

#include "terminal/terminal.hpp"

namespace millrace::command {

namespace {

constexpr double full_diagonals = 0.7;     // dia stores no columns: 8 bytes beat 12 down to this share of real entries
constexpr Index large_block = 8;           // from here on a block is a dense product of its own
constexpr Offset small_entries = 100'000;  // in a core's cache any format will do, and CSR costs nothing to make
constexpr Index one_kernel_rows = 16 * 1024;
constexpr double even_rows = 0.25;  // standard deviation of the row lengths over their mean
constexpr Index huge_row = 10'000;

}  // namespace

FormatChoice choose_format(const MatrixStats& s, Device device, bool single_kernel) {
  const bool gpu = !device.on_host();
  if (s.num_entries == 0) return {"csr", "there are no entries"};
  if (gpu && single_kernel && s.num_rows <= one_kernel_rows)
    return {"csr", fmt::format("{} unknowns may fit into one kernel", count_text(s.num_rows))};
  const double diagonal_slots = static_cast<double>(s.num_diagonals) * s.num_rows;
  const double share = static_cast<double>(s.num_entries) / diagonal_slots;
  if (share >= full_diagonals)
    return {gpu ? "dia-32" : "dia", fmt::format("{} diagonals hold all entries and are {} full",
                                                count_text(s.num_diagonals), percent_text(share))};
  if (s.block_size > 1) {
    const bool equal = s.row_min == s.row_max;
    const bool dense = (gpu && equal) || s.block_size >= large_block;
    return {fmt::format("{}-{}", dense ? "dbf" : "bsr", s.block_size),
            fmt::format("dense blocks of {} x {}, {} full", s.block_size, s.block_size, percent_text(s.block_fill))};
  }
  if (s.num_entries < small_entries) return {"csr", fmt::format("only {} entries", count_text(s.num_entries))};
  const double uneven = s.row_mean > 0 ? s.row_std / s.row_mean : 0;
  if (!gpu && s.row_max >= huge_row) return {"hyb", fmt::format("a row of {} entries", count_text(s.row_max))};
  if (uneven > even_rows)
    return {"csr", fmt::format("row lengths vary: {:.1f} with a deviation of {:.1f}", s.row_mean, s.row_std)};
  return {gpu ? "sell-32-1-full" : "sell-8-1",
          fmt::format("rows of similar length: {:.1f} with a deviation of {:.1f}", s.row_mean, s.row_std)};
}

}  // namespace millrace::command
