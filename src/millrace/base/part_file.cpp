// O_EXCL and O_NOFOLLOW, fsync of the file and of its folder, rename.
#include "millrace/base/part_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "millrace/base/error.hpp"
#include "millrace/base/hash.hpp"

namespace millrace {
namespace {

namespace fs = std::filesystem;

// A folder may be shared by many machines, and their processes have the same numbers.
const std::string& this_machine() {
  static const std::string text = [] {
    char name[256] = {};
    gethostname(name, sizeof name - 1);
    return hexadecimal(hash_of(name), 8);
  }();
  return text;
}

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number) return number;
  timespec now{};  // with O_EXCL a number that can be foreseen costs another try, no more
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_nsec) * 0x9e3779b97f4a7c15u;
}

fs::path folder_of(const fs::path& target) { return target.has_parent_path() ? target.parent_path() : fs::path("."); }

// NAME.part-HOST-PID-RANDOM of this machine whose process is gone.
bool is_stale(std::string_view file, std::string_view begin) {
  if (!file.starts_with(begin)) return false;
  file.remove_prefix(begin.size());
  pid_t process = 0;
  const auto [end, error] = std::from_chars(file.data(), file.data() + file.size(), process);
  if (error != std::errc{} || process <= 0 || end == file.data() + file.size() || *end != '-') return false;
  return kill(process, 0) != 0 && errno == ESRCH;
}

void remove_stale(const fs::path& target) {
  const std::string begin = join(target.filename().string(), ".part-", this_machine(), '-');
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(target), error), end; !error && entry != end; entry.increment(error)) {
    if (!is_stale(entry->path().filename().string(), begin)) continue;
    struct stat status {};
    if (lstat(entry->path().c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid())
      unlink(entry->path().c_str());
  }
}

// The umask cannot be read without being set, but in /proc.
mode_t mode_of_new_file() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    unsigned mask = 0;
    if (line.starts_with("Umask:") &&
        std::from_chars(line.data() + line.find_first_of("01234567"), line.data() + line.size(), mask, 8).ec ==
            std::errc{})
      return 0666 & ~static_cast<mode_t>(mask);
  }
  return 0600;
}

// Some file systems and files know nothing of a disk.
bool sync(int file) { return fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS; }

}  // namespace

PartFile make_part_file(const fs::path& target, const std::function<void(const std::string&)>& named) {
  remove_stale(target);
  PartFile part;
  for (int tries = 0; tries < 100; ++tries) {
    part.name = join(target.string(), ".part-", this_machine(), '-', getpid(), '-', hexadecimal(random_number()));
    if (named) named(part.name);
    part.file = open(part.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (part.file >= 0 || errno != EEXIST) break;
  }
  return part;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(file, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

bool finish_part_file(PartFile& part, const fs::path& target, unsigned mode) {
  struct stat old {};
  const bool replaces = stat(target.c_str(), &old) == 0 && S_ISREG(old.st_mode);
  if (mode == 0) mode = replaces ? old.st_mode & 0777 : mode_of_new_file();
  const bool whole = sync(part.file);
  int code = errno;
  if (fchmod(part.file, mode) != 0) errno = 0;  // refused by file systems that have no modes
  const bool closed = close(std::exchange(part.file, -1)) == 0;
  if (whole && !closed) code = errno;
  if (!whole || !closed) {
    errno = code;
    return false;
  }
  if (std::rename(part.name.c_str(), target.c_str()) != 0) return false;
  if (const int folder = open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); folder >= 0) {
    sync(folder);  // the name; the file has it for everybody already, so nothing can be taken back
    close(folder);
  }
  return true;
}

bool may_be_replaced(const fs::path& target) {
  struct stat old {};
  if (stat(target.c_str(), &old) != 0) return true;
  if ((old.st_mode & 0222) != 0 && access(target.c_str(), W_OK) == 0) return true;
  errno = EACCES;
  return false;
}

}  // namespace millrace
