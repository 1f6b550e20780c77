// Files of the cache: a line that names the format, three numbers, the key and the content.
#include "millrace/base/cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "millrace/base/environment.hpp"
#include "millrace/base/error.hpp"
#include "millrace/base/hash.hpp"
#include "millrace/base/part_file.hpp"
#include "millrace/base/printable.hpp"

namespace millrace {
namespace {

constexpr std::string_view first_line = "millrace cache 1\n";
constexpr std::uint64_t max_file_bytes = std::uint64_t{64} << 20;  // of a file; a compiled kernel takes some 100 kB
using Numbers = std::array<std::uint64_t, 3>;                      // bytes of the key, of the content, hash of both

void ignore_aloud(const std::filesystem::path& path, const char* why) {
  static std::atomic<bool> said = false;  // once, however many files there are
  if (!said.exchange(true))
    std::fprintf(stderr, "millrace: %s of the cache is ignored: %s\n", printable(path.string()).c_str(), why);
}

// What only this user can have written. Nothing of a file that is missing, foreign or too large is read.
std::optional<std::string> read_own_file(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return {};
  std::optional<std::string> text;
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    // none of ours
  } else if (status.st_uid != geteuid()) {
    ignore_aloud(path, "it belongs to another user");
  } else if ((status.st_mode & 0022) != 0) {
    ignore_aloud(path, "others may write it");
  } else if (static_cast<std::uint64_t>(status.st_size) <= max_file_bytes) {
    text.emplace(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t done = 0;
    while (done < text->size()) {
      const ssize_t size = read(file, text->data() + done, text->size() - done);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) break;
      done += static_cast<std::size_t>(size);
    }
    text->resize(done);
  }
  close(file);
  return text;
}

// For this user alone, whatever the umask; folders that are there stay as they are.
bool make_private_folder(const std::filesystem::path& folder) {
  std::error_code error;
  if (folder.empty() || std::filesystem::is_directory(folder, error)) return true;
  if (folder.has_parent_path() && folder.parent_path() != folder && !make_private_folder(folder.parent_path()))
    return false;
  return mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST;
}

}  // namespace

std::filesystem::path cache_folder() {
  if (const char* own = std::getenv("MILLRACE_CACHE")) return own;
  if (const std::filesystem::path base = environment("XDG_CACHE_HOME"); base.is_absolute()) return base / "millrace";
  if (const std::string home = environment("HOME"); !home.empty())
    return std::filesystem::path(home) / ".cache" / "millrace";
  return {};
}

std::filesystem::path cache_path(std::string_view kind, std::string_view key) {
  return cache_folder() / join(kind, '-', hexadecimal(hash_of(key)));
}

std::optional<std::string> read_cached(std::string_view kind, std::string_view key) {
  if (cache_folder().empty()) return {};
  const std::optional<std::string> all = read_own_file(cache_path(kind, key));
  const std::size_t head = first_line.size() + sizeof(Numbers);
  if (!all || all->size() < head + key.size()) return {};
  Numbers numbers;
  std::memcpy(numbers.data(), all->data() + first_line.size(), sizeof(numbers));
  const std::string_view text = *all, content = text.substr(head + key.size());
  const bool ours = text.starts_with(first_line) && numbers[0] == key.size() && text.substr(head, key.size()) == key;
  if (!ours || numbers[1] != content.size() || numbers[2] != hash_of(content, hash_of(key))) return {};
  return std::string(content);
}

bool write_cached(std::string_view kind, std::string_view key, std::string_view content) {
  if (cache_folder().empty() || first_line.size() + sizeof(Numbers) + key.size() + content.size() > max_file_bytes)
    return false;
  const std::filesystem::path path = cache_path(kind, key);
  if (!make_private_folder(path.parent_path())) return false;
  PartFile part = make_part_file(path);
  if (part.file < 0) return false;
  const Numbers numbers{key.size(), content.size(), hash_of(content, hash_of(key))};
  std::string all(first_line);
  all.append(reinterpret_cast<const char*>(numbers.data()), sizeof(numbers)).append(key).append(content);
  if (write_all(part.file, all) && finish_part_file(part, path, 0600)) return true;
  if (part.file >= 0) close(part.file);
  unlink(part.name.c_str());
  return false;
}

}  // namespace millrace
