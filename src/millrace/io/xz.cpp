// The one file that knows liblzma.
#include <algorithm>

#include "millrace/base/error.hpp"
#include "millrace/base/human.hpp"
#include "millrace/io/compression.hpp"

#if MILLRACE_WITH_LZMA
#include <lzma.h>
#endif

namespace millrace {

#if MILLRACE_WITH_LZMA
namespace {

constexpr std::uint32_t preset = 3;  // twice as fast as the usual 6, a tenth larger

const std::uint8_t* bytes_of(std::string_view text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

class XzUnpacker final : public Unpacker {
 public:
  XzUnpacker(std::string_view packed, std::size_t max_bytes) : Unpacker(packed) {
    constexpr std::uint64_t always_fine = std::uint64_t{1} << 30;  // a file can ask for a window of 4 GB
    const std::uint64_t limit = std::max<std::uint64_t>(max_bytes, always_fine);
    require(lzma_stream_decoder(&stream_, limit, LZMA_CONCATENATED) == LZMA_OK, "liblzma: no decoder to be had");
    stream_.next_in = bytes_of(packed);
    stream_.avail_in = packed.size();
  }
  ~XzUnpacker() override { lzma_end(&stream_); }

  std::size_t next(char* to, std::size_t room) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to);
    stream_.avail_out = room;
    const lzma_ret code = lzma_code(&stream_, LZMA_FINISH);  // all of the input is there
    rest_.remove_prefix(rest_.size() - stream_.avail_in);
    if (code == LZMA_STREAM_END)
      done_ = true;
    else if (code == LZMA_BUF_ERROR)
      fault_ = "the xz data is cut off here";
    else if (code == LZMA_MEMLIMIT_ERROR)
      fault_ = join("the xz data needs a window of ", bytes_text(static_cast<double>(lzma_memusage(&stream_))),
                    " to be unpacked; a limit on memory (--max-memory) that is larger allows it");
    else if (code != LZMA_OK)
      fault_ = join("the xz data is damaged here (liblzma's code ", static_cast<int>(code), ")");
    return room - stream_.avail_out;
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

std::unique_ptr<Unpacker> make_xz_unpacker(const std::string&, std::string_view packed, std::size_t max_bytes) {
  return std::make_unique<XzUnpacker>(packed, max_bytes);
}

std::string pack_xz(std::string_view text) {
  std::string packed(lzma_stream_buffer_bound(text.size()), '\0');
  std::size_t size = 0;
  const lzma_ret code = lzma_easy_buffer_encode(preset, LZMA_CHECK_CRC64, nullptr, bytes_of(text), text.size(),
                                                reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size());
  require(code == LZMA_OK, "liblzma: encoding failed with code ", static_cast<int>(code));
  packed.resize(size);
  return packed;
}

#else

std::unique_ptr<Unpacker> make_xz_unpacker(const std::string& name, std::string_view, std::size_t) {
  throw Unsupported(join(name, ": xz data, but this build has no liblzma; unpack the file first"));
}
std::string pack_xz(std::string_view) {
  throw Unsupported("xz data was asked for, but this build has no liblzma; write to a name without .xz");
}

#endif

}  // namespace millrace
