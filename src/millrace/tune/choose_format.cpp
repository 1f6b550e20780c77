// The rule of docs/formats.md ("Which one") as far as statistics tell it.
#include "millrace/tune/choose_format.hpp"

#include <fmt/format.h>

#include "millrace/base/human.hpp"
#include "millrace/base/thread_limit.hpp"

namespace millrace {
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
  if (s.num_duplicates > 0)  // most other formats take a position once
    return {"csr", fmt::format("{} entries are at positions that their rows hold already; sort_rows adds them up",
                               count_text(s.num_duplicates))};
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

namespace {

/// In that format where the matrix lives or, for a format that only the host makes, through the host.
template <class T>
SparseMatrix<T> in_format(Device device, const Csr<T>& a, const std::string& format) {
  if (a.device() != device) {
    if (a.device().on_host() && !device.on_host()) return in_format(device, a.to(device), format);
    return SparseMatrix<T>(a.to(Device::host()), format).to(device);
  }
  try {
    return SparseMatrix<T>(a, format);
  } catch (const Unsupported&) {
    if (device.on_host()) throw;
  }
  return SparseMatrix<T>(a.to(Device::host()), format).to(device);
}

}  // namespace

template <class T>
SparseMatrix<T> make_matrix(Queue& queue, const Csr<T>& a, const MatrixOptions& options, FormatChoice* choice) {
  const ThreadLimit limit(queue);
  const bool chosen = options.format == "auto";
  const auto choose = [&](const Csr<T>& host) {
    const int num_threads = queue.device().on_host() ? queue.num_threads() : 0;
    return choose_format(compute_stats(host, num_threads), queue.device(), options.single_kernel);
  };
  FormatChoice made{options.format, ""};
  if (chosen) made = a.device().on_host() ? choose(a) : choose(a.to(Device::host()));
  const auto tell = [&] {
    if (choice) *choice = made;
  };
  try {
    SparseMatrix<T> matrix = in_format(queue.device(), a, made.format);
    tell();
    return matrix;
  } catch (const Unsupported& error) {
    if (made.format == "csr" || !(chosen || options.or_csr)) throw;
    made = {"csr", error.what()};
  }
  tell();
  return in_format(queue.device(), a, made.format);
}

#define MILLRACE_INSTANTIATE(T) \
  template SparseMatrix<T> make_matrix(Queue&, const Csr<T>&, const MatrixOptions&, FormatChoice*)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
