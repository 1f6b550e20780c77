// The one file that knows zlib.
#include "millrace/base/error.hpp"
#include "millrace/io/compression.hpp"

#if MILLRACE_WITH_ZLIB
#include <zlib.h>
#endif

namespace millrace {

#if MILLRACE_WITH_ZLIB
namespace {

constexpr int gzip_window = 15 + 16;  // the largest window, and gzip's own head and tail around the data
constexpr std::size_t step_bytes = std::size_t{1} << 20;

// zlib takes input that is not const, but does not write to it.
Bytef* input_of(std::string_view bytes) { return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); }

struct Inflate {
  z_stream stream{};
  Inflate() { require(inflateInit2(&stream, gzip_window) == Z_OK, "zlib: inflateInit2 failed"); }
  Inflate(const Inflate&) = delete;
  Inflate& operator=(const Inflate&) = delete;
  ~Inflate() { inflateEnd(&stream); }
};

}  // namespace

bool unpack_gzip(const std::string& name, std::string_view packed, TextBuffer& text, const IoProgress& progress,
                 std::size_t max_bytes) {
  Inflate inflater;
  z_stream& stream = inflater.stream;
  std::string_view rest = packed;
  while (true) {
    const std::string_view input = rest.substr(0, step_bytes);
    stream.next_in = input_of(input);
    stream.avail_in = static_cast<uInt>(input.size());
    stream.next_out = reinterpret_cast<Bytef*>(text.room(step_bytes));
    stream.avail_out = static_cast<uInt>(step_bytes);
    const int code = inflate(&stream, Z_NO_FLUSH);
    const std::size_t made = step_bytes - stream.avail_out;
    text.add(made);
    rest.remove_prefix(input.size() - stream.avail_in);
    progress(static_cast<double>(packed.size() - rest.size()) / static_cast<double>(packed.size()));
    if (code == Z_STREAM_END) {
      if (rest.empty()) return true;
      if (compression_of(rest) != Compression::gzip)
        throw IoError(join(place_after(name, text), ": ", rest.size(),
                           " bytes that are no gzip data follow the end of the gzip data"));
      inflateReset(&stream);
      continue;
    }
    // The place counts the lines of all the text, so it is asked for only when something is wrong.
    if (code != Z_OK && code != Z_BUF_ERROR)
      throw IoError(join(place_after(name, text), ": the gzip data is damaged here (",
                         stream.msg ? stream.msg : "no reason known", ")"));
    if (rest.empty() && stream.avail_out != 0)
      throw IoError(place_after(name, text) + ": the gzip data is cut off here");
    if (text.text().size() >= max_bytes) return false;
  }
}

std::string pack_gzip(std::string_view text) {
  z_stream stream{};
  require(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) == Z_OK,
          "zlib: deflateInit2 failed");
  std::string packed(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = input_of(text);
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int code = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  require(code == Z_STREAM_END, "zlib: deflate failed with code ", code);
  return packed;
}

#else

bool unpack_gzip(const std::string& name, std::string_view, TextBuffer&, const IoProgress&, std::size_t) {
  throw Unsupported(join(name, ": gzip data, but this build has no zlib; unpack the file first"));
}
std::string pack_gzip(std::string_view) {
  throw Unsupported("gzip data was asked for, but this build has no zlib; write to a name without .gz");
}

#endif

}  // namespace millrace
