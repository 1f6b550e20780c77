// Blocks divided by their diagonal: D^{-1} A x against a dense solution in long double, on the host and on a GPU.
#include "millrace/precond/scaled_dbf.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

/// A ring of num block rows, each coupled to itself and its two neighbours; every fifth lacks one of them, every
/// seventh both. A diagonal block is, but for the order of its rows (so that pivots move), diagonally dominant by
/// columns: twice the sum of the others and more on the diagonal. Then partial pivoting finds the dominant rows,
/// || |L| |U| ||_1 <= 3 ||D||_1, and a column of D^{-1} A that comes from a solution with L and U has in its 1-norm a
/// relative error of at most 3 m eps * 3 kappa_1(D) (Higham 2002, theorem 9.4).
template <class T>
struct Ring {
  using Wide = typename Expected<T>::Wide;
  Index m, num;
  std::vector<Index> neighbours;   // [num, 3], with -1, in no order
  std::vector<T> blocks;           // [num, 3, m, m], every block column by column
  std::vector<Wide> scaled;        // [num, 4, m, m]: D^{-1} times the blocks, then D^{-1}
  std::vector<long double> kappa;  // [num], of D in the 1-norm

  Ring(Index size, Index count, std::uint64_t seed) : m(size), num(count) {
    blocks = random_vector<T>(std::int64_t{3} * num * m * m, seed);
    for (Index f = 0; f < num; ++f) {
      neighbours.push_back(f % 5 == 2 || f % 7 == 3 ? -1 : (f + num - 1) % num);
      neighbours.push_back(f);
      neighbours.push_back(f % 7 == 3 ? -1 : (f + 1) % num);
      for (Index j = 0; j < m; ++j) {
        RealOf<T> others{1};
        for (Index i = 0; i < m; ++i)
          if (i != j) others += std::abs(at(blocks, 3 * f + 1, (i + 1) % m, j));
        at(blocks, 3 * f + 1, (j + 1) % m, j) = T(f % 2 == 0 ? 2 * others : -2 * others);
      }
    }
    for (Index f = 0; f < num; ++f) solve(f);
  }
  template <class U>
  U& at(std::vector<U>& values, Index block, Index i, Index j) const {
    return values[static_cast<std::size_t>((Offset{block} * m + j) * m + i)];
  }
  template <class U>
  const U& at(const std::vector<U>& values, Index block, Index i, Index j) const {
    return values[static_cast<std::size_t>((Offset{block} * m + j) * m + i)];
  }
  Dbf<T> dbf(Index group = 1, bool apart = false) const {
    return Dbf<T>::from_blocks(m, 3, neighbours, blocks, group, apart);
  }
  Csr<T> csr() const { return SparseMatrix<T>(dbf()).to_csr(); }

 private:
  /// Gauss-Jordan on [D, blocks, I]; the order of the rows of D is known.
  void solve(Index f) {
    const Index width = 5 * m;
    std::vector<Wide> rows(static_cast<std::size_t>(m * width));  // [m, 5 m], dominant rows on the diagonal
    const auto entry = [&](Index i, Index q) -> Wide& { return rows[static_cast<std::size_t>(i * width + q)]; };
    long double norm = 0, inverse_norm = 0;
    for (Index j = 0; j < m; ++j) {
      long double sum = 0;
      for (Index i = 0; i < m; ++i) {
        entry(i, j) = Wide(at(blocks, 3 * f + 1, (i + 1) % m, j));
        for (Index k = 0; k < 3; ++k) entry(i, (k + 1) * m + j) = Wide(at(blocks, 3 * f + k, (i + 1) % m, j));
        entry(i, 4 * m + j) = Wide((i + 1) % m == j ? 1 : 0);
        sum += std::abs(entry(i, j));
      }
      norm = std::max(norm, sum);
    }
    for (Index k = 0; k < m; ++k)
      for (Index i = 0; i < m; ++i) {
        if (i == k) continue;
        const Wide factor = entry(i, k) / entry(k, k);
        for (Index q = k; q < width; ++q) entry(i, q) -= factor * entry(k, q);
      }
    scaled.resize(scaled.size() + static_cast<std::size_t>(4 * m * m));
    for (Index k = 0; k < 4; ++k)
      for (Index j = 0; j < m; ++j) {
        long double sum = 0;
        for (Index i = 0; i < m; ++i) {
          at(scaled, 4 * f + k, i, j) = entry(i, (k + 1) * m + j) / entry(i, i);
          sum += std::abs(at(scaled, 4 * f + k, i, j));
        }
        if (k == 3) inverse_norm = std::max(inverse_norm, sum);
      }
    kappa.push_back(norm * inverse_norm);
  }
};

