// Every format of the library on ranks, in every mode, with every operation. Part of the program test_mpi.
#include <sstream>

#include "dist/rank_matrices.hpp"
#include "expect.hpp"
#include "millrace/base/to_size.hpp"
#include "millrace/dist/matrix.hpp"
#include "millrace/sparse/formats.hpp"
#include "millrace/sparse/gallery.hpp"

namespace millrace::testing {
namespace {

// Dense blocks of 4 rows around the diagonal and a far one, so that formats of blocks and of diagonals hold it, too.
template <class T>
Csr<T> blocks_of_four(Index num_blocks) {
  std::vector<Offset> row_ptr{0};
  std::vector<Index> cols;
  std::vector<T> vals;
  for (Index r = 0; r < 4 * num_blocks; ++r) {
    for (const Index b : {r / 4 - 1, r / 4, r / 4 + 1, r / 4 + 5})
      for (Index k = 0; k < 4 && b >= 0 && b < num_blocks; ++k) {
        cols.push_back(4 * b + k);
        vals.push_back(T(static_cast<RealOf<T>>(1 + (r * 7 + b * 5 + k) % 11) / 4));
      }
    row_ptr.push_back(std::ssize(cols));
  }
  return {4 * num_blocks, 4 * num_blocks, Array<Offset>(std::span<const Offset>(row_ptr)),
          Array<Index>(std::span<const Index>(cols)), Array<T>(std::span<const T>(vals))};
}

template <class T>
class MpiFormats : public ::testing::Test {};
using AllScalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MpiFormats, AllScalars);

TYPED_TEST(MpiFormats, MultiplyAsOneRankDoes) {
  using T = TypeParam;
  const Comm world = Comm::world();
  Queue queue(Device::host(), 1);
  const Csr<T> csr = blocks_of_four<T>(23);
  const SparseMatrix<T> serial(csr, "csr");
  const Partition parts = by_rows(csr.num_rows, world.size(), 4);
  const GlobalRows<T> rows = rows_of(csr, parts.begin(world.rank()), parts.end(world.rank()));
  const std::vector<T> x = random_vector<T>(csr.num_rows, 1), y = random_vector<T>(csr.num_rows, 2);
  std::istringstream names(format_names());
  int num_formats = 0;
  for (std::string format; names >> format; ++num_formats)
    for (const Mode mode : {Mode::vector, Mode::overlap, Mode::task})
      for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
        if (mode == Mode::task && !world.serves_threads()) continue;
        SCOPED_TRACE(join(format, ", ", to_text(mode), ", op ", static_cast<int>(op)));
        std::vector<T> expected = y;
        serial.apply(queue, {.alpha = T(2), .x = x, .beta = T(-1), .y = expected, .op = op});
        const DistributedMatrix<T> a(world, rows, {.format = format, .mode = mode});
        const std::vector<T> found = product_on_ranks(a, x, y, op, 1);
        double worst = 0;
        for (std::size_t i = 0; i < found.size(); ++i)
          worst = std::max<double>(worst, std::abs(found[i] - expected[i + to_size(rows.first)]));
        EXPECT_LT(worst, sizeof(RealOf<T>) == 4 ? 1e-4 : 1e-12);
      }
  EXPECT_GE(num_formats, 10);
}

}  // namespace
}  // namespace millrace::testing
