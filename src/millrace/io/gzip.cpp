// The one file that knows zlib.
#include <algorithm>

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

class GzipUnpacker final : public Unpacker {
 public:
  explicit GzipUnpacker(std::string_view packed) : Unpacker(packed) {
    require(inflateInit2(&stream_, gzip_window) == Z_OK, "zlib: inflateInit2 failed");
  }
  ~GzipUnpacker() override { inflateEnd(&stream_); }

  std::size_t next(char* to, std::size_t room) override {
    const std::string_view input = rest_.substr(0, step_bytes);
    const auto most = static_cast<uInt>(std::min(room, step_bytes));
    stream_.next_in = input_of(input);
    stream_.avail_in = static_cast<uInt>(input.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = most;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    rest_.remove_prefix(input.size() - stream_.avail_in);
    if (code == Z_STREAM_END) {
      done_ = rest_.empty();
      if (!done_ && compression_of(rest_) != Compression::gzip)
        fault_ = join(rest_.size(), " bytes that are no gzip data follow the end of the gzip data");
      inflateReset(&stream_);
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      fault_ = join("the gzip data is damaged here (", stream_.msg ? stream_.msg : "no reason known", ")");
    } else if (rest_.empty() && stream_.avail_out != 0) {
      fault_ = "the gzip data is cut off here";
    }
    return most - stream_.avail_out;
  }

 private:
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Unpacker> make_gzip_unpacker(const std::string&, std::string_view packed) {
  return std::make_unique<GzipUnpacker>(packed);
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

std::unique_ptr<Unpacker> make_gzip_unpacker(const std::string& name, std::string_view) {
  throw Unsupported(join(name, ": gzip data, but this build has no zlib; unpack the file first"));
}
std::string pack_gzip(std::string_view) {
  throw Unsupported("gzip data was asked for, but this build has no zlib; write to a name without .gz");
}

#endif

}  // namespace millrace