/// alpha S x + beta y for the scaled blocks S (or D^{-1}), and its bound: that of a product, and that of the solutions.
template <class T>
Expected<T> expected_of(const Ring<T>& ring, bool only_inverse, T alpha, std::span<const T> x, T beta,
                        std::span<const T> y) {
  using Wide = typename Expected<T>::Wide;
  const Index m = ring.m;
  const long double eps = std::numeric_limits<RealOf<T>>::epsilon(), a = std::abs(Wide(alpha));
  Expected<T> expected;
  for (Index f = 0; f < ring.num; ++f) {
    std::vector<Wide> sum(static_cast<std::size_t>(m));
    std::vector<long double> magnitude(static_cast<std::size_t>(m));
    long double of_solutions = 0;  // sum over the columns of |x| times the column's norm
    for (Index k = only_inverse ? 3 : 0; k < (only_inverse ? 4 : 3); ++k) {
      const Index column = k == 3 ? f : ring.neighbours[static_cast<std::size_t>(3 * f + k)];
      if (column < 0) continue;
      for (Index j = 0; j < m; ++j) {
        const Wide entry(x[static_cast<std::size_t>(column * m + j)]);
        for (Index i = 0; i < m; ++i) {
          const Wide value = k == 1 ? Wide(i == j ? 1 : 0) : ring.at(ring.scaled, 4 * f + k, i, j);
          sum[static_cast<std::size_t>(i)] += value * entry;
          magnitude[static_cast<std::size_t>(i)] += std::abs(value) * std::abs(entry);
          if (k != 1) of_solutions += std::abs(value) * std::abs(entry);
        }
      }
    }
    const long double solution_error = 9 * m * ring.kappa[static_cast<std::size_t>(f)] * eps * of_solutions;
    for (Index i = 0; i < m; ++i) {
      const auto at = static_cast<std::size_t>(f * m + i);
      const Wide old = beta == T{0} ? Wide(0) : Wide(beta) * Wide(y[at]);
      const long double n = (is_complex<T> ? 4 : 1) * (2 * m + 1) + (is_complex<T> ? 8 : 2);
      expected.value.push_back(Wide(alpha) * sum[static_cast<std::size_t>(i)] + old);
      expected.bound.push_back(n * eps * (a * magnitude[static_cast<std::size_t>(i)] + std::abs(old)) +
                               (is_complex<T> ? 4 : 1) * a * solution_error);
    }
  }
  return expected;
}

