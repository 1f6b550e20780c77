// One pass counts lines, so that every chunk knows its line numbers and where its entries go; a second
// pass parses all chunks. Errors are kept by chunk, so that the first bad line of the file is reported.
#include "millrace/io/matrix_market_part.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "millrace/io/number_text.hpp"

namespace millrace {
namespace {

std::int64_t num_words(const char* begin, const char* end) {
  std::int64_t count = 0;
  bool before = true;  // was the byte before this one blank?
  for (const char* p = begin; p < end; ++p) {
    const bool blank = ends_number(*p);
    count += before && !blank;
    before = blank;
  }
  return count;
}

struct BadLine {
  const char* line;
  std::string what;
};

std::string_view line_at(const char* p) {
  const char* end = p;
  while (*end != '\n') ++end;
  if (end > p && end[-1] == '\r') --end;
  return {p, end};
}

const char* next_line(std::string_view line) {
  return static_cast<const char*>(std::memchr(line.data() + line.size(), '\n', 2)) + 1;
}

// Bytes that no line may hold are a better reason than what followed from them.
BadLine bad_line(const char* line, std::string what) {
  const std::string_view text = line_at(line);
  if (text.find('\0') != text.npos)
    what = "a NUL byte: this is not text";
  else if (text.find('\r') != text.npos)
    what = "a carriage return inside the line; lines end in LF or CR LF";
  else if (text.find('%') != text.npos)
    what = "a '%' behind an entry; comments need lines of their own";
  return {line, std::move(what)};
}

// p stands behind the last number of a line; returns the beginning of the next line, or null if more follows.
const char* finish_line(const char* p) {
  p = skip_blanks(p);
  if (*p == '\r' && p[1] == '\n') ++p;
  return *p == '\n' ? p + 1 : nullptr;
}

template <class T>
class ChunkParser {
 public:
  ChunkParser(StoredEntries<T>& out, const MatrixMarketHead& head, bool strict)
      : head_(head),
        header_(head.header),
        strict_(strict),
        values_(head.values_per_entry()),
        rows_(out.rows.data()),
        cols_(out.cols.data()),
        vals_(out.vals.data()) {}

  void parse(TextChunk& chunk) const {
    const char* p = chunk.begin;
    const char* line = p;
    std::int64_t slot = chunk.slot;
    try {
      while (p < chunk.end) {
        line = p;
        p = skip_blanks(p);
        if (const char* next = finish_line(p)) {
          p = next;
        } else if (*p == '%') {
          p = skip_comment(line);
        } else if (header_.array) {
          p = parse_values(p, line, chunk.end, slot);
        } else {
          p = parse_entry(p, line, chunk, slot);
        }
      }
    } catch (const BadLine& bad) {
      chunk.bad_line = chunk.first_line + std::count(chunk.begin, bad.line, '\n');
      chunk.what = bad.what;
    } catch (const BadNumber& bad) {
      const BadLine reason = bad_line(line, header_.array ? bad.what : count_or(bad.what, line));
      chunk.bad_line = chunk.first_line + std::count(chunk.begin, line, '\n');
      chunk.what = reason.what;
    }
    chunk.num_entries = slot - chunk.slot;
  }

 private:
  using R = RealOf<T>;

  const char* skip_comment(const char* line) const {
    const std::string_view text = line_at(line);
    if (text.find('\0') != text.npos) throw bad_line(line, "");
    if (strict_) throw BadLine{line, "strict: a comment among the entries"};
    return next_line(text);
  }

  // A wrong number of numbers is the better explanation of a number that could not be read.
  std::string count_or(std::string what, const char* line) const {
    const auto count = static_cast<int>(words_of(line_at(line)).size());
    if (count == head_.numbers_per_entry()) return what;
    return join("an entry needs ", head_.numbers_per_entry(), " numbers (row", head_.vector ? "" : " column",
                values_ == 0   ? ""
                : values_ == 1 ? " value"
                               : " real imaginary",
                "), the line has ", count, ": ", in_quotes(line_at(line)));
  }

  T read_value(const char*& p, const char* end) const {
    if (header_.field == MmField::pattern) return T{1};
    p = skip_blanks(p);
    if (header_.field == MmField::integer) return T(read_integer<R>(p, strict_));
    const R real = read_real<R>(p, end, strict_);
    if constexpr (is_complex<T>) {
      if (values_ == 2) {
        p = skip_blanks(p);
        return {real, read_real<R>(p, end, strict_)};
      }
    }
    return T(real);
  }

