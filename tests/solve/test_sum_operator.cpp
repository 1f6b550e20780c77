// Sums of operators and constrained ones, against the same with matrices.
#include "millrace/solve/sum_operator.hpp"

#include "millrace/solve/constrained_operator.hpp"
#include "millrace/sparse/matrix.hpp"
#include "solve/problems.hpp"

namespace millrace::testing {
namespace {

/// A diagonal matrix that can write its diagonal.
template <class T>
class Diagonal final : public Operator<T> {
 public:
  explicit Diagonal(std::vector<T> entries) : entries_(std::move(entries)) {}
  Shape shape() const override { return {std::ssize(entries_), std::ssize(entries_)}; }
  Traffic traffic(int num_vectors = 1, bool reads_y = false) const override {
    const double vector = static_cast<double>(entries_.size()) * sizeof(T);
    return {vector, vector * num_vectors * (reads_y ? 3 : 2), vector * (1 + num_vectors * (reads_y ? 3 : 2)), 0};
  }
  bool can_transpose() const override { return true; }
  void diagonal(Queue&, Vectors<T> y) const { std::copy(entries_.begin(), entries_.end(), y.data); }

 private:
  void do_apply(Queue&, const ApplyRequest<T>& r) const override {
    for (int v = 0; v < r.y.num; ++v)
      for (std::size_t i = 0; i < entries_.size(); ++i) {
        T d = entries_[i];
        if constexpr (is_complex<T>)
          if (r.op == Op::conjugate_transpose) d = std::conj(d);
        T& y = r.y.data[v * r.y.stride + static_cast<std::int64_t>(i)];
        y = r.alpha * d * r.x.data[v * r.x.stride + static_cast<std::int64_t>(i)] +
            (r.beta == T(0) ? T(0) : r.beta * y);
      }
  }
  std::vector<T> entries_;
};

template <class T>
struct SumsOf : ::testing::Test {};
TYPED_TEST_SUITE(SumsOf, Scalars);

TYPED_TEST(SumsOf, AddTheirParts) {
  using T = TypeParam;
  using R = RealOf<T>;
  const Index m = 9, n = m * m;
  const Csr<T> csr = laplacian<T>(m, R(0.5), R(0.25));
  const SparseMatrix<T> a(csr.clone());
  const Diagonal<T> d(random_vector<T>(n, 2));
  SumOperator<T> sum(a, d);
  const T factor = random_vector<T>(1, 3)[0];
  sum.add(d, factor);
  Queue queue(Device::host(), 2);
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    const auto x = random_vector<T>(2 * n, 4), old = random_vector<T>(2 * n, 5);
    const T alpha = random_vector<T>(1, 6)[0], beta = T(R(0.5));
    auto y = old, expected = old;
    const Vectors<const T> from(Device::host(), x.data(), n, 2);
    sum.apply(queue, {.alpha = alpha, .x = from, .beta = beta, .y = {Device::host(), y.data(), n, 2}, .op = op});
    const Vectors<T> to(Device::host(), expected.data(), n, 2);
    T turned = factor;
    if constexpr (is_complex<T>)
      if (op == Op::conjugate_transpose) turned = std::conj(factor);
    a.apply(queue, {.alpha = alpha, .x = from, .beta = beta, .y = to, .op = op});
    d.apply(queue, {.alpha = alpha, .x = from, .beta = T(1), .y = to, .op = op});
    d.apply(queue, {.alpha = alpha * turned, .x = from, .beta = T(1), .y = to, .op = op});
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_LE(std::abs(y[i] - expected[i]), 64 * epsilon<T>);
  }
  EXPECT_EQ(sum.traffic().matrix, a.traffic().matrix + 2 * d.traffic().matrix);
  EXPECT_EQ(sum.traffic().vectors, a.traffic().vectors + 2 * d.traffic(1, true).vectors);
  EXPECT_LT(sum.traffic().minimum, sum.traffic().total());
  EXPECT_FALSE(sum.has_diagonal());
  std::vector<T> y(static_cast<std::size_t>(n), T(0));
  EXPECT_NE(error_of<Unsupported>([&] { sum.diagonal(queue, y); }).find("no function diagonal"), std::string::npos);
}

TYPED_TEST(SumsOf, ConstrainedOperators) {
  using T = TypeParam;
  using R = RealOf<T>;
  const Index m = 8, n = m * m;
  const Csr<T> csr = laplacian<T>(m, R(0.5), R(0.25));
  const SparseMatrix<T> a(csr.clone());
  const std::vector<Index> entries{63, 5, 0, 17, 5};
  std::vector<bool> held(n);
  for (const Index e : entries) held[static_cast<std::size_t>(e)] = true;
  std::vector<Triplet<T>> kept;
  for (Index r = 0; r < n; ++r) {
    if (held[static_cast<std::size_t>(r)]) kept.push_back({r, r, T(1)});
    for (Offset k = csr.row_begin(r); k < csr.row_begin(r + 1); ++k)
      if (!held[static_cast<std::size_t>(r)] && !held[static_cast<std::size_t>(csr.cols.data()[k])])
        kept.push_back({r, csr.cols.data()[k], csr.vals.data()[k]});
  }
  const SparseMatrix<T> expected(make_csr(n, n, kept));
  const ConstrainedOperator<T> p(a, entries);
  EXPECT_EQ(p.entries().to_vector(), (std::vector<Index>{0, 5, 17, 63}));
  Queue queue;
  for (const Op op : {Op::none, Op::transpose})
    for (const T beta : {T(0), T(R(-2))}) {
      const auto x = random_vector<T>(n, 1);
      auto y = random_vector<T>(n, 2), z = y;
      if (beta == T(0)) y.assign(y.size(), T(std::numeric_limits<R>::quiet_NaN()));
      p.apply(queue, {.alpha = T(R(3)), .x = x, .beta = beta, .y = y, .op = op});
      expected.apply(queue, {.alpha = T(R(3)), .x = x, .beta = beta, .y = z, .op = op});
      for (std::size_t i = 0; i < y.size(); ++i) EXPECT_LE(std::abs(y[i] - z[i]), 100 * epsilon<T>) << i;
    }

  // lifting: the solution of the constrained system has the given values
  const std::vector<Index> ascending{0, 5, 17, 63};
  const auto values = random_vector<T>(4, 7), u = random_vector<T>(n, 8);
  auto full = u;
  for (std::size_t k = 0; k < 4; ++k) full[static_cast<std::size_t>(ascending[k])] = values[k];
  std::vector<T> b(static_cast<std::size_t>(n)), left(b);
  a.apply(queue, {.x = full, .y = b});
  lift<T>(queue, a, ascending, std::span<const T>(values), b);
  p.apply(queue, {.x = full, .y = left});
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_LE(std::abs(b[i] - left[i]), 100 * epsilon<T>) << i;
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(b[static_cast<std::size_t>(ascending[k])], values[k]);
}

TYPED_TEST(SumsOf, Diagonals) {
  using T = TypeParam;
  const auto first = random_vector<T>(20, 1), second = random_vector<T>(20, 2);
  const Diagonal<T> a(first), b(second);
  SumOperator<T> sum(a, b);
  const std::vector<Index> held{3, 11};
  const ConstrainedOperator<T> p(sum, held), nothing(a, {});
  const SumOperator<T> twice(T(2), p);
  EXPECT_TRUE(sum.has_diagonal() && p.has_diagonal() && twice.has_diagonal());
  Queue queue;
  std::vector<T> y(20), z(20);
  twice.diagonal(queue, y);
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_LE(std::abs(y[i] - T(2) * (i == 3 || i == 11 ? T(1) : first[i] + second[i])), 8 * epsilon<T>);
  nothing.apply(queue, {.x = first, .y = y});
  a.apply(queue, {.x = first, .y = z});
  EXPECT_TRUE(same_bits<T>(y, z));
}

TEST(Sums, Errors) {
  const SparseMatrix<double> a(laplacian<double>(3)), b(laplacian<double>(4));
  const SparseMatrix<double> sorted(Pjds<double>::make_reordered(laplacian<double>(4))),
      wide(make_csr<double>(2, 3, {{0, 0, 1.0}}));
  EXPECT_EQ(error_of([&] { SumOperator<double>(a, b); }),
            "sum of operators: the first part is 9 x 9, part 2 is 16 x 16; all must be of one shape");
  EXPECT_EQ(error_of([&] { ConstrainedOperator<double>(wide, {}); }),
            "constrained operator: the operator is 2 x 3; it must be square");
  const std::vector<Index> outside{4, 9};
  EXPECT_EQ(error_of([&] { ConstrainedOperator<double>(a, outside); }),
            "constrained operator: entry 9 was given; the unknowns are 0 to 8");
  ASSERT_NE(sorted.permutation(), nullptr);
  EXPECT_NE(error_of<Unsupported>([&] { SumOperator<double>(b, sorted); }).find("an order of its own"),
            std::string::npos);
  Queue queue;
  std::vector<double> rhs(9), values(2);
  const std::vector<Index> falling{4, 3};
  EXPECT_EQ(error_of([&] { lift<double>(queue, a, falling, std::span<const double>(values), rhs); }),
            "lift: entry 3 stands at place 1; entries ascend from 0 to 8");
  EXPECT_EQ(error_of([&] { lift<double>(queue, a, outside, std::span<const double>(rhs), rhs); }),
            "lift: 2 constrained entries have 9 values; there must be as many");
}

}  // namespace
}  // namespace millrace::testing
