// Which product of a table with many columns is the fastest: one large GEMM or a batch of smaller ones, of cuBLAS or of
// our own kernel, from a table of timings (Beams, Abdelfattah, Tomov et al. 2020). The actions of simplices on a GPU
// are such products.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace millrace {

/// C (m x n) = A (m x k) B (k x n), columns one after another in memory. A is a small table of rows one after another,
/// [m, k], or, transposed, [k, m].
struct GemmShape {
  int m = 0;
  std::int64_t n = 0;
  int k = 0;
  bool transposed = false;
};

struct GemmVariant {
  enum class Kernel { library, own };  // cuBLAS, or ours
  Kernel kernel = Kernel::own;
  int eta = 0;  // columns of one product of a batch; 0: one product of all columns

  friend constexpr bool operator==(const GemmVariant&, const GemmVariant&) = default;
};
/// "cublas", "own/64": with eta after the stroke.
std::string to_string(GemmVariant variant);
GemmVariant parse_gemm_variant(std::string_view text);

/// The fastest variants of one shape, as they were timed.
struct GemmEntry {
  int m = 0, k = 0;
  std::int64_t n = 0;
  bool transposed = false;
  int scalar_bytes = 8;  // 4: float
  GemmVariant best{};
  GemmVariant best_own{};  // for builds without cuBLAS

  friend constexpr bool operator==(const GemmEntry&, const GemmEntry&) = default;
};
using GemmTable = std::vector<GemmEntry>;

/// Of an H200; `millrace tune-gemm -o gemm_table.cpp` writes it.
GemmTable built_in_gemm_table();

/// A line an entry: m k n, plain or transposed, double or float, the best variant, the best own one; # begins a
/// comment.
std::string gemm_table_text(const GemmTable& table);
/// The source file of built_in_gemm_table.
std::string gemm_table_source(const GemmTable& table, std::string_view device);
/// `name` is for errors, which say the line.
GemmTable parse_gemm_table(std::string_view text, const std::string& name);
GemmTable read_gemm_table(const std::filesystem::path& file);

/// Where `millrace tune-gemm` leaves the table of this machine: gemm-table.txt in cache_folder(), empty where there is
/// none.
std::filesystem::path gemm_table_file();

/// The file that $MILLRACE_GEMM_TABLE names, else that of gemm_table_file if it exists, else the table that is built
/// in.
GemmTable find_gemm_table();
/// The table of this process: found once.
const GemmTable& gemm_table();

/// What $MILLRACE_GEMM asks for: the table's choice (select, the default), one product of cuBLAS (plain), or the
/// table's choice among our own kernels (own).
enum class GemmPolicy { select, plain, own };
GemmPolicy gemm_policy();

/// The variant of the entry nearest in log m, log n and log k, of the same precision and transposition if there are
/// any. Without a library only own ones.
GemmVariant choose_gemm(const GemmTable& table, const GemmShape& shape, int scalar_bytes, bool has_library,
                        GemmPolicy policy = GemmPolicy::select);

}  // namespace millrace
