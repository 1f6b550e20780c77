// Files of the cache: a line that names the format, three numbers, the key and the content.
#include "millrace/base/cache.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

#include "millrace/base/environment.hpp"
#include "millrace/base/error.hpp"

namespace millrace {
namespace {

constexpr std::string_view first_line = "millrace cache 1\n";
using Numbers = std::array<std::uint64_t, 3>;  // bytes of the key, of the content, hash of both

/// FNV-1a (Fowler, Noll, Vo 1991).
std::uint64_t hash(std::string_view text, std::uint64_t from = 0xcbf29ce484222325u) {
  for (const char c : text) from = (from ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return from;
}

}  // namespace

std::filesystem::path cache_folder() {
  if (const char* own = std::getenv("MILLRACE_CACHE")) return own;
  if (const std::string base = environment("XDG_CACHE_HOME"); !base.empty())
    return std::filesystem::path(base) / "millrace";
  if (const std::string home = environment("HOME"); !home.empty())
    return std::filesystem::path(home) / ".cache" / "millrace";
  return {};
}

std::filesystem::path cache_path(std::string_view kind, std::string_view key) {
  constexpr char digits[] = "0123456789abcdef";
  std::string name(kind);
  name += '-';
  for (std::uint64_t i = 0, h = hash(key); i < 16; ++i, h <<= 4) name += digits[h >> 60];
  return cache_folder() / name;
}

std::optional<std::string> read_cached(std::string_view kind, std::string_view key) {
  if (cache_folder().empty()) return {};
  const std::filesystem::path path = cache_path(kind, key);
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error), head = first_line.size() + sizeof(Numbers);
  if (error || size < head + key.size()) return {};
  std::ifstream file(path, std::ios::binary);
  std::string all(size, '\0');
  if (!file.read(all.data(), static_cast<std::streamsize>(size))) return {};
  Numbers numbers;
  std::memcpy(numbers.data(), all.data() + first_line.size(), sizeof(numbers));
  const std::string_view text = all, content = text.substr(head + key.size());
  const bool ours = text.starts_with(first_line) && numbers[0] == key.size() && text.substr(head, key.size()) == key;
  if (!ours || numbers[1] != content.size() || numbers[2] != hash(content, hash(key))) return {};
  return std::string(content);
}

bool write_cached(std::string_view kind, std::string_view key, std::string_view content) {
  static std::atomic<unsigned> count = 0;
  if (cache_folder().empty()) return false;
  const std::filesystem::path path = cache_path(kind, key);
  const std::filesystem::path part = path.string() + join(".part-", getpid(), '-', count++);
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  const Numbers numbers{key.size(), content.size(), hash(content, hash(key))};
  {
    std::ofstream file(part, std::ios::binary);
    file << first_line << std::string_view(reinterpret_cast<const char*>(numbers.data()), sizeof(numbers)) << key
         << content;
    if (!file.flush()) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) std::filesystem::rename(part, path, error);
  if (!error) return true;
  std::filesystem::remove(part, error);
  return false;
}

}  // namespace millrace
