// The choice among products of a table with many columns: the nearest entry, tables as text, and how our own kernel
// cuts its work.
#include "millrace/fem/gemm/choice.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "expect.hpp"
#include "millrace/base/tensor_fragments.hpp"
#include "millrace/fem/gemm/layout.hpp"

namespace millrace::testing {
namespace {

using Kernel = GemmVariant::Kernel;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

const GemmTable small{{4, 4, 1000, false, 8, {Kernel::own, 64}, {Kernel::own, 64}},
                      {288, 165, 1000, false, 8, {Kernel::library, 0}, {Kernel::own, 0}},
                      {165, 288, 1000, true, 8, {Kernel::library, 128}, {Kernel::own, 16}},
                      {288, 165, 1000, false, 4, {Kernel::own, 32}, {Kernel::own, 32}}};

TEST(Gemm, TakesTheNearestEntry) {
  EXPECT_EQ(choose_gemm(small, {5, 5000, 6, false}, 8, true), (GemmVariant{Kernel::own, 64}));
  EXPECT_EQ(choose_gemm(small, {200, 200, 120, false}, 8, true), (GemmVariant{Kernel::library, 0}));
  EXPECT_EQ(choose_gemm(small, {5, 5000, 6, true}, 8, true), (GemmVariant{Kernel::library, 128}));
  EXPECT_EQ(choose_gemm(small, {5, 5000, 6, false}, 4, true), (GemmVariant{Kernel::own, 32}));
  EXPECT_EQ(choose_gemm(small, {5, 5000, 6, true}, 4, true), (GemmVariant{Kernel::own, 32}));  // precision comes first
}

TEST(Gemm, TakesItsOwnWithoutALibraryOrWhenAsked) {
  EXPECT_EQ(choose_gemm(small, {200, 200, 120, false}, 8, false), (GemmVariant{Kernel::own, 0}));
  EXPECT_EQ(choose_gemm(small, {165, 200, 288, true}, 8, true, GemmPolicy::own), (GemmVariant{Kernel::own, 16}));
  EXPECT_EQ(choose_gemm(small, {4, 200, 4, false}, 8, true, GemmPolicy::plain), (GemmVariant{Kernel::library, 0}));
  EXPECT_EQ(choose_gemm({}, {4, 200, 4, false}, 8, true), (GemmVariant{Kernel::own, 0}));
  const auto text = error_of<Unsupported>([] { choose_gemm(small, {4, 200, 4}, 8, false, GemmPolicy::plain); });
  EXPECT_EQ(text, "choose_gemm: one GEMM of cuBLAS was asked for, but this build has no cuBLAS");
}

TEST(Gemm, TheBuiltInTableKnowsTetsOfAllOrders) {
  const GemmTable table = built_in_gemm_table();
  EXPECT_GE(table.size(), 64u);
  for (const GemmEntry& entry : table) EXPECT_EQ(entry.best_own.kernel, Kernel::own);
}

TEST(Gemm, TablesAreTextAndBack) {
  EXPECT_EQ(parse_gemm_table(gemm_table_text(small), "small"), small);
  const std::string source = gemm_table_source(small, "a GPU");
  EXPECT_NE(source.find("timed them on a GPU."), std::string::npos);
  EXPECT_NE(source.find(gemm_table_text(small)), std::string::npos);
  for (const char* name : {"cublas", "cublas/128", "own", "own/7"})
    EXPECT_EQ(to_string(parse_gemm_variant(name)), name);
}

TEST(Gemm, ABrokenTableIsOneClearError) {
  const auto error = [](const std::string& text) {
    return error_of<IoError>([&] { parse_gemm_table(text, "t.txt"); });
  };
  EXPECT_EQ(error("# nothing\n"), "t.txt: a table of GEMM variants without entries; `millrace tune-gemm` writes one");
  EXPECT_EQ(error("4 4 10 plain double own own\n4 4 10 plain double own\n"),
            "t.txt:2: 6 words; an entry has 7: m k n plain|transposed double|float BEST BEST_OWN");
  EXPECT_EQ(error("4 x 10 plain double own own\n"), "t.txt:1: k is 'x'; a number of 1 or more is expected");
  EXPECT_EQ(error("4 4 10 plain half own own\n"), "t.txt:1: 'half' stands where double or float is expected");
  EXPECT_EQ(error("4 4 10 plain double own/0 own\n"),
            "t.txt:1: 'own/0' is no variant of a GEMM; accepted: cublas, own, and these with columns, such as own/64");
  EXPECT_EQ(error("4 4 10 plain double own cublas\n"),
            "t.txt:1: the last word is 'cublas'; a variant of our own is expected there, such as own or own/64");
  EXPECT_EQ(error_of<IoError>([] { read_gemm_table("nowhere/table.txt"); }),
            "nowhere/table.txt: a table of GEMM variants was asked for, but it cannot be read; `millrace tune-gemm -o "
            "FILE` writes one");
}

TEST(Gemm, AFileOfTheUserComesFirst) {
  const auto folder = std::filesystem::temp_directory_path() / join("millrace-gemm-", getpid());
  std::filesystem::create_directories(folder / "millrace");
  for (const char* name : {"MILLRACE_CACHE", "MILLRACE_GEMM_TABLE"}) ::unsetenv(name);
  const std::string cache = environment("XDG_CACHE_HOME");
  ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  EXPECT_EQ(find_gemm_table(), built_in_gemm_table());
  ASSERT_EQ(gemm_table_file(), folder / "millrace" / "gemm-table.txt");
  std::ofstream(gemm_table_file()) << gemm_table_text(small);
  EXPECT_EQ(find_gemm_table(), small);
  const GemmTable first(small.begin(), small.begin() + 1);
  std::ofstream(folder / "other.txt") << gemm_table_text(first);
  ::setenv("MILLRACE_GEMM_TABLE", (folder / "other.txt").c_str(), 1);
  EXPECT_EQ(find_gemm_table(), first);
  ::unsetenv("MILLRACE_GEMM_TABLE");
  ::setenv("MILLRACE_CACHE", "", 1);  // keeps nothing
  EXPECT_EQ(gemm_table_file(), "");
  EXPECT_EQ(find_gemm_table(), built_in_gemm_table());
  ::unsetenv("MILLRACE_CACHE");
  cache.empty() ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  std::filesystem::remove_all(folder);
}

TEST(Gemm, TilingsFitAndCoverAllRows) {
  for (const int bytes : {4, 8})
    for (const int m : {1, 4, 7, 8, 9, 24, 72, 84, 165, 384, 864, 1000})
      for (const int k : {1, 3, 4, 20, 35, 64, 65, 165, 729, 864, 3000}) {
        const cuda::GemmTiling t = cuda::gemm_tiling(m, k, bytes);
        ASSERT_GT(t.num_slabs, 0) << m << " x " << k;
        EXPECT_LE(t.shared_bytes, 226u * 1024);
        EXPECT_GE(t.rows * t.num_slabs, m);
        EXPECT_LT(t.rows * (t.num_slabs - 1), m);
        EXPECT_TRUE(t.num_slabs == 1 || t.rows % 8 == 0);
        EXPECT_GE(t.table_rows(), t.rows);
        EXPECT_TRUE(std::ranges::count(std::vector{1, 2, 3, 4, 6}, t.tiles) == 1);
        EXPECT_EQ(t.stride % 8, 4);
        EXPECT_EQ(t.warp_size(k) * bytes % 16, 0);
      }
  EXPECT_EQ(cuda::gemm_tiling(8, 1 << 15, 8).num_slabs, 0);
  EXPECT_EQ(cuda::gemm_tiles(9), 3);
  EXPECT_EQ(cuda::gemm_tiles(6), 6);
}

// What a warp of the own kernel does for 16 columns and one slab of rows, lane after lane.
std::vector<double> as_a_warp_does(const cuda::GemmTiling& t, int first_row, int m, int k, const std::vector<double>& a,
                                   const std::vector<double>& in) {
  std::vector<double> table(static_cast<std::size_t>(t.table_size())), out(static_cast<std::size_t>(16 * m), NAN);
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (int r = 0; r < t.rows && first_row + r < m; ++r)
    for (int c = 0; c < k; ++c) table[at(r * t.stride + c)] = a[at((first_row + r) * k + c)];
  for (int tile = 0; 8 * tile < std::min(t.rows, m - first_row); ++tile)
    for (int h = 0; h < 2; ++h) {
      double c[8][8]{};
      for (int step = 0; 4 * step < k; ++step)
        for (int left = 0; left < 32; ++left)
          for (int right = 0; right < 32; ++right) {
            const auto in_a = tensor_core::place_in_a(left), in_b = tensor_core::place_in_b(right);
            if (in_a.col != in_b.row) continue;
            const int entry = 4 * step + left % 4;
            const double u = entry < k ? in[at((left / 4 + 8 * h) * k + entry)] : 0;
            c[in_a.row][in_b.col] += u * table[at((8 * tile + right / 4) * t.stride + 4 * step + right % 4)];
          }
      for (int lane = 0; lane < 32; ++lane)
        for (int q = 0; q < 2; ++q) {
          const auto in_c = tensor_core::place_in_c(lane, q);
          const int row = first_row + 8 * tile + 2 * (lane % 4) + q;
          if (row < m) out[at((lane / 4 + 8 * h) * m + row)] = c[in_c.row][in_c.col];
        }
    }
  return out;
}

TEST(Gemm, WarpsMakeTheProduct) {
  for (const auto& [m, k] : {std::pair{5, 3}, {14, 10}, {24, 20}, {9, 33}}) {
    std::vector<double> a(static_cast<std::size_t>(m * k)), in(static_cast<std::size_t>(16 * k));
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::sin(static_cast<double>(3 * i + 1));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::cos(static_cast<double>(7 * i + 2));
    cuda::GemmTiling t = cuda::gemm_tiling(m, k, 8);
    const auto found = as_a_warp_does(t, 0, m, k, a, in);
    for (int f = 0; f < 16; ++f)
      for (int r = 0; r < m; ++r) {
        double sum = 0;
        for (int c = 0; c < k; ++c)
          sum += a[static_cast<std::size_t>(r * k + c)] * in[static_cast<std::size_t>(f * k + c)];
        ASSERT_NEAR(found[static_cast<std::size_t>(f * m + r)], sum, k * (k + 2) * epsilon<double>);
      }
  }
}

}  // namespace
}  // namespace millrace::testing
