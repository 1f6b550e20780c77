// Slices whose rows and columns are brought into a better order inside, and values by a dictionary.
#include "support.hpp"

namespace millrace::testing {
namespace {

/// A square banded matrix, renumbered at random; the last rows are empty.
Csr<double> shuffled(Index n, std::uint64_t seed) {
  Csr<double> a = banded_csr<double>(n, n, 4, seed);
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = static_cast<Index>((Offset{i} * 7919) % n);
  return permute(a, order, order);
}

std::vector<double> product(const SparseMatrix<double>& m, std::span<const double> x, Op op = Op::none, double beta = 0,
                            int num_vectors = 1) {
  const Device device = m.device();
  Queue queue(device);
  const auto rows = static_cast<std::int64_t>(std::ssize(x));
  const Array<double> x_there = Array<double>(x).to(device);
  Array<double> y = Array<double>(rows, beta == 0 ? std::numeric_limits<double>::quiet_NaN() : 1.0).to(device);
  m.apply(queue, {.x = Vectors<const double>(device, x_there.data(), rows / num_vectors, num_vectors),
                  .beta = beta,
                  .y = Vectors<double>(device, y.data(), rows / num_vectors, num_vectors),
                  .op = op});
  queue.wait();
  return y.to_vector();
}

void check_ordered(Device device) {
  for (const Index n : {1, 31, 33, 1000}) {
    const Csr<double> a = shuffled(n, 3);
    const std::vector<double> x = random_vector<double>(n, 5), y(static_cast<std::size_t>(n), 1.0);
    for (const char* spec : {"sell-32-1-rcm", "sell-8-64-rcm", "sell-32-1-full-rcm"}) {
      SparseMatrix<double> m(a, spec);
      m.prepare_transpose();
      m = m.to(device);
      for (const Op op : {Op::none, Op::transpose})
        expect_within<double>(reference<double>(a, op, 1.0, x, 2.0, y), product(m, x, op, 2.0), spec);
      expect_same(sort_rows(m.to_csr()), sort_rows(a), spec);
      std::vector<double> two = x;
      two.insert(two.end(), x.begin(), x.end());
      const std::vector<double> one = product(m, x), both = product(m, two, Op::none, 0, 2);
      EXPECT_TRUE(same_bits<double>(std::span(both).first(one.size()), one)) << spec;
      EXPECT_TRUE(same_bits<double>(std::span(both).last(one.size()), one)) << spec;

      Csr<double> other = a.clone();
      for (Offset k = 0; k < other.num_entries(); ++k) other.vals.data()[k] = 1.0 + 0.25 * static_cast<double>(k % 9);
      Queue queue(device);
      m.update_values(queue, other.to(device));
      queue.wait();
      expect_within<double>(reference<double>(other, Op::none, 1.0, x, 0.0, y), product(m, x), spec);
    }
  }
}

TEST(PaddedOrder, ReorderedSlicesAreTheSameMatrix) { check_ordered(Device::host()); }
TEST(GpuPaddedOrder, ReorderedSlicesAreTheSameMatrix) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  check_ordered(Device::gpu());
}

TEST(PaddedOrder, ColumnsComeCloseTogether) {
  const Csr<double> a = shuffled(100000, 7);
  EXPECT_EQ(SparseMatrix<double>(a, "sell-32-1").details(), "2-byte columns");
  EXPECT_EQ(SparseMatrix<double>(a, "sell-32-1-rcm").details(), "1-byte columns, in reverse Cuthill-McKee order");
}

TEST(PaddedOrder, OnlySquareMatricesWithoutRepeatedColumns) {
  EXPECT_NE(error_of([] { SparseMatrix<double>(banded_csr<double>(5, 6, 1, 1), "sell-32-1-rcm"); }).find("5 x 6"),
            std::string::npos);
  EXPECT_NE(error_of([] { SparseMatrix<double>(banded_csr<double>(5, 5, 1, 1), "pjds-rcm"); }).find("pjds takes"),
            std::string::npos);
}

Csr<double> with_few_values(Index n, Index different) {
  Csr<double> a = banded_csr<double>(n, n, 6, 9);
  for (Offset k = 0; k < a.num_entries(); ++k)
    a.vals.data()[k] = std::sqrt(static_cast<double>(k * 31 % different) + 1.5);  // no floats
  return a;
}

void check_dictionary(Device device) {
  const Csr<double> a = with_few_values(700, 255);  // and the zero of the padding
  const std::vector<double> x = random_vector<double>(700, 4);
  for (const char* name : {"sell-32-1", "rgcsr-32", "pjds", "ellr"}) {
    SparseMatrix<double> m(a, std::string(name) + "-dict"), full(a, std::string(name) + "-full");
    EXPECT_NE(m.details().find("a dictionary of 25"), std::string::npos) << name << ": " << m.details();
    EXPECT_LT(m.footprint().bytes, full.footprint().bytes * 5 / 12) << name;
    expect_same(sort_rows(m.to_csr()), sort_rows(a), name);
    m.prepare_transpose();
    m = m.to(device), full = full.to(device);
    EXPECT_TRUE(same_bits<double>(product(m, x), product(full, x))) << name;
    const std::vector<double> y(700);
    expect_within<double>(reference<double>(a, Op::transpose, 1.0, x, 0.0, y), product(m, x, Op::transpose), name);
    const Csr<double> many = with_few_values(700, 1000);  // too many: they are stored as they are
    Queue queue(device);
    m.update_values(queue, many.to(device));
    queue.wait();
    expect_within<double>(reference<double>(many, Op::none, 1.0, x, 0.0, y), product(m, x), name);
  }
}

TEST(Dictionary, TheSameBitsAsFullValues) { check_dictionary(Device::host()); }
TEST(GpuDictionary, TheSameBitsAsFullValues) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  check_dictionary(Device::gpu());
}

TEST(Dictionary, TwoBytesBeyond256ValuesAndNoneBeyond65536) {
  const SparseMatrix<double> some(with_few_values(700, 1000), "sell-32-1-dict");
  EXPECT_NE(some.details().find("a dictionary of 1001 values"), std::string::npos) << some.details();
  expect_same(sort_rows(some.to_csr()), sort_rows(with_few_values(700, 1000)));
  const SparseMatrix<double> many(with_few_values(20000, 70000), "sell-32-1-dict");
  EXPECT_EQ(many.details().find("dictionary"), std::string::npos) << many.details();
  EXPECT_NE(error_of([] { SparseMatrix<double>(with_few_values(9, 2), "sell-32-1-dict-full"); }).find("contradict"),
            std::string::npos);
}

}  // namespace
}  // namespace millrace::testing
