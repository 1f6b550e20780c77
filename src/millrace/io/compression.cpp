// Which compression a file has, by its name and by its first bytes.
#include "millrace/io/compression.hpp"

#include "millrace/base/error.hpp"

namespace millrace {

Compression compression_of(const std::filesystem::path& path) {
  const auto end = path.extension();
  return end == ".gz" ? Compression::gzip : end == ".xz" ? Compression::xz : Compression::none;
}

Compression compression_of(std::string_view content) {
  constexpr char gzip_magic[] = {'\x1f', '\x8b'}, xz_magic[] = {'\xfd', '7', 'z', 'X', 'Z', '\0'};
  if (content.starts_with(std::string_view(gzip_magic, sizeof gzip_magic))) return Compression::gzip;
  if (content.starts_with(std::string_view(xz_magic, sizeof xz_magic))) return Compression::xz;
  return Compression::none;
}

std::unique_ptr<Unpacker> make_unpacker(Compression kind, const std::string& name, std::string_view packed,
                                        std::size_t max_bytes) {
  const bool gzip = kind == Compression::gzip;
  require<IoError>(compression_of(packed) == kind, name, ":1: the name promises ", gzip ? "gzip" : "xz",
                   " data, the content is something else", packed.empty() ? " (the file is empty)" : "");
  return gzip ? make_gzip_unpacker(name, packed) : make_xz_unpacker(name, packed, max_bytes);
}

std::string pack(Compression kind, std::string_view text) {
  return kind == Compression::gzip ? pack_gzip(text) : pack_xz(text);
}

}  // namespace millrace
