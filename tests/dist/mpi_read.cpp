// Matrix Market files on ranks against the reader for one. Part of the program test_mpi.
#include "millrace/dist/read.hpp"

#include "dist/shared_folder.hpp"
#include "expect.hpp"
#include "millrace/base/together.hpp"
#include "millrace/dist/partition.hpp"
#include "millrace/dist/read_market.hpp"
#include "millrace/io/matrix_file.hpp"

namespace millrace::testing {
namespace {

using namespace std::string_literals;
constexpr const char* ends[] = {".mtx", ".mtx.gz", ".mtx.xz"};
const std::string real = "%%MatrixMarket matrix coordinate real general\n";

/// The text of the error that f throws, none: "".
template <class F>
std::string text_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

template <class T>
bool is_part_of(const Comm& comm, const GlobalRows<T>& found, const Csr<T>& whole, std::int64_t multiple = 1) {
  const Partition parts = by_rows(whole.num_rows, comm.size(), multiple);
  const GlobalRows<T> wanted = rows_of(whole, parts.begin(comm.rank()), parts.end(comm.rank()));
  return found.first == wanted.first && found.num_cols == wanted.num_cols &&
         found.row_ptr.to_vector() == wanted.row_ptr.to_vector() && found.cols.to_vector() == wanted.cols.to_vector() &&
         same_bits<T>(found.vals.span(), wanted.vals.span());
}

// All ranks against one: the same rows, or the same text of an error. Pieces of several sizes.
void compare(const Comm& comm, const std::filesystem::path& path, const ReadOptions& options,
             std::initializer_list<std::int64_t> sizes) {
  AnyCsr whole;
  const std::string error = text_of([&] { whole = read_matrix(path, options); });
  for (const std::int64_t size : sizes) {
    SCOPED_TRACE(join(path.string(), ", pieces of ", size, options.strict ? ", strict" : ""));
    const std::string found = text_of([&] {
      MarketFile file(comm, path, options, size);
      const auto read = [&]<class T>(T) {
        const GlobalRows<T> rows = file.read_rows<T>();
        EXPECT_TRUE(error.empty() && is_part_of(comm, rows, std::get<Csr<T>>(whole)));
      };
      if (file.header().field == MmField::complex)
        read(std::complex<double>());
      else
        read(double());
    });
    EXPECT_EQ(found, error);
  }
}

void compare_text(const SharedFolder& folder, const Comm& comm, const std::string& text) {
  for (const char* end : ends) {
    if (!test::supported(end)) continue;
    const std::filesystem::path path = folder.text(join("a", end), text);
    compare(comm, path, {}, {9, 1 << 20});
    compare(comm, path, {.strict = true, .keep_explicit_zeros = false}, {25});
  }
}

TEST(MpiRead, EveryKindOfText) {
  const Comm world = Comm::world();
  const SharedFolder folder(world);
  const std::string mm = "%%MatrixMarket matrix ";
  for (const std::string& text : std::vector<std::string>{
           real + "% c\n4 5 6\n1 1 1.5\r\n\n  2 5  -2e-3 \n% between\n3 1 7\n\t4 4 1\n4 4 1\n1 2 12345678901234567",
           real + "3 3 7\n2 2 1e16\n2 2 1\n1 1 3\n2 2 -1e16\n2 2 1\n3 3 0\n2 2 0.1\n",
           mm + "coordinate real symmetric\n5 5 6\n1 1 .1\n2 1 .2\n1 2 .3\n5 1 1e-9\n2 1 1e17\n5 4 2\n",
           mm + "coordinate integer skew-symmetric\n4 4 3\n2 1 5\n4 1 -7\n1 4 3\n",
           mm + "coordinate complex hermitian\n3 3 4\n1 1 3 0\n2 1 1 -2\n3 2 0 1e20\n2 3 1 1\n",
           mm + "coordinate pattern symmetric\n6 6 5\n1 1\n6 1\n5 2\n% p\n4 3\n6 6\n",
           mm + "coordinate complex general\n2 9 3\n1 9 1 2\n2 1 -3 .5\n1 9 1 2\n",
           mm + "array real general\n3 2\n1 2\n\n%\n3\n4 5 6\n", mm + "array real symmetric\n3 3\n1 2\n\n%\n3 4 5\n6",
           mm + "array integer skew-symmetric\n4 4\n1\n2\n3\n4\n5\n6\n",
           mm + "array complex hermitian\n2 2\n1 0\n1 1 3 0\n",
           "%matrixmarket vector array real general\n5\n1 2 3\n4\n5\n",
           "%%MatrixMarket vector coordinate real general\n5 2\n4 1\n2 7\n", real + "0 0 0", real + "0 5 0\n",
           real + "5 0 0\n", real + "1 1 1\n1 1 5", mm + "array real general\n3 0\n",
           "\xef\xbb\xbf" + real + "2 2 1\n2 1 1\n" + std::string(100, '\n')}) {
    compare_text(folder, world, text);
  }
}

// Ranges and pieces that begin anywhere in a line.
TEST(MpiRead, EverySplit) {
  const Comm world = Comm::world();
  const SharedFolder folder(world);
  std::string body = "1 1 1.5\r\n\n  2 5  -2e-3 \n% between\n3 1 7\n\t4 4 1\n4 4 1\n1 2 12345678901234567";
  for (int k = 0; k < 12; ++k) {
    compare(world, folder.text("a.mtx", real + "4 5 6\n" + body), {}, {1 + 3 * k});
    body.insert(0, k % 3 == 0 ? "\n" : "%x\n");
  }
}

TEST(MpiRead, TheFirstBadLineIsNamedOnAllRanks) {
  const Comm world = Comm::world();
  const SharedFolder folder(world);
  const std::string mm = "%%MatrixMarket matrix ";
  std::string two = real + "9 9 40\n";
  for (int line = 3; line < 43; ++line) two += line == 20 ? "1 10 1\n" : line == 31 ? "x\n" : "1 1 1\n";
  std::string late = real + "9 9 40\n";
  for (int line = 3; line < 43; ++line) late += line == 41 ? "1 1 1 1\n" : "1 1 1\n";
  for (const std::string& text : {two,
                                  late,
                                  real + "9 9 2\n1 1 1\n\n%\n1 1 1\n1 1 1\nx\n",
                                  real + "9 9 9\n1 1 1\n\n%\n1 1 1\n2 2 2\n\n",
                                  real + "9 9 9\n1 1 1\n\n%\n1 1 1\n2 2 2",
                                  real + "9 9 2\n1 1 1\nx\n2 2 2\n3 3 3\n",
                                  real + "2 2 1\n",
                                  real + "2 2 1",
                                  real + "2 2\n1 1 1\n",
                                  real + "%\n\n",
                                  std::string(),
                                  std::string("\n"),
                                  std::string("hello\n"),
                                  real + "2 2 1\n1 1 1 % c\n",
                                  real + "2 2 1\n1 1 1\0 \n"s,
                                  real + "2 2 1\n1 \r1 1\n",
                                  real + "2 2 2\n1 1 1e308\n1 1 1e400\n",
                                  real + "1 1 2\n1 1 1e308\n1 1 1e308\n",
                                  mm + "array real general\n2 2\n1 2 3\n4 5\n6\n",
                                  mm + "array real general\n2 2\n1 2\n\n",
                                  mm + "array complex general\n2 2\n1 2\n3 4 5\n6 7\n",
                                  mm + "array complex hermitian\n2 2\n1 0\n1 1\n\n1 1\n",
                                  mm + "array complex hermitian\n2 2\n1 5\n1 1\n\n1 x\n",
                                  mm + "array complex hermitian\n2 2\n1 5\n1 1\n",
                                  mm + "coordinate real skew-symmetric\n3 3 2\n2 1 1\n2 2 1\n",
                                  real + "2000000000 2 1\n1 1 1\n",
                                  real + "2000000000 2 1\n1 1 x\n"}) {
    compare_text(folder, world, text);
  }
}

TEST(MpiRead, ManyEntriesAndDamage) {
  const Comm world = Comm::world();
  const SharedFolder folder(world);
  test::Numbers numbers;
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n300 300 20000\n";
  for (int k = 0; k < 20000; ++k)
    text += join(numbers.below(300) + 1, ' ', numbers.below(300) + 1, ' ', 0.001 * numbers.below(1000000), '\n');
  for (const char* end : ends) {
    if (!test::supported(end)) continue;
    const std::filesystem::path path = folder.text(join("a", end), text);
    compare(world, path, {}, {5000, 1 << 20});
    compare(world, path, {.num_threads = 2, .max_memory = 200'000}, {1 << 16});
    std::vector<double> seen;
    const AnyRows rows = read_rows(world, path, {.progress = [&](double f) { seen.push_back(f); }}, 64);
    EXPECT_TRUE(is_part_of(world, std::get<0>(rows), std::get<0>(read_matrix(path)), 64));
    EXPECT_TRUE(world.rank() == 0 ? !seen.empty() && seen.back() == 1 && std::ranges::is_sorted(seen) : seen.empty());
    const std::string whole = test::load(path);
    for (const std::size_t at : {whole.size() / 9, whole.size() / 2, whole.size() - 5}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 16);
      const auto save = [&](std::string_view bytes) {
        folder.file(join("a", end), [&](const std::filesystem::path& p) { test::save(p, bytes); });
      };
      save(damaged);
      compare(world, path, {}, {3000});
      save(whole.substr(0, at));
      compare(world, path, {}, {3000});
      save(whole);
    }
  }
}

TEST(MpiRead, NamesAndFilesThatAreNot) {
  const Comm world = Comm::world();
  for (const char* name : {"/nowhere/a.mtx", "/nowhere/a.mtx.gz", "/nowhere/a.mrx", "/nowhere/a.txt", "/tmp.mtx"}) {
    const std::string found = error_of<IoError>([&] { read_rows(world, name); });
    EXPECT_EQ(found, error_of<IoError>([&] { read_matrix(name); }));
    if (world.size() > 1) {
      EXPECT_THROW(read_rows(world, name), OnAllRanks);
    }
  }
}

// Some of the real and all of the odd files; the readers for one rank meet all of them.
TEST(MpiRead, DataFiles) {
  if (test::data_folder().empty()) GTEST_SKIP() << "MILLRACE_DATA does not name the folder of test matrices";
  const Comm world = Comm::world();
  const auto odd = test::data_folder() / "mtx_odd";
  for (const auto& line : test::read_table(odd / "mtx_odd.tsv"))
    if (line[0].ends_with(".mtx") || line[0].ends_with("z"))
      for (const bool strict : {false, true}) compare(world, odd / line[0], {.strict = strict}, {100});
  if (!test::supported("a.xz")) return;
  const auto table = test::read_table(test::data_folder() / "matrices" / "matrices.tsv");
  for (std::size_t line = 1; line < table.size(); line += 40)
    compare(world, test::data_folder() / "matrices" / (table[line][0] + ".mtx.xz"), {}, {20'000});
}

}  // namespace
}  // namespace millrace::testing
