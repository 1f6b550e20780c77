// What the set-up of multigrid finds in the rows of a matrix, lane by lane on the host: strong connections, facts of
// rows, and diagonals.
#include <random>
#include <set>

#include "expect.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/mark_diagonals.cuh"
#include "millrace/precond/multigrid/row_facts.cuh"
#include "millrace/precond/multigrid/strength.hpp"
#include "millrace/precond/multigrid/strong_rows.cuh"
#include "millrace/sparse/assemble.hpp"
#include "millrace/sparse/gallery.hpp"

namespace millrace::testing {
namespace {

using namespace multigrid;

/// Rows of up to `most` entries, some of them 0 and some diagonals missing; row 5, if there is one, is long.
template <class T>
Csr<T> random_matrix(Index n, Index most, int exponents, unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&] {
    const int steps = static_cast<int>(random() % 2001) - 1000;
    const int exponent = static_cast<int>(random() % to_size(2 * exponents + 1)) - exponents;
    return static_cast<T>(std::ldexp(steps / 512.0, exponent));
  };
  std::vector<Triplet<T>> entries;
  for (Index r = 0; r < n; ++r) {
    const Index length = r == 5 ? 300 : static_cast<Index>(random() % to_size(most + 1));
    if (random() % 9 > 0) entries.push_back({r, r, number()});
    for (Index k = 0; k < length; ++k)
      entries.push_back({r, static_cast<Index>(random() % to_size(n)), random() % 7 ? number() : T{0}});
  }
  return make_csr(n, n, entries);
}

template <class T>
void expect_strong(const Csr<T>& a, double theta, const std::string& what) {
  Queue host;
  Diagonal<T> d;
  d.update(host, a);
  const StrengthGraph expected = strength_graph(host, a, d, 1, theta);
  const auto steps = static_cast<std::uint16_t>(std::nearbyint(theta * 256));
  const emulated::Strengths<T> strengths{d.value.data(), d.num_beside.data()};
  const Index n = a.num_rows;
  for (const bool long_rows : {false, true})
    for (const bool backwards : {false, true}) {
      emulator::backwards = backwards;
      StrengthGraph found(host, n, a.num_entries());
      std::vector<std::uint8_t> weak_ones(to_size(a.num_entries()), 7);
      const emulated::GraphOutput out{found.begin.data(), found.degree.data(), found.neighbours.data(),
                                      found.strength.data(), weak_ones.data()};
      int weak = 0;
      if (long_rows)
        emulator::launch(dim3(static_cast<unsigned>(n + 31) / 32), dim3(256), 0,
                         [&] { emulated::find_strong_in_long(view_of(a), strengths, steps, Offset{n}, out, &weak); });
      else
        emulator::launch(dim3(static_cast<unsigned>(n + 127) / 128), dim3(128), 0,
                         [&] { emulated::find_strong_in_short(view_of(a), strengths, steps, Offset{n}, out, &weak); });
      EXPECT_EQ(weak == 0, expected.complete) << what;
      for (Index r = 0; r < n; ++r) {
        ASSERT_EQ(found.begin.data()[r], expected.begin.data()[r]) << what;
        ASSERT_EQ(found.degree.data()[r], expected.degree.data()[r]) << what << ", row " << r;
        for (Offset s = found.begin.data()[r]; s < found.begin.data()[r] + found.degree.data()[r]; ++s) {
          ASSERT_EQ(found.neighbours.data()[s], expected.neighbours.data()[s]) << what << ", row " << r;
          ASSERT_EQ(found.strength.data()[s], expected.strength.data()[s]) << what << ", row " << r;
        }
        Offset next = found.begin.data()[r];
        for (Offset s = view_of(a).begin(r); long_rows && s < view_of(a).begin(r + 1); ++s) {
          const Index c = a.cols.data()[s];
          const bool strong =
              next < found.begin.data()[r] + found.degree.data()[r] && found.neighbours.data()[next] == c;
          next += strong;
          ASSERT_EQ(weak_ones[to_size(s)], c != r && !strong) << what << ", row " << r;
        }
      }
    }
  emulator::backwards = false;
}

template <class Stage, class T>
void expect_facts(const Csr<T>& a, unsigned num_blocks, const std::string& what) {
  Queue host;
  Diagonal<T> expected;
  expected.update(host, a);
  const auto n = to_size(a.num_rows);
  for (const bool backwards : {false, true}) {
    emulator::backwards = backwards;
    std::vector<T> value(n), row_sum(n);
    std::vector<Index> num_beside(n);
    emulated::AllFacts facts{0, 0};
    const emulated::DiagonalOutput<T> out{value.data(), row_sum.data(), num_beside.data()};
    emulator::launch(dim3(num_blocks), dim3(128), 0,
                     [&] { emulated::find_row_facts<Stage, T>(view_of(a), Offset{a.num_rows}, out, &facts); });
    EXPECT_EQ(value, expected.value.to_vector()) << what;
    EXPECT_EQ(row_sum, expected.row_sum.to_vector()) << what;
    EXPECT_EQ(num_beside, expected.num_beside.to_vector()) << what;
    EXPECT_EQ(std::bit_cast<double>(facts.most), expected.gershgorin) << what;
    EXPECT_EQ(static_cast<Index>(facts.num_replaced), expected.num_replaced) << what;
  }
  emulator::backwards = false;
}

template <class T>
void expect_all(const Csr<T>& a, const std::string& what) {
  for (const double theta : {0.0, 0.08, 0.5}) expect_strong(a, theta, what);
  for (const unsigned num_blocks : {1u, 3u}) {
    expect_facts<emulated::ShortRows>(a, num_blocks, what);
    expect_facts<emulated::LongRows>(a, num_blocks, what);
  }
}

TEST(EmulatedRowFacts, AreThoseOfTheHost) {
  for (const char* name : {"laplace3d7:9", "laplace2d9:23", "laplace3d7:8,anisotropy=0.01", "laplace2d5:1"})
    expect_all(Csr<double>(gallery::make(name)), name);
  unsigned seed = 1;
  for (const Index n : {1, 2, 127, 128, 129, 700})
    for (const Index most : {0, 6, 9, 40}) {
      expect_all(random_matrix<double>(n, most, 3, ++seed), join(n, " rows, up to ", most));
      expect_all(random_matrix<float>(n, most, 3, ++seed), join(n, " rows in float, up to ", most));
    }
}

TEST(EmulatedRowFacts, OfNumbersOutsideOfTheRangeOfFloatAreThoseOfTheHost) {
  for (const Index most : {6, 30}) {
    expect_strong(random_matrix<double>(300, most, 200, 5), 0.08, "double");
    expect_strong(random_matrix<double>(300, most, 60, 6), 0.08, "double");
    expect_strong(random_matrix<float>(300, most, 100, 7), 0.08, "float");
  }
}

/// The strengths of quotients k / 512 lie on and beside the borders of steps.
TEST(EmulatedRowFacts, StrengthsAtTheBordersOfStepsAreThoseOfTheHost) {
  for (int k = 1; k < 2000; ++k)
    for (const double scale : {1.0, 3.0, 1.0 / 7})
      for (const double shift : {-0x1p-52, -0x1p-24, 0.0, 0x1p-52, 0x1p-24}) {
        const double value[] = {scale, scale}, root = root_of_share(scale, 1, 1);
        const Index beside[] = {1, 1};
        const double v = k * scale / 512 * (1 + shift);
        const emulated::Strengths<double> strengths{value, beside};
        ASSERT_EQ(strengths.steps_of(0, strengths.share(0), 1, strengths.share(1), v),
                  strength_in_steps(v / (root * root)))
            << k << ' ' << scale;
      }
}

template <int Lanes>
void expect_diagonals(const Csr<double>& a, Index most) {
  std::set<Index> expected;
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset s = a.row_begin(r); s < a.row_begin(r + 1); ++s) expected.insert(a.cols.data()[s] - r + a.num_rows);
  for (const bool backwards : {false, true}) {
    emulator::backwards = backwards;
    std::vector<unsigned> marks(to_size((a.num_rows + a.num_cols) / 32 + 1));
    std::vector<Index> places(to_size(most), -1);
    Index num = 0;
    const emulated::MarkedDiagonals marked{marks.data(), &num, places.data(), most};
    for (const Offset step : {Offset{a.num_rows / 64 + 1}, Offset{1}})
      emulator::launch(dim3(2), dim3(256), 0,
                       [&] { emulated::mark_diagonals<Lanes>(convert::rows_of(a), step, marked); });
    if (std::ssize(expected) > most) {
      EXPECT_GT(num, most);
      continue;
    }
    ASSERT_EQ(num, std::ssize(expected));
    EXPECT_EQ(std::set<Index>(places.begin(), places.begin() + num), expected);
  }
  emulator::backwards = false;
}

TEST(EmulatedDiagonals, AreThoseThatRowsShow) {
  for (const char* name : {"laplace3d7:9", "laplace2d9:23", "laplace3d27:7", "laplace2d5:1"}) {
    const Csr<double> a = gallery::make(name);
    expect_diagonals<1>(a, 32);
    expect_diagonals<32>(a, 32);
    expect_diagonals<1>(a, 6);
  }
  for (const Index n : {1, 3, 200, 1500})
    for (const Index most : {0, 1, 32, 5000}) {
      expect_diagonals<1>(random_matrix<double>(n, 9, 1, 3), most);
      expect_diagonals<32>(random_matrix<double>(n, 9, 1, 3), most);
    }
}

}  // namespace
}  // namespace millrace::testing
