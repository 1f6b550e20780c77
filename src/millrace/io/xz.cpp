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

constexpr std::size_t step_bytes = std::size_t{1} << 20;
constexpr std::uint32_t preset = 3;  // twice as fast as the usual 6, a tenth larger

const std::uint8_t* bytes_of(std::string_view text) { return reinterpret_cast<const std::uint8_t*>(text.data()); }

struct Decoder {
  lzma_stream stream = LZMA_STREAM_INIT;
  explicit Decoder(std::size_t max_bytes) {  // a file can ask for a window of 4 GB
    constexpr std::uint64_t always_fine = std::uint64_t{1} << 30;
    const std::uint64_t limit = std::max<std::uint64_t>(max_bytes, always_fine);
    require(lzma_stream_decoder(&stream, limit, LZMA_CONCATENATED) == LZMA_OK, "liblzma: no decoder to be had");
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { lzma_end(&stream); }
};

}  // namespace

bool unpack_xz(const std::string& name, std::string_view packed, TextBuffer& text, const IoProgress& progress,
               std::size_t max_bytes) {
  Decoder decoder(max_bytes);
  lzma_stream& stream = decoder.stream;
  stream.next_in = bytes_of(packed);
  stream.avail_in = packed.size();
  while (true) {
    stream.next_out = reinterpret_cast<std::uint8_t*>(text.room(step_bytes));
    stream.avail_out = step_bytes;
    const lzma_ret code = lzma_code(&stream, LZMA_FINISH);  // all of the input is there
    text.add(step_bytes - stream.avail_out);
    progress(1 - static_cast<double>(stream.avail_in) / static_cast<double>(packed.size()));
    if (code == LZMA_STREAM_END) return true;
    // The place counts the lines of all the text, so it is asked for only when something is wrong.
    if (code == LZMA_BUF_ERROR) throw IoError(place_after(name, text) + ": the xz data is cut off here");
    if (code == LZMA_MEMLIMIT_ERROR)
      throw IoError(join(place_after(name, text), ": the xz data needs a window of ",
                         bytes_text(static_cast<double>(lzma_memusage(&stream))),
                         " to be unpacked; a limit on memory (--max-memory) that is larger allows it"));
    if (code != LZMA_OK)
      throw IoError(
          join(place_after(name, text), ": the xz data is damaged here (liblzma's code ", static_cast<int>(code), ")"));
    if (text.text().size() >= max_bytes) return false;
  }
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

bool unpack_xz(const std::string& name, std::string_view, TextBuffer&, const IoProgress&, std::size_t) {
  throw Unsupported(join(name, ": xz data, but this build has no liblzma; unpack the file first"));
}
std::string pack_xz(std::string_view) {
  throw Unsupported("xz data was asked for, but this build has no liblzma; write to a name without .xz");
}

#endif

}  // namespace millrace