/// The product (or scale) with `num` vectors with gaps between them; y starts as NaN where it is not to be read.
template <class T>
void check(const Ring<T>& ring, const ScaledDbf<T>& s, bool only_inverse, int num, T alpha, T beta,
           const std::string& what) {
  const Device device = s.device();
  Queue queue(device);
  const std::int64_t n = s.shape().rows, x_stride = n + 3, y_stride = n + 1;
  const std::vector<T> x = random_vector<T>(num * x_stride, 1);
  std::vector<T> y = random_vector<T>(num * y_stride, 2);
  if (beta == T{0}) std::fill(y.begin(), y.end(), T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
  const auto run = [&] {
    const Array<T> x_there = Array<T>(std::span<const T>(x)).to(device);
    Array<T> y_there = Array<T>(std::span<const T>(y)).to(device);
    const Vectors<const T> xs(device, x_there.data(), n, num, x_stride);
    const Vectors<T> ys(device, y_there.data(), n, num, y_stride);
    if (only_inverse)
      s.scale(queue, xs, ys);
    else
      s.apply(queue, {.alpha = alpha, .x = xs, .beta = beta, .y = ys});
    queue.wait();
    return y_there.to_vector();
  };
  const std::vector<T> found = run();
  EXPECT_TRUE(same_bits<T>(found, run())) << what << ": not repeatable";
  for (int v = 0; v < num; ++v) {
    const auto part = [&](const std::vector<T>& all, std::int64_t stride) {
      return std::span<const T>(all).subspan(static_cast<std::size_t>(v * stride), static_cast<std::size_t>(n));
    };
    expect_within<T>(expected_of<T>(ring, only_inverse, alpha, part(x, x_stride), beta, part(y, y_stride)),
                     part(found, y_stride),
                     join(what, only_inverse ? ", D^{-1}" : "", ", m = ", ring.m, ", vector ", v, " of ", num));
  }
}

template <class T>
void check_all(Device device, std::initializer_list<Index> sizes) {
  for (const Index m : sizes) {
    const Ring<T> ring(m, m > 12 ? 8 : 15, 10 + static_cast<std::uint64_t>(m));
    const ScaledDbf<T> s = ScaledDbf<T>(ring.csr(), m).to(device);
    EXPECT_EQ(s.off_diagonal().width, 2);
    for (const int num : {1, 3, 4, 17}) check<T>(ring, s, false, num, T{1}, T{0}, "csr");
    for (const T alpha : {T{0}, T(RealOf<T>(-2.5))})
      for (const T beta : {T{0}, T{1}, T(RealOf<T>(0.75))}) check<T>(ring, s, false, 2, alpha, beta, "csr");
    for (const int num : {1, 5, 8}) check<T>(ring, s, true, num, T{1}, T{0}, "csr");
    check<T>(ring, ScaledDbf<T>(ring.dbf(4)).to(device), false, 1, T{1}, T{0}, "from groups");
    check<T>(ring, ScaledDbf<T>(ring.dbf(1, true)).to(device), false, 5, T{1}, T{1}, "apart");
  }
}

template <class T>
void check_update(Device device) {
  Queue queue(device);
  const Ring<T> ring(5, 20, 3), other(5, 20, 4);
  ScaledDbf<T> s = ScaledDbf<T>(ring.csr(), 5).to(device);
  s.update_values(queue, other.csr());
  check<T>(other, s, false, 2, T{1}, T{0}, "new values");
  check<T>(other, s, true, 2, T{1}, T{0}, "new values");
  s.update_values(queue, ring.dbf());
  check<T>(ring, s, false, 1, T{1}, T{0}, "old values");
}

template <class T>
struct ScaledBlocks : ::testing::Test {
  static Device device() { return Device::host(); }
};
template <class T>
struct GpuScaledBlocks : ::testing::Test {
  void SetUp() override {
    if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  }
  static Device device() { return Device::gpu(); }
};
TYPED_TEST_SUITE(ScaledBlocks, Scalars);
TYPED_TEST_SUITE(GpuScaledBlocks, Scalars);

TYPED_TEST(ScaledBlocks, Sizes) { check_all<TypeParam>(this->device(), {1, 2, 5, 8, 12, 33}); }
TYPED_TEST(GpuScaledBlocks, Sizes) { check_all<TypeParam>(this->device(), {1, 2, 5, 8, 12, 33}); }
TYPED_TEST(ScaledBlocks, UpdateValues) { check_update<TypeParam>(this->device()); }
TYPED_TEST(GpuScaledBlocks, UpdateValues) { check_update<TypeParam>(this->device()); }

// A matrix of diagonal blocks alone becomes the identity, of which nothing is read.
TYPED_TEST(ScaledBlocks, NothingBesideTheDiagonal) {
  using T = TypeParam;
  const std::vector<Index> neighbours{0, 1, 2};
  std::vector<T> blocks(3 * 4);
  for (std::size_t f = 0; f < 3; ++f) blocks[4 * f + 1] = T(2), blocks[4 * f + 2] = T(4);  // rows exchanged
  const ScaledDbf<T> s(Dbf<T>::from_blocks(2, 1, neighbours, blocks));
  const std::vector<T> x = random_vector<T>(6, 1);
  std::vector<T> y(6), halves(6);
  Queue queue;
  s.apply(queue, {.x = x, .y = y});
  EXPECT_EQ(x, y);
  s.scale(queue, x, halves);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(halves[i], i % 2 == 0 ? x[i + 1] / T(2) : x[i - 1] / T(4));
  EXPECT_EQ(s.traffic().vectors, 12.0 * sizeof(T));
  EXPECT_EQ(s.traffic().minimum, 12.0 * sizeof(T));
  EXPECT_EQ(ScaledDbf<T>(Csr<T>(), 3).shape(), (Shape{0, 0}));
}

TEST(ScaledDbfFacts, OneBlockLessIsRead) {
  const Ring<double> ring(8, 10, 5);
  const ScaledDbf<double> s(ring.csr(), 8);
  const SparseMatrix<double> a(ring.dbf());
  const double a_block = 8 * 8 * 8;
  EXPECT_EQ(a.traffic().matrix - s.traffic().matrix, 10 * (a_block + 4));  // a block and its number a block row
  EXPECT_EQ(a.traffic().minimum - s.traffic().minimum, 10 * a_block);
  EXPECT_EQ(s.traffic(3, true).vectors, 3 * 3 * 80 * 8.0);
  EXPECT_EQ(s.inverse().format_name(), "dbf");
  EXPECT_EQ(s.inverse().num_entries(), 10 * 64);
}

TEST(ScaledDbfFacts, Refused) {
  const std::vector<Index> neighbours{0, 1, 0, -1, 2, 1};
  std::vector<double> blocks(6 * 4, 1.0);
  blocks[1] = -1;  // the first diagonal block has an inverse
  const auto from = [&] { return ScaledDbf<double>(Dbf<double>::from_blocks(2, 2, neighbours, blocks)); };
  EXPECT_EQ(error_of([&] { from(); }), "scaled dbf: block row 1 has no diagonal block, by which it could be divided");
  const std::vector<Index> diagonal{0, 1, 2};
  std::vector<double> thirds{1, -1, 1, 1, 3, 0, 0, 3, 0.1, 0.3, 0.2, 0.6};  // the last has rank 1, but for rounding
  EXPECT_EQ(error_of([&] { ScaledDbf<double>(Dbf<double>::from_blocks(2, 1, diagonal, thirds)); }),
            "scaled dbf: the diagonal block of block row 2 is singular (rows from 4, blocks of 2); "
            "it must have an inverse");
  EXPECT_EQ(error_of([&] { ScaledDbf<double>(random_csr<double>(4, 6, 2, 1), 2); }),
            "scaled dbf: the matrix is 4 x 6; only square ones have a diagonal of blocks");
  EXPECT_EQ(error_of([&] { ScaledDbf<double>(random_csr<double>(4, 4, 2, 1), 0); }),
            "scaled dbf: blocks of 0; sizes from 1 to 1024 are accepted");

  Queue queue;
  const Ring<double> ring(2, 6, 1), longer(2, 8, 1);
  ScaledDbf<double> s(ring.csr(), 2);
  EXPECT_EQ(error_of([&] { s.update_values(queue, longer.csr()); }),
            "update_values: the new matrix has other blocks than the operator; only values may change");
  Ring<double> singular = ring;
  for (Index i = 0; i < 2; ++i) singular.at(singular.blocks, 3 * 4 + 1, i, 0) = 0;
  EXPECT_NE(error_of([&] { s.update_values(queue, singular.dbf()); }).find("block row 4 is singular"),
            std::string::npos);
  check<double>(ring, s, false, 1, 1.0, 0.0, "after a refused update");
  std::vector<double> b(12), y(11);
  EXPECT_EQ(error_of([&] { s.scale(queue, b, y); }),
            "apply: the operator is 12 x 12, so x needs 12 entries and y 12; they have 12 and 11");
}

}  // namespace
}  // namespace millrace::testing
