// Jacobi and block Jacobi on the host: exact on what they invert, narrow storage, new values, what they refuse.
#include "millrace/precond/block_jacobi.hpp"
#include "millrace/precond/jacobi.hpp"
#include "precond_tools.hpp"

namespace millrace::testing {
namespace {

template <class T>
struct JacobiOf : ::testing::Test {};
TYPED_TEST_SUITE(JacobiOf, Scalars);

/// Full blocks of the given sizes along the diagonal, and a few entries between them unless `alone`.
template <class T>
Csr<T> with_blocks(const std::vector<Index>& starts, std::uint64_t seed, bool alone) {
  Random random(seed);
  const Index n = starts.back();
  std::vector<std::vector<std::pair<Index, T>>> rows(static_cast<std::size_t>(n));
  for (std::size_t b = 0; b + 1 < starts.size(); ++b)
    for (Index i = starts[b]; i < starts[b + 1]; ++i) {
      if (!alone && i % 3 == 0 && starts[b + 1] < n) rows[static_cast<std::size_t>(i)].push_back({n - 1, T(5)});
      for (Index j = starts[b + 1] - 1; j >= starts[b]; --j)
        rows[static_cast<std::size_t>(i)].push_back({j, random.value<T>() + (j == i ? T(2) : T(0))});
    }
  return csr_of<T>(n, rows);
}

TYPED_TEST(JacobiOf, InvertsTheDiagonal) {
  using T = TypeParam;
  const Csr<T> a = grid_matrix<T>(17, 13, 1, false);
  for (Precision precision : {Precision::full, Precision::single, Precision::bfloat16}) {
    Queue queue(Device::host(), 2);
    const Jacobi<T> m(queue, a, {precision});
    const std::vector<T> x = random_vector<T>(a.num_rows, 2), y = apply_to(m, x);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_LE(std::abs(y[i] * T(6) - x[i]), (4 * eps<T> + m.inverse_diagonal().rounding()) * std::abs(x[i]));
    expect_scaled_application(m, 4 * eps<T>);
  }
}

TEST(Jacobi, ZeroDiagonals) {
  Queue queue;
  const auto a = csr_of<double>(3, {{{0, 2.0}}, {{0, 1.0}, {2, 1.0}}, {{2, 4.0}, {2, 4.0}}});
  EXPECT_EQ(error_of([&] { Jacobi<double>(queue, a); }),
            "jacobi: the diagonal entry of row 1 is zero or missing; other preconditioners or the option zero_as_one "
            "accept that");
  EXPECT_EQ(apply_to(Jacobi<double>(queue, a, {.zero_as_one = true}), {8, 8, 8}), (std::vector<double>{4, 8, 1}));
}

TEST(Jacobi, TrafficAndUpdate) {
  Queue queue;
  Jacobi<double> m(queue, tridiagonal<double>(100, 1, true), {Precision::single});
  EXPECT_EQ(m.traffic().matrix, 400);
  EXPECT_EQ(m.traffic(2, true).vectors, 100 * 8 * 2 * 3);
  EXPECT_EQ(m.traffic().minimum, 100 * 8 * 3);
  const void* memory = m.inverse_diagonal().visit([](const auto* data) { return static_cast<const void*>(data); });
  Csr<double> other = tridiagonal<double>(100, 1, true);
  for (double& v : other.vals.span()) v *= 2;
  m.update_values(queue, other);
  EXPECT_EQ(m.inverse_diagonal().visit([](const auto* data) { return static_cast<const void*>(data); }), memory);
  EXPECT_NEAR(apply_to(m, std::vector<double>(100, 12.0))[7], 1.0, 1e-6);
  EXPECT_NE(error_of([&] { m.update_values(queue, tridiagonal<double>(99, 1, true)); }).find("100 rows"),
            std::string::npos);
  EXPECT_NE(error_of([&] { Jacobi<double>(queue, random_csr<double>(3, 4, 2, 1)); }).find("must be square"),
            std::string::npos);
}

/// Something that is no matrix and writes its diagonal.
struct WrittenDiagonal {
  std::vector<double> entries;
  Shape shape() const { return {std::ssize(entries), std::ssize(entries)}; }
  Device device() const { return Device::host(); }
  void diagonal(Queue&, Vectors<double> y) const { std::copy(entries.begin(), entries.end(), y.data); }
};

TYPED_TEST(JacobiOf, FromADiagonal) {
  using T = TypeParam;
  const Csr<T> a = grid_matrix<T>(11, 7, 1, false);
  std::vector<T> diagonal(static_cast<std::size_t>(a.num_rows));
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k)
      if (a.cols.data()[k] == r) diagonal[static_cast<std::size_t>(r)] += a.vals.data()[k];
  Queue queue(Device::host(), 2);
  const auto x = random_vector<T>(a.num_rows, 2);
  for (Precision precision : {Precision::full, Precision::single, Precision::bfloat16})
    EXPECT_EQ(apply_to(Jacobi<T>(queue, diagonal, {precision}), x), apply_to(Jacobi<T>(queue, a, {precision}), x));
  const std::vector<T> nothing;
  EXPECT_EQ(Jacobi<T>(queue, nothing).shape().rows, 0);
}

TEST(Jacobi, FromWhatWritesItsDiagonal) {
  Queue queue;
  Jacobi<double> m(queue, WrittenDiagonal{{2, 4, 8}});
  EXPECT_EQ(apply_to(m, {8, 8, 8}), (std::vector<double>{4, 2, 1}));
  m.update_diagonal(queue, std::vector<double>{8, 4, 2});
  EXPECT_EQ(apply_to(m, {8, 8, 8}), (std::vector<double>{1, 2, 4}));
  EXPECT_EQ(error_of([&] {
              m.update_diagonal(queue, std::vector<double>{1, 2});
            }),
            "jacobi: a diagonal is one vector of 3 entries; this is 1 of 2");
  EXPECT_NE(error_of([&] {
              Jacobi<double>(queue, WrittenDiagonal{{1, 0}});
            }).find("the diagonal entry of row 1 is zero"),
            std::string::npos);
  EXPECT_EQ(apply_to(Jacobi<double>(queue, WrittenDiagonal{{2, 0}}, {.zero_as_one = true}), {4, 4}),
            (std::vector<double>{2, 4}));
}

TYPED_TEST(JacobiOf, BlockDiagonalMatricesAreInverted) {
  using T = TypeParam;
  std::vector<std::vector<Index>> all{{0}, {0, 1}, {0, 2, 4, 6, 7}, {0, 5, 6, 9, 42, 75}, {0, 33, 66, 80}};
  std::vector<Index> eights;
  for (Index i = 0; i <= 400; i += 8) eights.push_back(i);
  all.push_back(eights);
  for (const std::vector<Index>& starts : all)
    for (Precision precision : {Precision::full, Precision::single, Precision::bfloat16}) {
      const Csr<T> a = with_blocks<T>(starts, 3, true);
      Queue queue(Device::host(), 2);
      BlockJacobiOptions options;
      options.starts = starts;
      options.precision = precision;
      const BlockJacobi<T> m(queue, a, options);
      const std::vector<T> b = random_vector<T>(a.num_rows, 4), x = apply_to(m, b, 2);
      const double growth = 100.0 * static_cast<double>(m.blocks().max_size());  // condition of a block, and its sums
      EXPECT_LE(residual<T>(a, x, b), growth * (eps<T> + m.inverses().rounding()));
      EXPECT_TRUE(same_bits<T>(x, apply_to(m, b, 1)));
      expect_scaled_application(m, 8 * eps<T>);
    }
}

TEST(BlockJacobi, BlocksAreFoundOrGiven) {
  Queue queue;
  std::vector<Index> starts;
  for (Index i = 0; i <= 60; i += 5) starts.push_back(i);
  const Csr<double> a = with_blocks<double>(starts, 5, true);
  EXPECT_EQ(BlockJacobi<double>(queue, a).blocks().starts(), starts);
  BlockJacobiOptions options;
  options.size = 7;
  const BlockJacobi<double> m(queue, a, options);
  EXPECT_EQ(m.blocks().num_blocks(), 9);
  EXPECT_EQ(m.blocks().starts().back(), 60);
  EXPECT_EQ(m.traffic().matrix, 8 * (8 * 49 + 16));
  options.starts = {0, 60};
  EXPECT_NE(error_of([&] { BlockJacobi<double>(queue, a, options); }).find("size of the blocks or their starts"),
            std::string::npos);
  options.size = 0;
  options.starts = {0, 20, 20, 60};
  EXPECT_NE(error_of([&] { BlockJacobi<double>(queue, a, options); }).find("starts must rise"), std::string::npos);
  options.starts = {0, 20};
  EXPECT_NE(error_of([&] { BlockJacobi<double>(queue, a, options); }).find("the number of rows, 60"),
            std::string::npos);
}

TEST(BlockJacobi, SingularBlocks) {
  Queue queue;
  const auto a = csr_of<double>(4, {{{0, 2.0}}, {{1, 2.0}}, {{2, 1.0}, {3, 2.0}}, {{2, 2.0}, {3, 4.0}}});
  BlockJacobiOptions options;
  options.size = 2;
  EXPECT_NE(error_of([&] { BlockJacobi<double>(queue, a, options); }).find("rows 2 to 3 is singular"),
            std::string::npos);
  options.singular_as_one = true;
  EXPECT_EQ(apply_to(BlockJacobi<double>(queue, a, options), {2, 4, 5, 6}), (std::vector<double>{1, 2, 5, 6}));
}

TEST(BlockJacobi, LargeBlocksAndNewValues) {
  Queue queue;
  const std::vector<Index> starts{0, 330, 660};
  Csr<double> a = with_blocks<double>(starts, 6, false);
  BlockJacobiOptions options;
  options.size = 330;
  BlockJacobi<double> m(queue, a, options);
  const std::vector<Index>* structure = &m.blocks().starts();
  for (double& v : a.vals.span()) v *= 4;
  m.update_values(queue, a);
  EXPECT_EQ(&m.blocks().starts(), structure);
  const std::vector<double> b = random_vector<double>(660, 7);
  const Csr<double> alone = [&] {
    Csr<double> c = with_blocks<double>(starts, 6, true);
    for (double& v : c.vals.span()) v *= 4;
    return c;
  }();
  EXPECT_LE(residual<double>(alone, apply_to(m, b), b), 1e-9);
  EXPECT_TRUE(same_bits<double>(apply_to(m, b), apply_to(m.to(Device::host()), b)));
}

TEST(BlockJacobi, LayoutsOfHostAndGpuHoldTheSame) {
  for (const std::vector<Index>& starts : {std::vector<Index>{0, 3, 4, 40, 75}, std::vector<Index>{0, 4, 8, 12, 14}}) {
    const DiagonalBlocks plain(starts, false), sliced(starts, true);
    EXPECT_EQ(plain.num_entries(), sliced.num_entries());
    for (const DiagonalBlocks* blocks : {&plain, &sliced}) {
      std::vector<int> taken(static_cast<std::size_t>(blocks->num_slots()), 0);
      const DiagonalBlocksView view = blocks->view();
      for (Index r = 0; r < view.num_rows; ++r) {
        const DiagonalBlockRow row = view.row(r);
        EXPECT_TRUE(row.start <= r && r < row.start + row.length);
        for (Index j = 0; j < row.length; ++j) ++taken[static_cast<std::size_t>(row.first + j * row.stride)];
      }
      EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), blocks->num_entries());
      EXPECT_LE(*std::max_element(taken.begin(), taken.end()), 1);
    }
  }
}

TEST(NarrowArray, Bfloat16RoundsToNearestEven) {
  EXPECT_EQ(static_cast<float>(Bfloat16(1.0f)), 1.0f);
  EXPECT_EQ(static_cast<float>(Bfloat16(1.0f + 0x1p-8f)), 1.0f);  // a tie: to even
  EXPECT_EQ(static_cast<float>(Bfloat16(1.0f + 3 * 0x1p-8f)), 1.0f + 0x1p-6f);
  EXPECT_EQ(static_cast<float>(Bfloat16(-0x1.fffffep127f)), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(static_cast<float>(Bfloat16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(NarrowArray, NumbersBeyondFloatsAreRefused) {
  Queue queue;
  const auto a = csr_of<double>(1, {{{0, 1e-200}}});
  EXPECT_NE(error_of([&] { Jacobi<double>(queue, a, {Precision::single}); }).find("beyond the range of a float"),
            std::string::npos);
}

}  // namespace
}  // namespace millrace::testing
