// SparseMatrix as an Operator: what it refuses, what it says of itself, and matrices beyond 2^31 entries.
#include <sys/mman.h>
#include <unistd.h>

#include "support.hpp"

namespace millrace::testing {
namespace {

TEST(Matrix, WrongVectorsAreRefused) {
  Queue queue;
  const SparseMatrix<double> m(random_csr<double>(4, 3, 2, 1), "csr");
  std::vector<double> three(3), four(4);
  EXPECT_EQ(error_of([&] { m.apply(queue, {.x = four, .y = four}); }),
            "apply: the operator is 4 x 3, so x needs 3 entries and y 4; they have 4 and 4");
  EXPECT_EQ(error_of([&] { m.apply(queue, {.x = three, .y = four, .op = Op::transpose}); }),
            "apply: the operator is 4 x 3 and transposed, so x needs 4 entries and y 3; they have 3 and 4");
  EXPECT_NE(error_of([&] {
              m.apply(queue, {.x = three, .y = {Device::host(), four.data(), 4, 2}});
            }).find("same number of vectors; they have 1 and 2"),
            std::string::npos);
  std::vector<double> both(8);
  EXPECT_NE(error_of([&] {
              m.apply(queue, {.x = {Device::host(), both.data(), 3}, .y = {Device::host(), both.data() + 2, 4}});
            }).find("share memory"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              m.apply(queue, {.x = three, .y = four, .dot = DotWith::x, .dot_result = both.data()});
            }).find("needs a square operator"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              m.apply(queue, {.x = three, .y = {Device::gpu(), four.data(), 4}});
            }).find("they are on cpu, cpu and gpu:0"),
            std::string::npos);
}

TEST(Matrix, Traffic) {
  const Csr<double> a = random_csr<double>(40, 30, 4, 2);
  const auto nnz = static_cast<double>(a.num_entries());
  const Traffic one = SparseMatrix<double>(a, "csr").traffic();
  EXPECT_EQ(one.matrix, 12 * nnz + 41 * 4);
  EXPECT_EQ(one.vectors, 8 * (40 + 30));
  EXPECT_EQ(one.minimum, 8 * nnz + 8 * (40 + 30));
  EXPECT_EQ(SparseMatrix<double>(a, "csr").traffic(3, true).vectors, 3 * 8 * (2 * 40 + 30));
}

TEST(Matrix, UnsortedCooIsSorted) {
  const Coo<double> a{3, 3, Array<Index>({2, 0, 2}), Array<Index>({0, 1, 0}), Array<double>({1, 2, 3})};
  const SparseMatrix<double> m((AnyFormat<double>(a.to(Device::host()))));
  Queue queue;
  const std::vector<double> x{10, 100, 1000};
  std::vector<double> y(3);
  m.apply(queue, {.x = x, .y = y});
  EXPECT_EQ(y, (std::vector<double>{200, 0, 40}));
}

TEST(Matrix, OtherPatternIsRefusedByUpdateValues) {
  Queue queue;
  SparseMatrix<double> m(random_csr<double>(10, 10, 3, 1), "sell");
  EXPECT_NE(error_of([&] { m.update_values(queue, random_csr<double>(10, 10, 3, 2)); }).find("update_values: "),
            std::string::npos);
}

TEST(Matrix, NoGpuIsSaidClearly) {
  if (num_gpus() > 0) GTEST_SKIP() << "there is a GPU here";
  EXPECT_NE(error_of<Unsupported>([] { Queue queue(Device::gpu()); }).find("was asked for, but this"),
            std::string::npos);
  EXPECT_NE(error_of<Unsupported>([] { parse_device("gpu:0"); }).find("'gpu:0' was asked for, but this"),
            std::string::npos);
}

// The same pages mapped again and again: arrays of more than 2^31 entries in 4 MiB of memory.
class Repeated {
 public:
  Repeated(std::span<const std::byte> pattern, std::int64_t times)
      : bytes_(pattern.size() * static_cast<std::size_t>(times)) {
    const int file = memfd_create("pattern", 0);
    if (write(file, pattern.data(), pattern.size()) != std::ssize(pattern)) throw Error("memfd");
    base_ = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (std::int64_t i = 0; i < times; ++i)
      mmap(static_cast<std::byte*>(base_) + static_cast<std::size_t>(i) * pattern.size(), pattern.size(), PROT_READ,
           MAP_SHARED | MAP_FIXED, file, 0);
    close(file);
  }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;
  ~Repeated() { munmap(base_, bytes_); }
  template <class U>
  DeviceSpan<const U> span() const {
    return {Device::host(), static_cast<const U*>(base_), static_cast<std::int64_t>(bytes_ / sizeof(U))};
  }

