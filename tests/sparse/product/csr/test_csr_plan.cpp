// Schedules of CSR: which one a matrix gets and why, the words that ask for one, and the plan step by step on the host.
#include "millrace/sparse/gallery.hpp"
#include "millrace/sparse/product/csr/make_plan.hpp"
#include "sparse/convert/backward_steps.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

constexpr CacheRule tiny_cache{.placement = {.cluster_size = 4, .replicated = 4, .distributed = 3},
                               .min_entries = 1000};

template <class T>
CsrPlan csr_plan_of(const Csr<T>& a, std::optional<CsrSchedule> asked = {}, Index num_warps = 7) {
  BackwardSteps steps;
  return convert::make_csr_plan(
      steps, convert::rows_of(a), is_complex<T>, asked, [&] { return num_warps; }, tiny_cache);
}

/// Like social networks: the longest row has 20 times the mean.
CsrFacts uneven_rows(Offset num_entries) {
  return {.num_rows = static_cast<Index>(num_entries / 20),
          .num_cols = 300000,
          .num_entries = num_entries,
          .longest_row = 3000,
          .cuts_rows = true};
}

struct ScheduleCase {
  const char* what;
  CsrFacts facts;
  CsrSchedule schedule;
  const char* reason;
};

TEST(CsrPlan, ChoicesAndReasons) {
  CsrFacts elasticity{.num_rows = 1000, .num_cols = 1000, .num_entries = 81000, .longest_row = 81};
  CsrFacts one_long = elasticity, stencil = elasticity, many = uneven_rows(8'000'001),
           complex_one = uneven_rows(31'000);
  one_long.longest_row = 324, one_long.cuts_rows = true;
  stencil.num_entries = 5000, stencil.longest_row = 5;
  complex_one.complex_values = true;
  CsrFacts power_law = uneven_rows(4'000'000), flat = power_law, no_clusters = power_law, few_columns = power_law,
           few_entries = uneven_rows(3'999'999);
  power_law.has_clusters = flat.has_clusters = few_columns.has_clusters = few_entries.has_clusters = true;
  power_law.cached_entries = few_columns.cached_entries = few_entries.cached_entries = 3'000'000;
  flat.cached_entries = 1'500'000;  // less than twice their share of the columns
  few_columns.num_cols = 139'263;
  const ScheduleCase table[] = {
      {"long rows of one length", elasticity, CsrSchedule::rows, "81 entries per row, the longest 81"},
      {"one of four times the mean", one_long, CsrSchedule::split, "tiles cut rows, 81 thousand entries"},
      {"short rows", stencil, CsrSchedule::tiles, "they cut no row"},
      {"no rows", CsrFacts{}, CsrSchedule::tiles, "they cut no row"},
      {"rows that tiles cut", uneven_rows(31'000), CsrSchedule::split, "tiles cut rows, 31 thousand entries"},
      {"most that are split", uneven_rows(8'000'000), CsrSchedule::split, "tiles cut rows, 8.0 million entries"},
      {"one more", many, CsrSchedule::tiles, "8.0 million entries, more than 8.0 million are not split"},
      {"complex numbers", complex_one, CsrSchedule::tiles, "complex values"},
      {"power law", power_law, CsrSchedule::cached, "69632 of 300000 columns hold 75 % of 4.0 million entries"},
      {"columns used alike", flat, CsrSchedule::split, "tiles cut rows, 4.0 million entries"},
      {"a device without clusters", no_clusters, CsrSchedule::split, "tiles cut rows, 4.0 million entries"},
      {"too few columns", few_columns, CsrSchedule::split, "tiles cut rows, 4.0 million entries"},
      {"too few entries", few_entries, CsrSchedule::split, "tiles cut rows, 4.0 million entries"},
  };
  for (const ScheduleCase& row : table) {
    EXPECT_EQ(name(choose_csr_schedule(row.facts)), name(row.schedule)) << row.what;
    const CsrChoice choice = explain(row.facts, {});
    EXPECT_EQ(name(choice.schedule), name(row.schedule)) << row.what;
    EXPECT_EQ(choice.reason, row.reason) << row.what;
  }
  EXPECT_EQ(explain(uneven_rows(31'000), {}).text(), "split: tiles cut rows, 31 thousand entries");
}

TEST(CsrPlan, AskedForByName) {
  const CsrFacts facts = uneven_rows(31'000);
  for (const CsrSchedule asked : {CsrSchedule::rows, CsrSchedule::tiles, CsrSchedule::split}) {
    EXPECT_EQ(explain(facts, asked).schedule, asked);
    EXPECT_EQ(explain(facts, asked).reason, "asked for");
  }
  EXPECT_EQ(error_of<Unsupported>([&] { explain(facts, CsrSchedule::cached); }),
            "csr-cached: this schedule needs clusters of thread blocks (compute capability 9.0) and shared memory for "
            "12288 entries of x in each; this device has not. csr-rows, csr-tiles and csr-split serve here");
  CsrFacts complex_values = facts;
  complex_values.complex_values = complex_values.has_clusters = true;
  for (const CsrSchedule asked : {CsrSchedule::split, CsrSchedule::cached})
    EXPECT_EQ(
        error_of<Unsupported>([&] { explain(complex_values, asked); }),
        join("csr-", name(asked), ": this schedule is for float and double, the values are complex; csr-rows and ",
             "csr-tiles take them"));
  EXPECT_EQ(explain(complex_values, CsrSchedule::tiles).schedule, CsrSchedule::tiles);
}

TEST(CsrPlan, WordsOfTheFormat) {
  const auto asked = [](const char* text) { return asked_schedule(parse_format_spec(text)); };
  EXPECT_FALSE(asked("csr"));
  EXPECT_FALSE(asked("sell-32-1-full"));
  for (const CsrSchedule schedule : {CsrSchedule::rows, CsrSchedule::tiles, CsrSchedule::split, CsrSchedule::cached})
    EXPECT_EQ(asked(join("csr-", name(schedule)).c_str()), schedule);
  for (const char* text : {"csr-1", "csr-row", "csr-split-tiles", "csr-split-split"})
    EXPECT_EQ(error_of([&] { asked(text); }),
              join("format '", text,
                   "': csr takes no number, and one word at most: rows, tiles, split or cached, as in ", "csr-split"));
}

// On the host every word means plain CSR, says so, and is kept.
TEST(CsrPlan, WordsOnTheHost) {
  const Csr<double> a = random_csr<double>(300, 200, 7, 5, 17);
  const std::vector<double> x = random_vector<double>(200, 6);
  std::vector<double> expected(300), y(300);
  Queue queue;
  SparseMatrix<double>(a, "csr").apply(queue, {.x = x, .y = expected});
  for (const std::string_view word : csr_schedule_names) {
    const SparseMatrix<double> made(queue, a, join("csr-", word));
    const SparseMatrix<double> m = made.to(Device::host());
    EXPECT_EQ(m.format_name(), "csr");
    EXPECT_EQ(m.details(), join(word, " is a schedule of a GPU; plain CSR here"));
    EXPECT_EQ(m.csr_plan(), nullptr);
    EXPECT_EQ(m.footprint().bytes, a.footprint().bytes);
    m.apply(queue, {.x = x, .y = y});
    EXPECT_TRUE(same_bits<double>(y, expected)) << word;
  }
  EXPECT_EQ(SparseMatrix<double>(a, "csr").details(), "");
}

// Tiles follow each other, hold at most their capacity, and cut rows only where these are longer than the slack.
TEST(CsrPlan, TilesCoverEveryEntryOnce) {
  for (const char* spec : {"powerlaw:n=3000", "hugerow:n=3000", "poisson2d5:60"}) {
    const Csr<double> a = gallery::make(spec);
    BackwardSteps steps;
    for (const CsrTiling tiling : {CsrTiling::make(a.num_entries()), CsrTiling{64, 16}}) {
      const CsrTiles made = convert::make_tiles(steps, convert::rows_of(a), tiling);
      const CsrTile* tiles = made.tiles.data();
      EXPECT_EQ(tiles[0].begin, 0);
      EXPECT_EQ(tiles[0].row, 0);
      EXPECT_EQ(tiles[made.num_tiles()].begin, a.num_entries());
      EXPECT_EQ(tiles[made.num_tiles()].row, a.num_rows);
      bool cuts = false;
      for (Offset t = 0; t < made.num_tiles(); ++t) {
        ASSERT_LE(tiles[t].begin, tiles[t + 1].begin);
        ASSERT_LE(tiles[t + 1].begin - tiles[t].begin, tiling.capacity());
        const Index row = tiles[t].row;
        cuts |= tiles[t].cut != 0;
        if (tiles[t].cut) {
          ASSERT_LT(a.row_begin(row - 1), tiles[t].begin);
          ASSERT_GT(a.row_begin(row), tiles[t].begin);
          ASSERT_GT(a.row_length(row - 1), tiling.slack - 1);
        } else {
          ASSERT_EQ(a.row_begin(row), tiles[t].begin);
        }
      }
      EXPECT_EQ(made.cuts_rows, cuts) << spec;
    }
  }
}

TEST(CsrPlan, WhatASchedulePrepares) {
  const Csr<double> power_law = gallery::make("powerlaw:n=1000,mean=16"), stencil = gallery::make("poisson2d5:60");
  const CsrPlan cached = csr_plan_of(power_law);
  EXPECT_EQ(cached.choice.schedule, CsrSchedule::cached) << cached.choice.text();
  ASSERT_TRUE(std::holds_alternative<CachedColumns>(cached.data));
  EXPECT_FALSE(cached.tiles.empty());  // for several vectors
  EXPECT_EQ(cached.bytes(), cached.tiles.tiles.bytes() + std::get<CachedColumns>(cached.data).bytes());
  const CsrPlan tiles = csr_plan_of(stencil);
  EXPECT_EQ(tiles.choice.text(), "tiles: they cut no row");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(tiles.data));
  const CsrPlan split = csr_plan_of(power_law, {}, 0);  // a device without clusters
  EXPECT_EQ(split.choice.schedule, split.tiles.cuts_rows ? CsrSchedule::split : CsrSchedule::tiles);
  const CsrPlan rows = csr_plan_of(gallery::make("random:n=400,k=60"));
  EXPECT_EQ(rows.choice.text(), "rows: 56 entries per row, the longest 60");
  EXPECT_TRUE(rows.tiles.empty());
  EXPECT_EQ(rows.bytes(), 0);
}

TEST(CsrPlan, EverySchedulePreparesWhatItIsAskedFor) {
  for (const Csr<double>& a :
       {gallery::make("poisson2d5:5"), random_csr<double>(3, 2, 1, 7), random_csr<double>(1, 1, 1, 8)}) {
    EXPECT_TRUE(csr_plan_of(a, CsrSchedule::rows).tiles.empty());
    EXPECT_FALSE(csr_plan_of(a, CsrSchedule::tiles).tiles.empty());
    if (a.num_entries() == 0) continue;
    EXPECT_TRUE(std::holds_alternative<NnzSplit>(csr_plan_of(a, CsrSchedule::split).data));
    const CsrPlan plan = csr_plan_of(a, CsrSchedule::cached);  // even if a matrix has fewer columns than places
    const auto& cached = std::get<CachedColumns>(plan.data);
    EXPECT_EQ(cached.columns.size(), tiny_cache.placement.num_cached());
    for (const Index c : cached.columns.span()) EXPECT_TRUE(c >= 0 && c < a.num_cols);
  }
}

TEST(CsrPlan, NoEntriesHaveNoChunks) {
  const Csr<double> a(3, 3, Array<std::int64_t>{0, 0, 0, 0}, Array<Index>(), Array<double>());
  for (const CsrSchedule asked : {CsrSchedule::split, CsrSchedule::cached}) {
    const CsrPlan plan = csr_plan_of(a, asked);
    EXPECT_EQ(plan.choice.text(), join("tiles: there are no entries for ", name(asked)));
    EXPECT_TRUE(std::holds_alternative<std::monostate>(plan.data));
  }
}

// The look at the columns is dear: it is taken only where cheap facts allow it.
TEST(CsrPlan, ColumnsAreCountedOnlyWhereTheyMayBeCached) {
  BackwardSteps steps;
  const Csr<double> a = gallery::make("powerlaw:n=1000,mean=16");
  int asked = 0;
  const auto num_warps = [&] {
    ++asked;
    return 7;
  };
  convert::make_csr_plan(steps, convert::rows_of(a), false, {}, num_warps);  // less than 4 million entries
  convert::make_csr_plan(steps, convert::rows_of(a), true, {}, num_warps, tiny_cache);
  convert::make_csr_plan(steps, convert::rows_of(a), false, CsrSchedule::split, num_warps, tiny_cache);
  EXPECT_EQ(asked, 0);
  convert::make_csr_plan(steps, convert::rows_of(a), false, {}, num_warps, tiny_cache);
  EXPECT_EQ(asked, 1);
}

TEST(Matrix, TheQueueMustBeWhereTheFormatIs) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  Queue queue(Device::gpu());
  EXPECT_NE(error_of([&] {
              SparseMatrix<double>(queue, random_csr<double>(3, 3, 1, 1), "csr");
            }).find("the matrix lives on cpu, the queue on gpu:0"),
            std::string::npos);
}

}  // namespace
}  // namespace millrace::testing
