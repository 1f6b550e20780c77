// Part files, and the list of them that a signal handler reads.
#include "millrace/io/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>

#include "millrace/base/error.hpp"

namespace millrace {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

// The names of unfinished files, in memory that a signal handler may read.
struct Unfinished {
  std::atomic<bool> named = false;
  std::array<char, 4096> name{};
};
std::array<Unfinished, 64> unfinished;
std::mutex naming;
static_assert(std::atomic<bool>::is_always_lock_free);

int remember(const std::string& name) {
  require<IoError>(name.size() < unfinished[0].name.size(), name, ": the name is too long");
  const std::lock_guard lock(naming);
  int free_slot = -1;
  for (std::size_t i = 0; i < unfinished.size(); ++i) {
    if (!unfinished[i].named) free_slot = static_cast<int>(i);
    require<IoError>(!unfinished[i].named || name != unfinished[i].name.data(), name, ": is being written already");
  }
  require<IoError>(free_slot >= 0, name, ": ", unfinished.size(), " files are being written already");
  Unfinished& file = unfinished[static_cast<std::size_t>(free_slot)];
  std::memcpy(file.name.data(), name.c_str(), name.size() + 1);
  file.named = true;
  return free_slot;
}

void forget(int slot) noexcept {
  if (slot >= 0) unfinished[static_cast<std::size_t>(slot)].named = false;
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path) : path_(path), target_(path) {
  std::error_code ignored;
  if (std::filesystem::is_symlink(path, ignored)) target_ = std::filesystem::weakly_canonical(path, ignored);
  const auto status = std::filesystem::status(target_, ignored);
  require<IoError>(status.type() != std::filesystem::file_type::directory, path.string(),
                   ": cannot be written: it is a directory");
  const bool in_place = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  if (in_place) {
    file_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    part_ = join(target_.string(), ".part-", getpid());
    slot_ = remember(std::filesystem::absolute(part_).string());
    file_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (file_ < 0) {
    const int code = errno;
    forget(slot_);
    throw IoError(join(path.string(), ": cannot be written: ", std::strerror(code)));
  }
  buffer_.reserve(buffer_bytes);
}

OutputFile::~OutputFile() {
  close_file();
  if (slot_ >= 0) {
    unlink(part_.c_str());
    forget(slot_);
  }
}

void OutputFile::write(std::string_view bytes) {
  require(file_ >= 0, "output file: ", path_.string(), " is finished, nothing more can be written to it");
  if (buffer_.size() + bytes.size() > buffer_bytes) flush();
  if (bytes.size() >= buffer_bytes)
    write_now(bytes.data(), bytes.size());
  else
    buffer_ += bytes;
}

void OutputFile::commit() {
  require(file_ >= 0, "output file: ", path_.string(), " is finished already");
  flush();
  const bool closed = close(std::exchange(file_, -1)) == 0;
  require<IoError>(closed, path_.string(), ": cannot be written: ", std::strerror(errno));
  if (slot_ < 0) return;
  require<IoError>(std::rename(part_.c_str(), target_.c_str()) == 0, path_.string(),
                   ": the finished file cannot be given its name: ", std::strerror(errno));
  forget(std::exchange(slot_, -1));
}

void OutputFile::flush() {
  write_now(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void OutputFile::write_now(const char* data, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t done = ::write(file_, data, bytes);
    if (done < 0 && errno == EINTR) continue;
    require<IoError>(done > 0, path_.string(), ": cannot be written: ", std::strerror(errno));
    data += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

void OutputFile::close_file() noexcept {
  if (file_ >= 0) close(std::exchange(file_, -1));
}

void remove_unfinished_output_files() noexcept {
  for (Unfinished& file : unfinished)
    if (file.named) unlink(file.name.data());
}

}  // namespace millrace
