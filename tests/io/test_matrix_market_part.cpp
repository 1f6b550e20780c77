// Parts of a Matrix Market text and pieces of a packed one, as many ranks read them.
#include "millrace/io/matrix_market_part.hpp"

#include "io/io_tools.hpp"
#include "millrace/io/matrix_market_expand.hpp"
#include "millrace/io/packed_text.hpp"

namespace millrace {
namespace {

const std::function<void(double)> nobody;

// A part must be followed by a line feed, which is not part of it.
struct Part {
  std::string text;
  std::string_view view() const { return {text.data(), text.size() - 1}; }
};

TEST(MatrixMarketPart, TwoPartsAreTheWhole) {
  const std::string head_text = "%%MatrixMarket matrix array real symmetric\n3 3\n";
  const std::string body = "1 2\r\n\n% no value: 7 8\n3 4 5\n \t\n6\n";
  const MatrixMarketHead head = parse_head(head_text, "text", false);
  for (std::size_t at = 0; at <= body.size(); ++at) {
    if (at > 0 && body[at - 1] != '\n') continue;
    const Part parts[] = {{body.substr(0, at) + '\n'}, {body.substr(at) + '\n'}};
    std::int64_t line = head.size_line + 1, before = 0;
    std::vector<double> values;
    for (const Part& part : parts) {
      const PartCount count = count_part(part.view(), head, {.chunk_bytes = 4});
      const StoredEntries<double> stored = parse_part<double>(part.view(), head, line, {.chunk_bytes = 4}, {nobody});
      EXPECT_EQ(first_fault(stored.chunks, head, before).line, 0);
      for (const TextChunk& chunk : stored.chunks) {
        for_each_entry(stored, chunk, head.header, before, [&](Index row, Index col, double value) {
          if (row >= col) values.push_back(value);
        });
        before += chunk.num_entries;
      }
      line += count.lines;
    }
    EXPECT_EQ(values, (std::vector<double>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(before, 6);
    EXPECT_EQ(line, 9);
  }
}

TEST(MatrixMarketPart, FaultsByTheirLineInTheFile) {
  const MatrixMarketHead head = parse_head("%%MatrixMarket matrix coordinate real general\n9 9 5\n", "text", false);
  const Part part{"1 1 1\n\n2 2 2\n3 10 3\n\n"};
  const auto fault = [&](std::int64_t before) {
    return first_fault(parse_part<double>(part.view(), head, 100, {}, {nobody}).chunks, head, before);
  };
  EXPECT_EQ(count_part(part.view(), head, {}).entries, 3);
  EXPECT_EQ(fault(0).line, 103);
  EXPECT_EQ(fault(0).what, "column 10 is outside 1..9");
  EXPECT_EQ(fault(4).line, 102);
  EXPECT_EQ(fault(4).what, "too many entries: line 2 declares 5");
  EXPECT_EQ(fault(7).line, 100);
  EXPECT_EQ(too_few(head, 3), "too few entries: line 2 declares 5, the file ends after 3");
}

TEST(PackedText, PiecesOfAnySize) {
  const test::TempFolder folder;
  std::string text;
  for (int k = 0; k < 5000; ++k) text += join(k * 7919 % 10007, k % 5 ? ' ' : '\n');
  for (const char* name : {"a.gz", "a.xz"}) {
    if (!test::supported(name)) continue;
    const std::string packed = pack(compression_of(std::filesystem::path(name)), text);
    for (const std::size_t room : {1u, 100u, 1u << 20}) {
      test::save(folder / name, packed + packed);
      PackedText file(folder / name);
      std::string found, some(room, ' ');
      while (!file.done()) found.append(some.data(), file.read(some.data(), room));
      EXPECT_EQ(found, text + text);
      EXPECT_EQ(file.fraction(), 1);
      test::save(folder / name, packed.substr(0, packed.size() / 2));
      PackedText cut(folder / name);
      const auto read_all = [&] {
        while (!cut.done()) cut.read(some.data(), room);
      };
      const std::string error = test::error_of(read_all);
      EXPECT_NE(error.find("data is cut off here"), std::string::npos) << error;
      EXPECT_EQ(test::error_of(read_all), error);  // however often it is asked
    }
  }
}

}  // namespace
}  // namespace millrace
