// gzip and xz: packed bytes to text piece by piece, and text to packed bytes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace millrace {

enum class Compression { none, gzip, xz };

/// By the end of the name: .gz, .xz or neither.
Compression compression_of(const std::filesystem::path& path);

/// What the first bytes look like, whatever the name says.
Compression compression_of(std::string_view content);

/// Unpacks data of one or several members or streams, which must stay where they are.
class Unpacker {
 public:
  explicit Unpacker(std::string_view packed) : rest_(packed) {}
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  virtual ~Unpacker() = default;

  /// Writes the next bytes of the text, up to `room` of them and perhaps none; returns how many.
  virtual std::size_t next(char* to, std::size_t room) = 0;
  /// Is this all of the text?
  bool done() const { return done_; }
  /// What is wrong with the data behind the text so far; empty: nothing.
  const std::string& fault() const { return fault_; }
  /// Packed bytes that have not been used.
  std::size_t rest_bytes() const { return rest_.size(); }

 protected:
  std::string_view rest_;
  bool done_ = false;
  std::string fault_{};
};

/// For data of such a kind, which `name` is said to hold. A text of max_bytes is the most that is wanted.
std::unique_ptr<Unpacker> make_unpacker(Compression kind, const std::string& name, std::string_view packed,
                                        std::size_t max_bytes);

/// One gzip member or xz stream; several in a row are a valid file too.
std::string pack(Compression kind, std::string_view text);

// The work of each library (gzip.cpp, xz.cpp); Unsupported in a build without it.
std::unique_ptr<Unpacker> make_gzip_unpacker(const std::string& name, std::string_view packed);
std::unique_ptr<Unpacker> make_xz_unpacker(const std::string& name, std::string_view packed, std::size_t max_bytes);
std::string pack_gzip(std::string_view text);
std::string pack_xz(std::string_view text);

}  // namespace millrace
