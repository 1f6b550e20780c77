// A few bytes that claim much: rows, columns and packed data are refused before memory is taken, with the figure.
#include "millrace/io/memory_limit.hpp"

#include "io/io_tools.hpp"
#include "millrace/io/binary.hpp"
#include "millrace/io/gmsh.hpp"
#include "millrace/io/matrix_file.hpp"

namespace millrace {
namespace {

constexpr const char* coordinate_head = "%%MatrixMarket matrix coordinate real general\n";

void save(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(MemoryLimit, IsOneGigabyteOrFiftyTimesTheFileOrWhatIsAllowed) {
  EXPECT_EQ(memory_limit(100, 0), 1'000'000'000);
  EXPECT_EQ(memory_limit(100'000'000, 0), 5'000'000'000);
  EXPECT_EQ(memory_limit(100, 7), 7);
  EXPECT_NO_THROW(require_memory("f", "rows", 1e9, 100, 0));
  EXPECT_EQ(test::error_of([] { require_memory("f:2", "3 rows", 2e9, 100, 0); }),
            "f:2: 3 rows need 2.00 GB, for a file of 100 B; up to 1.00 GB are taken unless a limit on memory "
            "(--max-memory) allows more");
  EXPECT_EQ(test::error_of([] { require_memory("f:2", "3 rows", 2e6, 100, 1'000'000); }),
            "f:2: 3 rows need 2.00 MB; the limit is 1.00 MB");
}

TEST(MemoryLimit, RowsAndColumnsOfTinyFiles) {
  const test::TempFolder folder;
  const auto file = folder / "a.mtx";
  for (const auto& [rows, cols] : {std::pair("1000000", "1"), {"1", "1000000"}}) {
    save(file, std::string(coordinate_head) + rows + " " + cols + " 0\n");
    EXPECT_EQ(std::visit([](const auto& a) { return a.num_entries(); }, read_matrix(file)), 0);
    const std::string text = test::error_of([&] { read_matrix(file, {.max_memory = 10'000'000}); });
    EXPECT_NE(text.find("MB; the limit is 10.0 MB"), text.npos) << text;
  }
  save(file, std::string(coordinate_head) + "60000000 1 0\n");
  EXPECT_NE(test::error_of([&] { read_matrix(file); }).find("a.mtx:2: 60000000 rows and 1 columns need 2.16 GB"),
            std::string::npos);
}

TEST(MemoryLimit, ColumnsOfABinaryFile) {
  const test::TempFolder folder;
  const auto file = folder / "a.mrx";
  write_binary(file, Csr<double>(1, 2147483647, Array<std::int64_t>({0, 1}), Array<Index>({5}), Array<double>({1})));
  const std::string text = test::error_of([&] { read_matrix(file); });
  EXPECT_NE(text.find("2147483647 columns need 34.4 GB"), text.npos) << text;
}

TEST(MemoryLimit, PackedDataThatGrows) {
  const test::TempFolder folder;
  const std::string blank(20'000'000, '\n');
  for (const auto& [name, kind] : {std::pair("a.mtx.gz", Compression::gzip), {"a.mtx.xz", Compression::xz}}) {
    std::string packed;
    try {
      packed = pack(kind, std::string(coordinate_head) + blank + "1 1 0\n");
    } catch (const Unsupported&) {
      continue;  // a build without that library
    }
    EXPECT_LT(packed.size(), 50'000u);
    save(folder / name, packed);
    EXPECT_NO_THROW(read_matrix(folder / name));
    const std::string text = test::error_of([&] { read_matrix(folder / name, {.max_memory = 5'000'000}); });
    EXPECT_NE(text.find("unpack to more than 5.00 MB"), text.npos) << text;
    EXPECT_NO_THROW(read_matrix_market_header(folder / name));
    const std::string mesh = std::string(name).replace(2, 3, "msh");
    save(folder / mesh, packed);
    EXPECT_NE(test::error_of([&] { read_gmsh(folder / mesh, 5'000'000); }).find("unpack to more than"),
              std::string::npos);
  }
}

TEST(MemoryLimit, RepeatedEntriesOfAVectorThatOverflow) {
  const test::TempFolder folder;
  const auto file = folder / "b.mrx";
  write_binary(file,
               Csr<double>(1, 1, Array<std::int64_t>({0, 2}), Array<Index>({0, 0}), Array<double>({1e308, 1e308})));
  EXPECT_NE(test::error_of([&] { read_vector<double>(file); }).find("b.mrx: to_csr: repeated entries in row 0"),
            std::string::npos);
}

}  // namespace
}  // namespace millrace