  const char* parse_entry(const char* p, const char* line, TextChunk& chunk, std::int64_t& slot) const {
    const std::uint64_t row = read_index(p, static_cast<std::uint64_t>(header_.rows), "row", strict_);
    std::uint64_t col = 1;
    if (!head_.vector) {
      p = skip_blanks(p);
      col = read_index(p, static_cast<std::uint64_t>(header_.cols), "column", strict_);
    }
    const T value = read_value(p, chunk.end);
    const char* next = finish_line(p);
    if (!next) throw bad_line(line, count_or("", line));
    if (header_.symmetry != MmSymmetry::general) {
      if (row == col) check_diagonal(value, line);
      if (strict_ && row < col) throw BadLine{line, join("strict: entry (", row, ", ", col, ") is above the diagonal")};
      chunk.num_mirrors += row != col;
    }
    rows_[slot] = static_cast<Index>(row - 1);
    cols_[slot] = static_cast<Index>(col - 1);
    vals_[slot++] = value;
    return next;
  }

  void check_diagonal(T value, const char* line) const {
    if (header_.symmetry == MmSymmetry::skew_symmetric && value != T{0})
      throw BadLine{line, "the diagonal of a skew-symmetric matrix must be zero"};
    if constexpr (is_complex<T>)
      if (strict_ && header_.symmetry == MmSymmetry::hermitian && value.imag() != 0)
        throw BadLine{line, "strict: the diagonal of a hermitian matrix must be real"};
  }

  // A line of an array file: one value, or several unless strict.
  const char* parse_values(const char* p, const char* line, const char* end, std::int64_t& slot) const {
    const std::string_view all = line_at(line);
    const std::int64_t count = values_ == 1 && !strict_ ? 1 : num_words(all.data(), all.data() + all.size());
    if (count % values_ != 0 || (strict_ && count != values_))
      throw bad_line(
          line, join(strict_ ? "strict: " : "", "a line of this array needs ", values_,
                     values_ == 1 ? " number" : " numbers (real imaginary)", ", it has ", count, ": ", in_quotes(all)));
    while (true) {
      vals_[slot++] = read_value(p, end);
      if (const char* next = finish_line(p)) return next;
      p = skip_blanks(p);
    }
  }