 private:
  std::size_t bytes_;
  void* base_;
};

TEST(SlowMatrix, MoreThan2To31Entries) {
  const Index per_pattern = Index{1} << 20, length = Index{1} << 16;
  const std::int64_t times = 2049;  // x 2^20 entries > 2^31
  const Index rows = static_cast<Index>(times * (per_pattern / length));
  std::vector<Index> cols(per_pattern);
  std::vector<float> vals(per_pattern);
  for (Index i = 0; i < per_pattern; ++i) {
    cols[static_cast<std::size_t>(i)] = i % 7;
    vals[static_cast<std::size_t>(i)] = static_cast<float>(i / length);  // row r holds r % 16
  }
  const Repeated all_cols(std::as_bytes(std::span(cols)), times), all_vals(std::as_bytes(std::span(vals)), times);
  Array<std::int64_t> row_ptr(static_cast<std::int64_t>(rows) + 1);
  for (Index r = 0; r <= rows; ++r) row_ptr.data()[r] = static_cast<std::int64_t>(r) * length;
  const SparseMatrix<float> m(Csr<float>::wrap<std::int64_t>(rows, 7, std::as_const(row_ptr).device_span(),
                                                             all_cols.span<Index>(), all_vals.span<float>()));
  EXPECT_GT(m.num_entries(), Offset{1} << 31);
  Queue queue;
  const std::vector<float> x(7, 1.0f);
  std::vector<float> y(static_cast<std::size_t>(rows), -1.0f);
  m.apply(queue, {.x = x, .y = y});
  for (std::size_t r = 0; r < y.size(); ++r)
    ASSERT_EQ(y[r], static_cast<float>(r % 16) * length);  // exact: small integers
}

// The same on a GPU, where 2^31 entries fit: CSR and SELL from repeated copies of one pattern.
TEST(GpuMatrix, MoreThan2To31Entries) {
  if (num_gpus() == 0) GTEST_SKIP() << "no GPU here: this test needs one";
  const Device gpu = Device::gpu();
  const Index length = 512;
  const Index rows = (Index{1} << 22) + 64;
  const Offset entries = static_cast<Offset>(rows) * length, piece = Offset{32} * length;
  std::vector<Index> col_piece(static_cast<std::size_t>(piece));
  for (std::size_t i = 0; i < col_piece.size(); ++i) col_piece[i] = static_cast<Index>(i % 5);
  const Array<Index> cols_there = Array<Index>(std::span<const Index>(col_piece)).to(gpu);
  const Array<float> vals_there = Array<float>(piece, 0.5f).to(gpu);
  Array<Index> cols(gpu, entries);
  Array<float> vals(gpu, entries);
  Queue queue(gpu);
  for (Offset at = 0; at < entries; at += piece) {
    copy_bytes(queue, gpu, cols.data() + at, gpu, cols_there.data(), static_cast<std::size_t>(cols_there.bytes()));
    copy_bytes(queue, gpu, vals.data() + at, gpu, vals_there.data(), static_cast<std::size_t>(vals_there.bytes()));
  }
  queue.wait();
  const Array<float> x = Array<float>(5, 2.0f).to(gpu);
  const auto check = [&](const SparseMatrix<float>& m) {
    Array<float> y(gpu, rows);
    m.apply(queue, {.x = x, .y = y});
    queue.wait();
    for (const float value : y.to_vector()) ASSERT_EQ(value, 512.0f);
  };
  Array<std::int64_t> row_ptr(static_cast<std::int64_t>(rows) + 1);
  for (Index r = 0; r <= rows; ++r) row_ptr.data()[r] = static_cast<std::int64_t>(r) * length;
  const Array<std::int64_t> row_ptr_there = row_ptr.to(gpu);
  check(SparseMatrix<float>(Csr<float>::wrap<std::int64_t>(
      rows, 5, row_ptr_there.device_span(), std::as_const(cols).device_span(), std::as_const(vals).device_span())));
  Sell<float> sell;
  sell.num_rows = rows;
  sell.num_cols = 5;
  sell.entries = entries;
  Array<Offset> slice_ptr(rows / 32 + 1);
  for (Index s = 0; s <= rows / 32; ++s) slice_ptr.data()[s] = static_cast<Offset>(s) * piece;
  sell.layout.slice = 32;
  sell.starts = slice_ptr.to(gpu);
  sell.shortest = Array<Index>(rows / 32, length).to(gpu);
  sell.row_len = Array<Index>(rows, length).to(gpu);
  sell.cols = Columns(std::move(cols));
  sell.vals = StoredValues<float>(std::move(vals));
  check(SparseMatrix<float>(AnyFormat<float>(std::move(sell))));
}

}  // namespace
}  // namespace millrace::testing
