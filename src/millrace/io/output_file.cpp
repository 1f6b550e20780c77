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

// Unfinished files: what they become, so that no two are of one name, and their names of now, in memory that a signal
// handler may read.
struct Unfinished {
  std::string target{};  // empty: free
  std::atomic<bool> named = false;
  std::array<char, 4096> name{};
};
std::array<Unfinished, 64> unfinished;
std::mutex naming;
static_assert(std::atomic<bool>::is_always_lock_free);

int remember(const std::string& target) {
  constexpr std::size_t longest_ending = 64;
  require<IoError>(target.size() + longest_ending < unfinished[0].name.size(), target, ": the name is too long");
  const std::lock_guard lock(naming);
  int free_slot = -1;
  for (std::size_t i = 0; i < unfinished.size(); ++i) {
    if (unfinished[i].target.empty()) free_slot = static_cast<int>(i);
    require<IoError>(unfinished[i].target != target, target, ": is being written already");
  }
  require<IoError>(free_slot >= 0, target, ": ", unfinished.size(), " files are being written already");
  unfinished[static_cast<std::size_t>(free_slot)].target = target;
  return free_slot;
}

void set_name(int slot, const std::string& name) {
  Unfinished& file = unfinished[static_cast<std::size_t>(slot)];
  std::memcpy(file.name.data(), name.c_str(), name.size() + 1);
  file.named = true;
}

void forget(int slot) noexcept {
  if (slot < 0) return;
  const std::lock_guard lock(naming);
  unfinished[static_cast<std::size_t>(slot)].named = false;
  unfinished[static_cast<std::size_t>(slot)].target.clear();
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
    require<IoError>(file_ >= 0, path.string(), ": cannot be written: ", std::strerror(errno));
  } else {
    require<IoError>(may_be_replaced(target_), path.string(), ": cannot be written: it is read-only");
    slot_ = remember(std::filesystem::absolute(target_).string());
    part_ = make_part_file(target_, [&](const std::string& name) {
      set_name(slot_, std::filesystem::absolute(name).string());  // before a signal can find the file
    });
    if (part_.file < 0) {
      const int code = errno;
      forget(slot_);
      throw IoError(join(path.string(), ": cannot be written: ", std::strerror(code)));
    }
    file_ = part_.file;
  }
  buffer_.reserve(buffer_bytes);
}

OutputFile::~OutputFile() {
  close_file();
  if (slot_ >= 0) {
    unlink(part_.name.c_str());
    forget(slot_);
  }
}

void OutputFile::write(std::string_view bytes) {
  require(file_ >= 0, "output file: ", path_.string(), " is finished, nothing more can be written to it");
  if (buffer_.size() + bytes.size() > buffer_bytes) flush();
  if (bytes.size() >= buffer_bytes)
    write_now(bytes);
  else
    buffer_ += bytes;
}

void OutputFile::commit() {
  require(file_ >= 0, "output file: ", path_.string(), " is finished already");
  flush();
  const int file = std::exchange(file_, -1);
  const bool written = slot_ < 0 ? close(file) == 0 : finish_part_file(part_, target_);  // before errno is read
  require<IoError>(written, path_.string(), ": cannot be written: ", std::strerror(errno));
  if (slot_ < 0) return;
  forget(std::exchange(slot_, -1));
}

void OutputFile::flush() {
  write_now(buffer_);
  buffer_.clear();
}

void OutputFile::write_now(std::string_view bytes) {
  const bool written = write_all(file_, bytes);  // before errno is read
  require<IoError>(written, path_.string(), ": cannot be written: ", std::strerror(errno));
}

void OutputFile::close_file() noexcept {
  if (file_ >= 0) close(std::exchange(file_, -1));
}

void remove_unfinished_output_files() noexcept {
  for (Unfinished& file : unfinished)
    if (file.named) unlink(file.name.data());
}

}  // namespace millrace
