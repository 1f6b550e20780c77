// The numbers with which kernels of hexes are launched: as they were measured on an H200, and sound for every order.
#include <gtest/gtest.h>

#include "millrace/fem/hex/tuning.hpp"

namespace millrace::cuda {
namespace {

constexpr HexLayout whole = HexLayout::whole, planes = HexLayout::planes, lines = HexLayout::lines;
// What a physics uses, in the order of the tables: its value, its gradient, both.
constexpr bool uses_value[] = {true, false, true}, uses_grad[] = {false, true, true};

// layout, threads, elements, resident, factor_group, merge_group, prefetch
struct StoredRow {
  int P, Q;
  struct {
    HexLayout layout;
    int threads, elements, resident, factor_group, merge_group;
    bool prefetch;
  } numbers[3];
};
constexpr StoredRow stored_rows[] = {
    {2,
     2,
     {{whole, 128, 128, 6, 128, 32, false},
      {whole, 128, 128, 5, 128, 32, false},
      {whole, 128, 128, 4, 128, 32, false}}},
    {2,
     3,
     {{whole, 128, 128, 6, 128, 32, false},
      {whole, 128, 128, 4, 128, 32, false},
      {whole, 128, 128, 4, 128, 32, false}}},
    {3,
     3,
     {{whole, 128, 128, 3, 128, 32, false},
      {whole, 128, 128, 3, 128, 32, false},
      {whole, 128, 128, 3, 128, 32, false}}},
    {3, 4, {{whole, 128, 128, 3, 128, 32, false}, {lines, 128, 8, 8, 8, 1, false}, {lines, 128, 8, 3, 8, 1, false}}},
    {4, 4, {{lines, 128, 8, 8, 8, 1, false}, {planes, 64, 16, 6, 8, 8, false}, {planes, 64, 16, 4, 8, 8, false}}},
    {4, 5, {{planes, 128, 24, 5, 6, 6, false}, {lines, 125, 5, 8, 5, 1, false}, {lines, 125, 5, 3, 5, 1, false}}},
    {5, 5, {{lines, 125, 5, 8, 5, 1, false}, {lines, 125, 5, 8, 5, 1, true}, {lines, 125, 5, 3, 5, 1, true}}},
    {5, 6, {{planes, 128, 20, 4, 5, 5, false}, {lines, 108, 3, 7, 3, 1, false}, {lines, 108, 3, 3, 3, 1, false}}},
    {6, 6, {{lines, 144, 4, 6, 4, 1, false}, {lines, 144, 4, 6, 4, 1, true}, {lines, 144, 4, 2, 4, 1, true}}},
    {6, 7, {{planes, 128, 16, 3, 4, 4, false}, {lines, 147, 3, 5, 3, 1, false}, {lines, 147, 3, 2, 3, 1, false}}},
    {7, 7, {{lines, 98, 2, 9, 2, 1, false}, {lines, 98, 2, 9, 2, 1, false}, {lines, 98, 2, 4, 2, 1, false}}},
    {7, 8, {{lines, 64, 1, 12, 1, 1, false}, {lines, 64, 1, 12, 1, 1, false}, {lines, 64, 1, 6, 1, 1, false}}},
    {8, 8, {{lines, 64, 1, 16, 1, 1, false}, {lines, 64, 1, 16, 1, 1, false}, {lines, 64, 1, 6, 1, 1, false}}},
    {8, 9, {{lines, 243, 3, 2, 3, 1, false}, {lines, 81, 1, 8, 1, 1, false}, {lines, 81, 1, 4, 1, 1, false}}},
    {9, 9, {{lines, 81, 1, 10, 1, 1, false}, {lines, 81, 1, 10, 1, 1, false}, {lines, 81, 1, 4, 1, 1, false}}},
    {9, 10, {{lines, 200, 2, 2, 2, 1, false}, {lines, 200, 2, 2, 2, 1, false}, {lines, 200, 2, 2, 2, 1, false}}},
};

// layout, threads, elements, resident, factor_group, merge_group, kept_tables
struct RecomputedRow {
  int P, Q;
  bool curved;
  struct {
    HexLayout layout;
    int threads, elements, resident, factor_group, merge_group, kept_tables;
  } numbers[3];
};
constexpr RecomputedRow recomputed_rows[] = {
    {2,
     2,
     false,
     {{whole, 128, 128, 3, 128, 32, 0}, {whole, 128, 128, 3, 128, 32, 0}, {whole, 128, 128, 2, 128, 32, 0}}},
    {2, 2, true, {{lines, 128, 32, 4, 1, 1, 2}, {lines, 128, 32, 4, 1, 1, 2}, {lines, 128, 32, 3, 1, 1, 2}}},
    {2,
     3,
     false,
     {{whole, 128, 128, 3, 128, 32, 0}, {whole, 128, 128, 3, 128, 32, 0}, {whole, 128, 128, 2, 128, 32, 0}}},
    {2, 3, true, {{lines, 128, 12, 4, 1, 1, 2}, {lines, 128, 12, 4, 1, 1, 2}, {lines, 128, 12, 3, 1, 1, 2}}},
    {3, 3, false, {{lines, 128, 12, 6, 1, 1, 2}, {lines, 128, 12, 6, 1, 1, 2}, {lines, 128, 12, 5, 1, 1, 2}}},
    {3, 3, true, {{lines, 128, 12, 4, 1, 1, 2}, {lines, 128, 12, 4, 1, 1, 2}, {lines, 128, 12, 3, 1, 1, 2}}},
    {3, 4, false, {{lines, 128, 8, 6, 1, 1, 2}, {lines, 128, 8, 6, 1, 1, 2}, {lines, 128, 8, 5, 1, 1, 2}}},
    {3, 4, true, {{lines, 128, 8, 4, 1, 1, 2}, {lines, 128, 8, 4, 1, 1, 2}, {lines, 128, 8, 3, 1, 1, 2}}},
    {4, 4, false, {{lines, 128, 8, 6, 1, 1, 2}, {lines, 128, 8, 6, 1, 1, 2}, {lines, 128, 8, 5, 1, 1, 2}}},
    {4, 4, true, {{lines, 128, 8, 4, 1, 1, 2}, {lines, 128, 8, 4, 1, 1, 2}, {lines, 128, 8, 3, 1, 1, 2}}},
    {4, 5, false, {{lines, 125, 5, 6, 1, 1, 2}, {lines, 125, 5, 6, 1, 1, 2}, {lines, 125, 5, 5, 1, 1, 2}}},
    {4, 5, true, {{lines, 125, 5, 4, 1, 1, 2}, {lines, 125, 5, 4, 1, 1, 2}, {lines, 125, 5, 3, 1, 1, 2}}},
    {5, 5, false, {{lines, 125, 5, 6, 1, 1, 2}, {lines, 125, 5, 6, 1, 1, 2}, {lines, 125, 5, 5, 1, 1, 2}}},
    {5, 5, true, {{lines, 125, 5, 4, 1, 1, 2}, {lines, 125, 5, 4, 1, 1, 2}, {lines, 125, 5, 3, 1, 1, 2}}},
    {5, 6, false, {{lines, 144, 4, 4, 1, 1, 1}, {lines, 252, 7, 3, 1, 1, 1}, {lines, 252, 7, 2, 1, 1, 1}}},
    {5, 6, true, {{lines, 144, 4, 3, 1, 1, 1}, {lines, 252, 7, 2, 1, 1, 1}, {lines, 252, 7, 1, 1, 1, 1}}},
    {6, 6, false, {{lines, 144, 4, 4, 1, 1, 1}, {lines, 144, 4, 4, 1, 1, 1}, {lines, 144, 4, 3, 1, 1, 1}}},
    {6, 6, true, {{lines, 144, 4, 3, 1, 1, 1}, {lines, 144, 4, 3, 1, 1, 1}, {lines, 144, 4, 2, 1, 1, 1}}},
    {6, 7, false, {{lines, 147, 3, 4, 1, 1, 0}, {lines, 147, 3, 4, 1, 1, 0}, {lines, 147, 3, 3, 1, 1, 0}}},
    {6, 7, true, {{lines, 147, 3, 3, 1, 1, 0}, {lines, 147, 3, 3, 1, 1, 0}, {lines, 147, 3, 2, 1, 1, 0}}},
    {7, 7, false, {{lines, 98, 2, 6, 1, 1, 0}, {lines, 98, 2, 6, 1, 1, 0}, {lines, 98, 2, 4, 1, 1, 0}}},
    {7, 7, true, {{lines, 98, 2, 4, 1, 1, 0}, {lines, 98, 2, 4, 1, 1, 0}, {lines, 98, 2, 3, 1, 1, 0}}},
    {7, 8, false, {{lines, 64, 1, 10, 1, 1, 0}, {lines, 64, 1, 10, 1, 1, 0}, {lines, 64, 1, 8, 1, 1, 0}}},
    {7, 8, true, {{lines, 64, 1, 8, 1, 1, 0}, {lines, 64, 1, 8, 1, 1, 0}, {lines, 64, 1, 6, 1, 1, 0}}},
    {8, 8, false, {{lines, 64, 1, 10, 1, 1, 0}, {lines, 64, 1, 10, 1, 1, 0}, {lines, 64, 1, 8, 1, 1, 0}}},
    {8, 8, true, {{lines, 64, 1, 8, 1, 1, 0}, {lines, 64, 1, 8, 1, 1, 0}, {lines, 64, 1, 6, 1, 1, 0}}},
    {8, 9, false, {{lines, 243, 3, 2, 1, 1, 0}, {lines, 81, 1, 5, 1, 1, 0}, {lines, 81, 1, 5, 1, 1, 0}}},
    {8, 9, true, {{lines, 243, 3, 2, 1, 1, 0}, {lines, 81, 1, 5, 1, 1, 0}, {lines, 81, 1, 4, 1, 1, 0}}},
    {9, 9, false, {{lines, 81, 1, 5, 1, 1, 0}, {lines, 81, 1, 5, 1, 1, 0}, {lines, 81, 1, 5, 1, 1, 0}}},
    {9, 9, true, {{lines, 81, 1, 5, 1, 1, 0}, {lines, 81, 1, 5, 1, 1, 0}, {lines, 81, 1, 4, 1, 1, 0}}},
    {9, 10, false, {{lines, 200, 2, 2, 1, 1, 0}, {lines, 200, 2, 2, 1, 1, 0}, {lines, 200, 2, 2, 1, 1, 0}}},
    {9, 10, true, {{lines, 200, 2, 2, 1, 1, 0}, {lines, 200, 2, 2, 1, 1, 0}, {lines, 200, 2, 1, 1, 1, 0}}},
};

template <class Numbers>
void expect_numbers(const HexTuning& found, const Numbers& expected, const HexFacts& facts) {
  const auto where = ::testing::Message() << "P = " << facts.P << ", Q = " << facts.Q << ", value " << facts.uses_value
                                          << ", grad " << facts.uses_grad << ", curved " << facts.curved;
  EXPECT_EQ(found.layout, expected.layout) << where;
  EXPECT_EQ(found.threads, expected.threads) << where;
  EXPECT_EQ(found.elements, expected.elements) << where;
  EXPECT_EQ(found.resident, expected.resident) << where;
  EXPECT_EQ(found.factor_group, expected.factor_group) << where;
  EXPECT_EQ(found.merge_group, expected.merge_group) << where;
}

TEST(HexTuning, NumbersOfStoredFactorsAreThoseOfTheRecord) {
  for (const StoredRow& row : stored_rows)
    for (int k = 0; k < 3; ++k) {
      const HexFacts facts{.P = row.P, .Q = row.Q, .uses_value = uses_value[k], .uses_grad = uses_grad[k]};
      const HexTuning tuning = hex_tuning(facts);
      expect_numbers(tuning, row.numbers[k], facts);
      EXPECT_EQ(tuning.prefetch, row.numbers[k].prefetch) << row.P << ' ' << row.Q << ' ' << k;
      EXPECT_EQ(tuning.kept_tables, 0);
      EXPECT_EQ(tuning.keeps_nodes, tuning.layout == lines && !uses_grad[k] && row.P <= 5);
    }
}

TEST(HexTuning, NumbersOfRecomputedFactorsAreThoseOfTheRecord) {
  for (const RecomputedRow& row : recomputed_rows)
    for (int k = 0; k < 3; ++k) {
      const HexFacts facts{.P = row.P,
                           .Q = row.Q,
                           .uses_value = uses_value[k],
                           .uses_grad = uses_grad[k],
                           .recomputed = true,
                           .curved = row.curved};
      const HexTuning tuning = hex_tuning(facts);
      expect_numbers(tuning, row.numbers[k], facts);
      EXPECT_EQ(tuning.kept_tables, row.numbers[k].kept_tables) << row.P << ' ' << row.Q << ' ' << k;
      EXPECT_FALSE(tuning.prefetch);
    }
}

// More factors than a built-in physics has take registers, and nothing else.
TEST(HexTuning, ManyFactorsLeaveMoreRegisters) {
  for (int P = 2; P <= 9; ++P)
    for (const int Q : {P, P + 1})
      for (int k = 0; k < 3; ++k) {
        HexFacts facts{.P = P, .Q = Q, .uses_value = uses_value[k], .uses_grad = uses_grad[k], .num_stored = 7};
        const HexTuning few = hex_tuning(facts);
        facts.num_stored = 13;
        const HexTuning many = hex_tuning(facts);
        EXPECT_EQ(few.layout, many.layout) << P << ' ' << Q;
        EXPECT_EQ(few.threads, many.threads) << P << ' ' << Q;
        EXPECT_EQ(few.elements, many.elements) << P << ' ' << Q;
        EXPECT_TRUE(many.resident >= 1 && many.resident <= few.resident) << P << ' ' << Q;
      }
}

// Whatever the numbers are, a launch needs these.
TEST(HexTuning, IsSoundForEveryOrder) {
  for (int P = 2; P <= 9; ++P)
    for (const int Q : {P, P + 1})
      for (int k = 0; k < 3; ++k)
        for (const int kind : {0, 1, 2}) {  // stored, straight, curved
          const HexTuning t = hex_tuning({.P = P,
                                          .Q = Q,
                                          .uses_value = uses_value[k],
                                          .uses_grad = uses_grad[k],
                                          .recomputed = kind > 0,
                                          .curved = kind == 2});
          EXPECT_TRUE(t.threads >= 32 && t.threads <= 1024) << P << ' ' << Q;
          EXPECT_GE(t.resident, 1) << P << ' ' << Q;
          EXPECT_LE(t.resident * t.threads, 2048) << P << ' ' << Q;
          EXPECT_EQ(t.elements % t.factor_group, 0) << P << ' ' << Q;
          EXPECT_EQ(t.elements % t.merge_group, 0) << P << ' ' << Q;
          const int per_element = t.layout == whole ? 1 : t.layout == planes ? Q : Q * Q;
          EXPECT_GE(t.threads, t.elements * per_element) << P << ' ' << Q;
        }
}

}  // namespace
}  // namespace millrace::cuda
