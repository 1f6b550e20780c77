// Every real matrix in every format that can hold it: the product within its bound, and back to the same entries.
#include "command.hpp"
#include "io/io_tools.hpp"
#include "millrace/bench/random.hpp"
#include "millrace/bench/reference.hpp"
#include "millrace/io/matrix_file.hpp"
#include "support.hpp"

namespace millrace::testing {
namespace {

constexpr int num_shards = 4;

class DataRealProducts : public ::testing::TestWithParam<int> {};

template <class T>
void check_all_formats(const Csr<T>& a, int& refused) {
  std::vector<T> x(static_cast<std::size_t>(a.num_cols)), y(static_cast<std::size_t>(a.num_rows));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = bench::random_value<T>(7, i);
  const bench::Reference<T> reference(a, x, 1, 2);
  const Csr<T> sorted = sort_rows(a);
  Queue queue(Device::host(), 2);
  for_each_format<T>([&]<class Format>() {
    const std::optional<SparseMatrix<T>> m = in_format(a, Format::name);
    if (!m) {
      ++refused;
      return;
    }
    std::fill(y.begin(), y.end(), T(std::numeric_limits<RealOf<T>>::quiet_NaN()));
    m->apply(queue, {.x = x, .y = y});
    EXPECT_TRUE(reference.check(y).ok()) << Format::name;
    EXPECT_LE(static_cast<double>(m->footprint().bytes), 21.0 * static_cast<double>(a.footprint().bytes) + 64)
        << Format::name;
    expect_same(sorted, fills_up(*m) ? m->to_csr() : sort_rows(m->to_csr()), Format::name);
  });
}

TEST_P(DataRealProducts, EveryFormat) {
  const auto folder = test::data_folder() / "matrices";
  if (test::data_folder().empty()) GTEST_SKIP() << "MILLRACE_DATA does not name the folder of test matrices";
  if (!test::supported("a.xz")) GTEST_SKIP() << "this build has no liblzma";
  const auto table = test::read_table(folder / "matrices.tsv");
  ASSERT_EQ(table.size(), 366u);
  int refused = 0;
  for (std::size_t line = 1; line < table.size(); ++line) {
    if (static_cast<int>(line % num_shards) != GetParam()) continue;
    SCOPED_TRACE(table[line][0]);
    std::visit([&](const auto& a) { check_all_formats(a, refused); },
               read_matrix(folder / (table[line][0] + ".mtx.xz")));
  }
  RecordProperty("refused", refused);
}

INSTANTIATE_TEST_SUITE_P(Shard, DataRealProducts, ::testing::Range(0, num_shards));

}  // namespace
}  // namespace millrace::testing
