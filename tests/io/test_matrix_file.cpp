// Files by name, and vectors.
#include "millrace/io/matrix_file.hpp"

#include "io/io_tools.hpp"

namespace millrace {
namespace {

using test::error_of;
using Cd = std::complex<double>;

const Csr<double>& real_matrix() {
  static const Csr<double> a(2, 3, Array<std::int32_t>{0, 2, 3}, Array<Index>{0, 2, 1}, Array<double>{1, 0.1, 1e-300});
  return a;
}

TEST(MatrixFile, EveryKindRoundTrips) {
  const test::TempFolder folder;
  const AnyCsr real = real_matrix().clone();
  const AnyCsr complex = convert_values<Cd>(real_matrix());
  for (const char* name : {"a.mtx", "a.mtx.gz", "a.mtx.xz", "a.mrx"}) {
    if (!test::supported(name)) continue;
    write_matrix(folder / name, real);
    const AnyCsr back = read_matrix(folder / name);
    ASSERT_EQ(back.index(), 0u);
    EXPECT_TRUE(test::same_bits(std::get<0>(back), std::get<0>(real)));
    write_matrix(folder / name, complex);
    const AnyCsr back_complex = read_matrix(folder / name);
    ASSERT_EQ(back_complex.index(), 1u);
    EXPECT_TRUE(test::same_bits(std::get<1>(back_complex), std::get<1>(complex)));
  }
}

TEST(MatrixFile, UnknownNames) {
  for (const char* name : {"a.txt", "a", "a.gz", "a.mrx.gz", "mtx"}) {
    const std::string expected = std::string(name) + ": the name does not tell what kind of file this is; known ends " +
                                 "are .mtx .mtx.gz .mtx.xz .mrx";
    EXPECT_EQ(error_of([&] { read_matrix(name); }), expected);
    EXPECT_EQ(error_of([&] { write_matrix(name, real_matrix().clone()); }), expected);
  }
}

TEST(MatrixFile, ExplicitZerosOfBinaryFiles) {
  const test::TempFolder folder;
  Csr<double> a = real_matrix().clone();
  a.vals.data()[1] = 0;
  write_matrix(folder / "a.mrx", a.clone());
  EXPECT_EQ(std::get<0>(read_matrix(folder / "a.mrx")).num_entries(), 3);
  EXPECT_EQ(std::get<0>(read_matrix(folder / "a.mrx", {.keep_explicit_zeros = false})).num_entries(), 2);
}

template <class T>
class VectorFile : public ::testing::Test {};
using Scalars = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(VectorFile, Scalars);

TYPED_TEST(VectorFile, RoundTrip) {
  const test::TempFolder folder;
  std::vector<TypeParam> values = {TypeParam(0), TypeParam(-1), TypeParam(RealOf<TypeParam>(0.1))};
  for (int k = 0; k < 1000; ++k) values.push_back(TypeParam(RealOf<TypeParam>(k)) / TypeParam(RealOf<TypeParam>(7)));
  for (const char* name : {"v.mtx", "v.mtx.gz", "v.mtx.xz"}) {
    if (!test::supported(name)) continue;
    write_vector(folder / name, values, {.comment = "a vector"});
    EXPECT_EQ(read_vector<TypeParam>(folder / name), values);
  }
  write_vector(folder / "v.mtx", std::vector<TypeParam>{});
  EXPECT_TRUE(read_vector<TypeParam>(folder / "v.mtx").empty());
}

TYPED_TEST(VectorFile, SeveralVectors) {
  const test::TempFolder folder;
  std::vector<TypeParam> values;
  for (int k = 0; k < 12; ++k) values.push_back(TypeParam(RealOf<TypeParam>(k - 5)));
  write_vectors<TypeParam>(folder / "v.mtx", values, 3);
  const VectorSet<TypeParam> found = read_vectors<TypeParam>(folder / "v.mtx");
  EXPECT_EQ(found.size, 4);
  EXPECT_EQ(found.num, 3);
  EXPECT_EQ(found.values, values);
  EXPECT_NE(error_of([&] { write_vectors<TypeParam>(folder / "v.mtx", values, 5); }).find("12 numbers are not 5"),
            std::string::npos);
  test::save(folder / "v.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 2\n2 1 5\n1 3 -1\n");
  EXPECT_EQ(
      read_vectors<TypeParam>(folder / "v.mtx").values,
      (std::vector<TypeParam>{TypeParam(0), TypeParam(5), TypeParam(0), TypeParam(0), TypeParam(-1), TypeParam(0)}));
}

TEST(VectorFileKinds, CoordinatesObjectVectorAndRefusals) {
  const test::TempFolder folder;
  const auto file = folder / "v.mtx";
  test::save(file, "%%MatrixMarket matrix coordinate real general\n4 1 2\n2 1 5\n4 1 -1\n");
  EXPECT_EQ(read_vector<double>(file), (std::vector<double>{0, 5, 0, -1}));
  test::save(file, "%%MatrixMarket vector coordinate real general\n4 2\n2 5\n4 -1\n");
  EXPECT_EQ(read_vector<double>(file), (std::vector<double>{0, 5, 0, -1}));
  const auto good = std::filesystem::path(MILLRACE_TEST_DATA) / "good";
  EXPECT_EQ(read_vector<double>(good / "vector.mtx"), (std::vector<double>{1, -2.5, 1e-3}));
  EXPECT_EQ(error_of([&] { read_vector<double>(good / "array.mtx"); }),
            (good / "array.mtx").string() + ": holds a 2 x 3 matrix; a vector is n x 1");
  EXPECT_NE(error_of([&] { write_vector(folder / "v.mrx", std::vector<double>{1}); }), "");
}

}  // namespace
}  // namespace millrace
