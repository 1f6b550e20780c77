// Prolongators and coarse matrices against dense products.
#include "millrace/precond/multigrid/galerkin.hpp"

#include "millrace/precond/multigrid/dense_transfer.hpp"
#include "millrace/precond/multigrid/transfer.hpp"
#include "multigrid_tools.hpp"

namespace millrace::testing {
namespace {

using namespace multigrid;

struct TwoLevels {
  Diagonal<double> diagonal{};
  Aggregates aggregates{};
  Tentative<double> tentative{};
  std::optional<Prolongator<double>> p{};
  Galerkin<double> galerkin{};
  Csr<double> coarse{};

  TwoLevels(const Csr<double>& a, const NearNull<double>& near_null, double theta, double omega, int num_threads = 1,
            Smoothing smoothing = Smoothing::filtered) {
    Queue queue(Device::host(), num_threads);
    diagonal.update(queue, a);
    StrengthGraph graph = strength_graph(queue, a, diagonal, near_null.block, theta);
    aggregates = make_aggregates(queue, graph);
    if (omega == 0) smoothing = Smoothing::none;
    tentative = make_tentative(queue, aggregates, near_null);
    p.emplace(queue, a, graph, aggregates, near_null.block, near_null.num, smoothing);
    galerkin = Galerkin<double>(queue, a, *p);
    p->update(queue, a, diagonal, aggregates, tentative, omega);
    coarse = galerkin.make_coarse(queue, a, *p);
  }
  void update(Queue& queue, const Csr<double>& a, double omega) {
    diagonal.update(queue, a);
    p->update(queue, a, diagonal, aggregates, tentative, omega);
    galerkin.update(queue, a, *p, coarse);
  }
  /// [rows, columns of P]
  std::vector<double> dense_p() const {
    const Offset cols = Offset{aggregates.num} * p->num;
    std::vector<double> m(to_size(Offset{p->pattern.num_rows} * p->block * cols), 0.0);
    for (Index i = 0; i < p->pattern.num_rows; ++i)
      for (Offset s = p->pattern.row_ptr.data()[i]; s < p->pattern.row_ptr.data()[i + 1]; ++s)
        for (Index c = 0; c < p->block; ++c)
          for (Index k = 0; k < p->num; ++k)
            m[to_size((Offset{i} * p->block + c) * cols + p->pattern.cols.data()[s] * p->num + k)] =
                p->values.data()[(s * p->block + c) * p->num + k];
    return m;
  }
};

NearNull<double> given(Index block, Index num, std::int64_t rows, std::uint64_t seed) {
  return {block, num, Array<double>(std::span<const double>(random_vector<double>(rows * num, seed)))};
}

void expect_galerkin(const TwoLevels& made, const Csr<double>& a) {
  const std::vector<double> m = dense_of(a), p = made.dense_p(), coarse = dense_of(made.coarse);
  const Offset n = a.num_rows, num = made.coarse.num_rows;
  for (Offset i = 0; i < num; ++i)
    for (Offset j = 0; j < num; ++j) {
      long double sum = 0, size = 0;
      for (Offset r = 0; r < n; ++r) {
        if (p[to_size(r * num + i)] == 0) continue;
        for (Offset c = 0; c < n; ++c) {
          const long double term =
              static_cast<long double>(p[to_size(r * num + i)]) * m[to_size(r * n + c)] * p[to_size(c * num + j)];
          sum += term, size += std::abs(term);
        }
      }
      ASSERT_LE(std::abs(static_cast<double>(sum) - coarse[to_size(i * num + j)]), 200 * eps<double> * double(size))
          << i << ' ' << j;
    }
  for (Index r = 0; r < made.coarse.num_rows; ++r)
    for (Offset s = made.coarse.row_begin(r) + 1; s < made.coarse.row_begin(r + 1); ++s)
      ASSERT_LT(made.coarse.cols.data()[s - 1], made.coarse.cols.data()[s]);
}

TEST(MultigridProlongator, KeepsConstantsWhereRowsAddUpToZero) {
  Csr<double> a = neumann_grid(21, 17);
  for (Index r = 0; r < a.num_rows; ++r)  // couplings along y are weak, and go into the diagonal
    for (Offset s = a.row_begin(r); s < a.row_begin(r + 1); ++s)
      if (std::abs(a.cols.data()[s] - r) == 21) a.vals.data()[s] = -1e-3;
  for (Index r = 0; r < a.num_rows; ++r) {
    double sum = 0;
    for (Offset s = a.row_begin(r); s < a.row_begin(r + 1); ++s)
      if (a.cols.data()[s] != r) sum += a.vals.data()[s];
    for (Offset s = a.row_begin(r); s < a.row_begin(r + 1); ++s)
      if (a.cols.data()[s] == r) a.vals.data()[s] = -sum;
  }
  const TwoLevels made(a, {}, 0.08, 0.6);
  const std::vector<double> p = made.dense_p();
  const Offset num = made.aggregates.num;
  for (Index r = 0; r < a.num_rows; ++r) {
    double sum = 0;
    for (Offset k = 0; k < num; ++k) sum += p[to_size(r * num + k)];
    EXPECT_NEAR(sum, 1, 1e-14);
    for (Index i = 0; i < made.p->pattern.length(r); ++i) {  // columns of nodes of the same line only
      const Index aggregate = made.p->pattern.row(r)[i];
      for (Index other = 0; other < a.num_rows; ++other)
        if (made.aggregates.of.data()[other] == aggregate) {
          EXPECT_EQ(other / 21, r / 21);
        }
    }
  }
}

TEST(MultigridTentative, MapsCoarseVectorsToFineOnes) {
  const Csr<double> a = blown_up(neumann_grid(12, 9), 2);
  const NearNull<double> near_null = given(2, 3, a.num_rows, 5);
  const TwoLevels made(a, near_null, 0.0, 0.0);
  const std::vector<double> p = made.dense_p();
  const Offset num = made.coarse.num_rows;
  for (Offset r = 0; r < a.num_rows; ++r)
    for (Index k = 0; k < 3; ++k) {
      double sum = 0;
      for (Offset c = 0; c < num; ++c) sum += p[to_size(r * num + c)] * made.tentative.coarse.vectors.data()[c * 3 + k];
      EXPECT_NEAR(sum, near_null.vectors.data()[r * 3 + k], 1e-13);
    }
  // One vector that is given twice: its second column is nothing.
  NearNull<double> twice{2, 2, Array<double>(Offset{a.num_rows} * 2, 1.0)};
  Queue queue;
  const Tentative<double> flat = make_tentative(queue, made.aggregates, twice);
  for (Offset r = 0; r < a.num_rows; ++r) EXPECT_EQ(flat.values.data()[2 * r + 1], 0.0);
}

TEST(MultigridGalerkin, IsTheProductOfThree) {
  const Csr<double> grid = gallery::make("laplace2d9:14"), odd = grid_matrix<double>(15, 11, 3, false, false);
  expect_galerkin(TwoLevels(grid, {}, 0.08, 0.5), grid);
  expect_galerkin(TwoLevels(odd, {}, 0.0, 0.4), odd);  // not symmetric, columns in no order
  expect_galerkin(TwoLevels(odd, {}, 0.05, 0.0), odd);
  expect_galerkin(TwoLevels(odd, {}, 0.3, 0.4, 1, Smoothing::full), odd);
  expect_galerkin(TwoLevels(grid, given(1, 2, grid.num_rows, 8), 0.08, 0.5), grid);
  const Csr<double> blocks = blown_up(neumann_grid(9, 7), 2);
  expect_galerkin(TwoLevels(blocks, {2, 2, {}}, 0.0, 0.3), blocks);
  expect_galerkin(TwoLevels(blocks, given(2, 3, blocks.num_rows, 9), 0.0, 0.3), blocks);
}

TEST(MultigridGalerkin, HasTheSameBitsForAnyThreadsAndAfterNewValues) {
  const Csr<double> a = gallery::make("laplace3d7:20");
  const TwoLevels one(a, {}, 0.08, 0.66);
  TwoLevels many(a, {}, 0.08, 0.66, 4);
  EXPECT_EQ(one.coarse.vals.to_vector(), many.coarse.vals.to_vector());
  EXPECT_EQ(one.coarse.cols.to_vector(), many.coarse.cols.to_vector());
  Csr<double> b = a.clone();
  for (Offset s = 0; s < b.num_entries(); ++s) b.vals.data()[s] *= 1 + 0.01 * static_cast<double>(s % 7);
  Queue queue(Device::host(), 3);
  many.update(queue, b, 0.5);
  many.update(queue, a, 0.66);
  EXPECT_EQ(one.coarse.vals.to_vector(), many.coarse.vals.to_vector());
}

/// Both directions, in CSR and in dense blocks.
void expect_transfer(Index block, Index num) {
  SCOPED_TRACE(join("blocks of ", block, " x ", num));
  const Csr<double> a = blown_up(neumann_grid(15, 14), block);
  TwoLevels made(a, given(block, num, a.num_rows, 4), 0.0, 0.3);
  Queue queue(Device::host(), 2);
  const auto transfer = make_transfer(queue, *made.p, made.galerkin);
  const auto n = a.num_rows, num_coarse = made.coarse.num_rows;
  EXPECT_EQ(transfer->prolongation().shape(), (Shape{n, num_coarse}));
  EXPECT_EQ(transfer->restriction().shape(), (Shape{num_coarse, n}));
  const auto e = random_vector<double>(num_coarse, 1), r = random_vector<double>(n, 2);
  for (const double omega : {0.3, 0.2}) {
    made.update(queue, a, omega);
    transfer->update(queue, *made.p, made.galerkin);
    const auto p = made.dense_p();
    auto fine = apply_to<double>(transfer->prolongation(), e, 2),
         coarse = apply_to<double>(transfer->restriction(), r, 2);
    for (Offset i = 0; i < n; ++i)
      for (Offset k = 0; k < num_coarse; ++k)
        fine[to_size(i)] -= p[to_size(i * num_coarse + k)] * e[to_size(k)],
            coarse[to_size(k)] -= p[to_size(i * num_coarse + k)] * r[to_size(i)];
    for (const double left : fine) EXPECT_NEAR(left, 0, 1e-13);
    for (const double left : coarse) EXPECT_NEAR(left, 0, 1e-12);
  }
  for (const Operator<double>* op : {&transfer->prolongation(), &transfer->restriction()}) {
    const auto x = random_vector<double>(op->shape().cols, 3), old = random_vector<double>(op->shape().rows, 4);
    std::vector<double> y = old;
    op->apply(queue, {.alpha = 2, .x = x, .beta = -0.5, .y = y});
    const auto plain = apply_to<double>(*op, x, 1);
    EXPECT_EQ(apply_to<double>(*op, x, 3), plain);
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], 2 * plain[i] - 0.5 * old[i], 1e-13);
    EXPECT_GE(op->traffic().total(), static_cast<double>(made.p->values.bytes()));
    EXPECT_GT(op->traffic(1, true).vectors, op->traffic().vectors);
  }
  const std::int64_t values = made.p->values.bytes();
  EXPECT_GE(transfer->bytes(), 2 * values);
  EXPECT_EQ(transfer->shared_bytes() >= values, has_dense_transfer(block, num));
}

TEST(MultigridTransfer, IsTheProlongatorAndItsTranspose) {
  for (const auto& [block, num] : {std::pair{1, 1}, {2, 2}, {2, 3}, {3, 3}, {3, 6}, {6, 6}, {2, 5}, {4, 4}})
    expect_transfer(block, num);
  EXPECT_TRUE(has_dense_transfer(3, 6));
  EXPECT_FALSE(has_dense_transfer(1, 1));
}

}  // namespace
}  // namespace millrace::testing
