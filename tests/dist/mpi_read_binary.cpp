// .mrx files on ranks against the reader for one. Part of the program test_mpi.
#include "dist/shared_folder.hpp"
#include "expect.hpp"
#include "millrace/dist/partition.hpp"
#include "millrace/dist/read.hpp"
#include "millrace/dist/read_binary.hpp"
#include "millrace/io/matrix_file.hpp"
#include "millrace/sparse/gallery.hpp"

namespace millrace::testing {
namespace {

template <class T>
void expect_part(const Comm& comm, const GlobalRows<T>& found, const Csr<T>& whole, std::int64_t multiple) {
  const Partition parts = by_rows(whole.num_rows, comm.size(), multiple);
  const GlobalRows<T> wanted = rows_of(whole, parts.begin(comm.rank()), parts.end(comm.rank()));
  EXPECT_EQ(found.first, wanted.first);
  EXPECT_EQ(found.num_cols, wanted.num_cols);
  EXPECT_EQ(found.row_ptr.to_vector(), wanted.row_ptr.to_vector());
  EXPECT_EQ(found.cols.to_vector(), wanted.cols.to_vector());
  EXPECT_TRUE(same_bits<T>(found.vals.span(), wanted.vals.span()));
}

template <class T>
class MpiReadBinary : public ::testing::Test {};
using AllScalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MpiReadBinary, AllScalars);

TYPED_TEST(MpiReadBinary, EachRankHasItsRows) {
  using T = TypeParam;
  const Comm world = Comm::world();
  const SharedFolder folder(world);
  for (const char* spec : {"laplace2d5:n=250", "poisson2d5:n=3", "poisson2d5:n=1"}) {  // several chunks, and few rows
    const Csr<T> whole = convert_values<T>(gallery::make(spec));
    const auto path = folder.file("a.mrx", [&](const auto& p) { write_binary(p, whole); });
    for (const std::int64_t multiple : {1, 4096}) {
      SCOPED_TRACE(join(spec, ", ", multiple));
      expect_part(world, read_binary_rows<T>(world, path, {.num_threads = 2}, multiple), whole, multiple);
      std::visit(
          [&]<class U>(const GlobalRows<U>& rows) {
            EXPECT_EQ(is_complex<U>, is_complex<T>);
            if constexpr (is_complex<U> == is_complex<T>) expect_part(world, rows, convert_values<U>(whole), multiple);
          },
          read_rows(world, path, {}, multiple));
    }
  }
  const Csr<T> empty(0, 4, Array<Offset>{0}, Array<Index>(), Array<T>());
  expect_part(world, read_binary_rows<T>(world, folder.file("a.mrx", [&](const auto& p) { write_binary(p, empty); })),
              empty, 1);
}

TEST(MpiReadBinaryErrors, DamageIsAnErrorOnAllRanks) {
  const Comm world = Comm::world();
  const SharedFolder folder(world);
  const Csr<double> whole = gallery::make("poisson2d5:n=250");  // 312,500 entries less the border: 2.5 MB of values
  const auto path = folder.file("a.mrx", [&](const auto& p) { write_binary(p, whole); });
  const std::string bytes = test::load(path);
  const auto compare = [&](const std::string& damaged) {
    folder.file("a.mrx", [&](const auto& p) { test::save(p, damaged); });
    const std::string found = error_of<IoError>([&] { read_rows(world, path); });
    EXPECT_EQ(found, error_of<IoError>([&] { read_matrix(path); }));
    return found;
  };
  for (const std::size_t at : {std::size_t{3}, std::size_t{60}, std::size_t{200}, bytes.size() / 12, bytes.size() / 3,
                               bytes.size() / 2, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    compare(damaged);
  }
  compare(bytes.substr(0, bytes.size() / 2));
  compare(bytes + "x");
  EXPECT_NE(error_of<IoError>([&] { read_binary_rows<float>(world, path); }).find(": "), std::string::npos);
}

// Right checksums around a matrix that is none.
TEST(MpiReadBinaryErrors, InconsistentContents) {
  const Comm world = Comm::world();
  const SharedFolder folder(world);
  const auto compare = [&](const std::function<void(Csr<double>&)>& change) {
    const auto path = folder.file("a.mrx", [&](const auto& p) {
      Csr<double> a = gallery::make("poisson2d5:n=5");
      change(a);
      write_binary(p, a);
    });
    const std::string found = error_of<IoError>([&] { read_rows(world, path); });
    EXPECT_EQ(found, error_of<IoError>([&] { read_matrix(path); }));
  };
  const auto offsets = [](Csr<double>& a) { return std::get<Array<std::int32_t>>(a.row_ptr).data(); };
  compare([&](Csr<double>& a) { offsets(a)[0] = 1; });
  compare([&](Csr<double>& a) { offsets(a)[25] -= 1; });
  compare([&](Csr<double>& a) { offsets(a)[20] = 3, offsets(a)[8] = 1; });
  compare([&](Csr<double>& a) { offsets(a)[20] = 3000; });
  compare([&](Csr<double>& a) { a.cols.data()[100] = 25, a.cols.data()[40] = -1; });
}

TEST(MpiReadBinaryErrors, ZerosAndLimits) {
  const Comm world = Comm::world();
  const SharedFolder folder(world);
  Csr<double> whole = gallery::make("poisson2d5:n=9");
  for (Offset s = 0; s < whole.num_entries(); s += 3) whole.vals.data()[s] = s % 2 ? 0.0 : -0.0;
  const auto path = folder.file("a.mrx", [&](const auto& p) { write_binary(p, whole); });
  const ReadOptions dropped{.keep_explicit_zeros = false};
  expect_part(world, std::get<0>(read_rows(world, path, dropped)), std::get<0>(read_matrix(path, dropped)), 1);
  const ReadOptions small{.max_memory = 10};
  EXPECT_EQ(error_of<IoError>([&] { read_rows(world, path, small); }),
            error_of<IoError>([&] { read_matrix(path, small); }));
}

}  // namespace
}  // namespace millrace::testing