  const MatrixMarketHead& head_;
  const MatrixMarketHeader& header_;
  bool strict_;
  int values_;
  Index* rows_;
  Index* cols_;
  T* vals_;
};

const char* kind_of_entries(const MatrixMarketHead& head) { return head.header.array ? " values" : " entries"; }

std::int64_t entries_in(const TextChunk& chunk, const MatrixMarketHead& head) {
  std::int64_t count = 0;
  for (const char* p = chunk.begin; p < chunk.end;) {
    const std::string_view line = line_at(p);
    const char* const first = skip_blanks(p);
    if (first < line.data() + line.size() && *first != '%')
      count += head.header.array ? num_words(first, line.data() + line.size()) / head.values_per_entry() : 1;
    p = next_line(line);
  }
  return count;
}

}  // namespace

std::vector<TextChunk> cut_at_lines(const char* begin, const char* end, std::int64_t chunk_bytes) {
  std::vector<TextChunk> chunks;
  while (begin < end) {
    const char* stop = end - begin > chunk_bytes ? begin + chunk_bytes : end;
    if (stop < end) {
      const void* line_end = std::memchr(stop - 1, '\n', static_cast<std::size_t>(end - (stop - 1)));
      stop = line_end ? static_cast<const char*>(line_end) + 1 : end;
    }
    chunks.push_back({.begin = begin, .end = stop});
    begin = stop;
  }
  return chunks;
}

LineFault first_fault(const std::vector<TextChunk>& chunks, const MatrixMarketHead& head, std::int64_t entries_before) {
  const std::int64_t declared = head.header.entries;
  std::int64_t found = entries_before;
  for (const TextChunk& chunk : chunks) {
    if (found + chunk.num_entries > declared)
      return {line_of_entry(chunk, std::max<std::int64_t>(0, declared - found), head.numbers_per_entry()),
              join("too many", kind_of_entries(head), ": line ", head.size_line, " declares ", declared)};
    if (chunk.bad_line != 0) return {chunk.bad_line, chunk.what};
    found += chunk.num_entries;
  }
  return {};
}

std::string too_few(const MatrixMarketHead& head, std::int64_t found) {
  return join("too few", kind_of_entries(head), ": line ", head.size_line, " declares ", head.header.entries,
              ", the file ends after ", found);
}

std::int64_t line_of_entry(const TextChunk& chunk, std::int64_t entry, std::int64_t numbers_per_entry) {
  std::int64_t number = chunk.first_line;
  for (const char* p = chunk.begin; p < chunk.end; ++number) {
    const std::string_view line = line_at(p);
    const auto words = words_of(line);
    const bool counts = !words.empty() && words[0][0] != '%';
    if (counts) entry -= static_cast<std::int64_t>(words.size()) / numbers_per_entry;
    if (entry < 0) return number;
    p = next_line(line);
  }
  return number;
}

PartCount count_part(std::string_view text, const MatrixMarketHead& head, const PartOptions& options) {
  std::vector<TextChunk> chunks = cut_at_lines(text.data(), text.data() + text.size(), options.chunk_bytes);
  const std::function<void(double)> nobody;
  for_each_chunk(options.num_threads, std::ssize(chunks), {nobody}, [&](std::int64_t k) {
    TextChunk& chunk = chunks[static_cast<std::size_t>(k)];
    chunk.num_lines = std::count(chunk.begin, chunk.end, '\n');
    chunk.num_entries = entries_in(chunk, head);
  });
  PartCount sum;
  for (const TextChunk& chunk : chunks) {
    sum.lines += chunk.num_lines;
    sum.entries += chunk.num_entries;
  }
  return sum;
}

template <class T>
StoredEntries<T> parse_part(std::string_view text, const MatrixMarketHead& head, std::int64_t first_line,
                            const PartOptions& options, const IoProgress& progress) {
  StoredEntries<T> out;
  out.chunks = cut_at_lines(text.data(), text.data() + text.size(), options.chunk_bytes);
  const auto num_chunks = std::ssize(out.chunks);
  for_each_chunk(options.num_threads, num_chunks, progress.part(0, 0.1), [&](std::int64_t k) {
    TextChunk& chunk = out.chunks[static_cast<std::size_t>(k)];
    chunk.num_lines = std::count(chunk.begin, chunk.end, '\n');
    const std::int64_t min_bytes = 2 * head.numbers_per_entry();  // a digit and a blank for each number
    chunk.num_slots = head.header.array ? num_words(chunk.begin, chunk.end)
                                        : std::min(chunk.num_lines + (chunk.end[-1] == '\n' ? 0 : 1),
                                                   (chunk.end - chunk.begin) / min_bytes + 1);
  });
  std::int64_t line = first_line, num_slots = 0;
  for (TextChunk& chunk : out.chunks) {
    chunk.first_line = line;
    chunk.slot = num_slots;
    line += chunk.num_lines;
    num_slots += chunk.num_slots;
  }

  if (!head.header.array) {
    out.rows = Array<Index>(num_slots);
    out.cols = Array<Index>(num_slots);
  }
  out.vals = Array<T>(num_slots);
  const ChunkParser<T> parser(out, head, options.strict);
  std::atomic<std::int64_t> bad_chunk = num_chunks;  // what follows a bad chunk need not be parsed
  for_each_chunk(options.num_threads, num_chunks, progress.part(0.1, 1), [&](std::int64_t k) {
    if (k > bad_chunk) return;
    TextChunk& chunk = out.chunks[static_cast<std::size_t>(k)];
    parser.parse(chunk);
    if (chunk.bad_line == 0) return;
    for (std::int64_t before = bad_chunk; k < before && !bad_chunk.compare_exchange_weak(before, k);) {
    }
  });
  return out;
}

#define MILLRACE_INSTANTIATE(T)                                                                                     \
  template StoredEntries<T> parse_part(std::string_view, const MatrixMarketHead&, std::int64_t, const PartOptions&, \
                                       const IoProgress&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);
#undef MILLRACE_INSTANTIATE

}  // namespace millrace
