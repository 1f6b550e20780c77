// gzip and xz, each whole: packed bytes to text, and text to packed bytes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "millrace/io/text_buffer.hpp"

namespace millrace {

enum class Compression { none, gzip, xz };

/// By the end of the name: .gz, .xz or neither.
Compression compression_of(const std::filesystem::path& path);

/// What the first bytes look like, whatever the name says.
Compression compression_of(std::string_view content);

/// Appends the text of packed data (one or several members or streams) to `text`, stopping soon after
/// max_bytes. True when all of it was unpacked; damage throws an IoError that begins with name:line.
bool unpack(Compression kind, const std::string& name, std::string_view packed, TextBuffer& text,
            const IoProgress& progress, std::size_t max_bytes);

/// One gzip member or xz stream; several in a row are a valid file too.
std::string pack(Compression kind, std::string_view text);

// The work of each library (gzip.cpp, xz.cpp); Unsupported in a build without it.
bool unpack_gzip(const std::string& name, std::string_view packed, TextBuffer& text, const IoProgress& progress,
                 std::size_t max_bytes);
bool unpack_xz(const std::string& name, std::string_view packed, TextBuffer& text, const IoProgress& progress,
               std::size_t max_bytes);
std::string pack_gzip(std::string_view text);
std::string pack_xz(std::string_view text);

/// "name:line", the line at which the text that was unpacked so far ends.
std::string place_after(const std::string& name, const TextBuffer& text);

}  // namespace millrace
