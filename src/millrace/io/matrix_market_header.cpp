// Banner and size line, word by word, with an error text for each way to get them wrong.
#include "millrace/io/matrix_market_header.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "millrace/io/compression.hpp"

namespace millrace {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// The lines of a text one after another, without their line ends.
class Lines {
 public:
  Lines(std::string_view text, std::size_t begin) : text_(text), next_(begin) {}

  bool next() {
    if (next_ >= text_.size()) return false;
    const std::size_t end = std::min(text_.find('\n', next_), text_.size());
    line_ = text_.substr(next_, end - next_);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    next_ = end + 1;
    ++number_;
    return true;
  }
  std::string_view line() const { return line_; }
  std::int64_t number() const { return number_; }
  std::size_t after() const { return std::min(next_, text_.size()); }

 private:
  std::string_view text_, line_;
  std::size_t next_;
  std::int64_t number_ = 0;
};

bool is_comment(std::string_view line) {
  const auto first = line.find_first_not_of(" \t");
  return first != line.npos && line[first] == '%';
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

std::string lower(std::string_view word) {
  std::string text(word);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

template <class Value, std::size_t N>
Value choose(const std::array<std::pair<std::string_view, Value>, N>& known, std::string_view what,
             std::string_view word, const std::string& place) {
  std::string names;
  for (const auto& [text, value] : known) {
    if (lower(word) == text) return value;
    names += join(' ', text);
  }
  throw IoError(join(place, "unknown ", what, ' ', in_quotes(word), "; known are:", names));
}

constexpr std::array<std::pair<std::string_view, bool>, 2> objects{{{"matrix", false}, {"vector", true}}};
constexpr std::array<std::pair<std::string_view, bool>, 2> formats{{{"coordinate", false}, {"array", true}}};
constexpr std::array<std::pair<std::string_view, MmField>, 5> fields{{{"real", MmField::real},
                                                                      {"integer", MmField::integer},
                                                                      {"complex", MmField::complex},
                                                                      {"pattern", MmField::pattern},
                                                                      {"double", MmField::real}}};
constexpr std::array<std::pair<std::string_view, MmSymmetry>, 4> symmetries{
    {{"general", MmSymmetry::general},
     {"symmetric", MmSymmetry::symmetric},
     {"skew-symmetric", MmSymmetry::skew_symmetric},
     {"hermitian", MmSymmetry::hermitian}}};

void parse_banner(std::string_view line, const std::string& place, bool strict, MatrixMarketHead& head) {
  require<IoError>(line.find('\r') == line.npos, place,
                   "a carriage return without a line feed; lines must end in LF or CR LF");
  const auto words = words_of(line);
  const std::string first = words.empty() ? "" : lower(words[0]);
  require<IoError>(first == "%%matrixmarket" || first == "%matrixmarket", place,
                   "the first line must be '%%MatrixMarket matrix FORMAT FIELD SYMMETRY', found ", in_quotes(line));
  require<IoError>(!strict || words[0] == "%%MatrixMarket", place, "strict: the file must begin with %%MatrixMarket, ",
                   "found ", in_quotes(words[0]));
  require<IoError>(words.size() == 5, place, "the banner has ", words.size(),
                   " words, 5 are needed: %%MatrixMarket matrix FORMAT FIELD SYMMETRY");
  MatrixMarketHeader& header = head.header;
  head.vector = choose(objects, "object", words[1], place);
  header.array = choose(formats, "format", words[2], place);
  header.field = choose(fields, "field", words[3], place);
  header.symmetry = choose(symmetries, "symmetry", words[4], place);
  require<IoError>(!strict || !head.vector, place, "strict: the object must be matrix, found ", in_quotes(words[1]));
  require<IoError>(!strict || lower(words[3]) != "double", place, "strict: the field must be real, found ",
                   in_quotes(words[3]));
  const bool pattern = header.field == MmField::pattern;
  require<IoError>(header.symmetry != MmSymmetry::hermitian || header.field == MmField::complex, place,
                   "hermitian needs the field complex, found ", in_quotes(words[3]));
  require<IoError>(!pattern || header.symmetry != MmSymmetry::skew_symmetric, place,
                   "skew-symmetric needs values, a pattern has none");
  require<IoError>(!pattern || !header.array, place, "an array needs values, a pattern has none");
}

std::int64_t parse_size(std::string_view word, std::string_view what, const std::string& place, bool strict) {
  std::string_view digits = word;
  require<IoError>(!strict || !word.starts_with('+'), place, "strict: a '+' before the number of ", what, ": ",
                   in_quotes(word));
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool integer = code != std::errc::invalid_argument && end == digits.data() + digits.size() &&
                       !(digits.size() != word.size() && digits.starts_with('-'));
  require<IoError>(integer, place, "the number of ", what, " must be an integer, found ", in_quotes(word));
  require<IoError>(!word.starts_with('-') || value == 0, place, "a negative number of ", what, ": ", in_quotes(word));
  if (what == "entries") {
    require<IoError>(code == std::errc{}, place, word, " entries: more than 64 bits can count");
  } else {
    require<IoError>(code == std::errc{} && value <= std::numeric_limits<Index>::max(), place, in_quotes(word), " ",
                     what, " are too many: the library's indices have 32 bits, 1..2147483647");
  }
  return value;
}

// How many values an array file holds: everything, or one triangle.
std::int64_t stored_values(const MatrixMarketHeader& header) {
  const std::int64_t n = header.rows;
  switch (header.symmetry) {
    case MmSymmetry::general:
      return header.rows * header.cols;
    case MmSymmetry::skew_symmetric:
      return n * (n - 1) / 2;
    default:
      return n * (n + 1) / 2;
  }
}

void parse_sizes(std::string_view line, const std::string& place, bool strict, MatrixMarketHead& head) {
  MatrixMarketHeader& header = head.header;
  const auto words = words_of(line);
  const std::size_t need = 1 + (head.vector ? 0u : 1u) + (header.array ? 0u : 1u);
  require<IoError>(words.size() == need, place, "the size line is ", in_quotes(line), "; ",
                   header.array ? "an array" : "a coordinate", head.vector ? " vector" : " matrix", " needs ", need,
                   need == 1 ? " number (rows" : " numbers (rows", head.vector ? "" : " columns",
                   header.array ? ")" : " entries)");
  header.rows = parse_size(words[0], "rows", place, strict);
  header.cols = head.vector ? 1 : parse_size(words[1], "columns", place, strict);
  require<IoError>(header.symmetry == MmSymmetry::general || header.rows == header.cols, place,
                   "a symmetric, skew-symmetric or hermitian matrix must be square, this one is ", header.rows, " x ",
                   header.cols);
  header.entries = header.array ? stored_values(header) : parse_size(words.back(), "entries", place, strict);
  require<IoError>(!strict || header.array || header.entries <= header.rows * header.cols, place,
                   "strict: ", header.entries, " entries are declared, a ", header.rows, " x ", header.cols,
                   " matrix has only ", header.rows * header.cols, " positions");
}

void check_no_nul(std::string_view line, const std::string& place) {
  require<IoError>(line.find('\0') == line.npos, place, "a NUL byte: this is not text");
}

}  // namespace

int MatrixMarketHead::values_per_entry() const {
  return header.field == MmField::pattern ? 0 : header.field == MmField::complex ? 2 : 1;
}

int MatrixMarketHead::numbers_per_entry() const { return values_per_entry() + (header.array ? 0 : vector ? 1 : 2); }

MatrixMarketHead parse_head(std::string_view text, const std::string& name, bool strict) {
  const Compression packed = compression_of(text);
  require<IoError>(packed == Compression::none, name, ":1: this is ", packed == Compression::gzip ? "gzip" : "xz",
                   " data; a file of that kind needs a name that ends in ",
                   packed == Compression::gzip ? ".gz" : ".xz");
  const bool mark = text.starts_with(byte_order_mark);
  require<IoError>(!mark || !strict, name, ":1: strict: the file begins with a byte order mark");
  Lines lines(text, mark ? byte_order_mark.size() : 0);
  require<IoError>(lines.next(), name, ":1: the file is empty");
  MatrixMarketHead head;
  check_no_nul(lines.line(), join(name, ":1: "));
  parse_banner(lines.line(), join(name, ":1: "), strict, head);
  while (lines.next()) {
    const std::string_view line = lines.line();
    const std::string place = join(name, ':', lines.number(), ": ");
    check_no_nul(line, place);
    if (is_comment(line)) {
      std::string_view comment = line.substr(line.find('%') + 1);
      if (comment.starts_with(' ')) comment.remove_prefix(1);
      head.header.comments.append(comment).append("\n");
    } else if (!is_blank(line)) {
      parse_sizes(line, place, strict, head);
      head.body = lines.after();
      head.size_line = lines.number();
      return head;
    }
  }
  throw IoError(join(name, ':', lines.number(), ": the file ends before the size line"));
}

bool head_is_complete(std::string_view text) {
  Lines lines(text, 0);
  while (lines.next())
    if (lines.number() > 1 && !is_comment(lines.line()) && !is_blank(lines.line())) return lines.after() < text.size();
  return false;
}

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string_view> words;
  for (auto begin = line.find_first_not_of(blanks); begin != line.npos; begin = line.find_first_not_of(blanks, begin)) {
    const auto end = std::min(line.find_first_of(blanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

}  // namespace millrace
