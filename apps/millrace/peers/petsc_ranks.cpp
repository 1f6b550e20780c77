// Starts and ends the ranks. Their files have no names: they reach the command's own through /proc, so nothing stays
// behind whatever happens to either side.
#include "peers/petsc_ranks.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>
#include <thread>

extern char** environ;

namespace millrace::bench {

namespace {

using Clock = std::chrono::steady_clock;

void require_call(bool success, const char* what) {
  require<Unsupported>(success, "starting PETSc: ", what, ": ", std::strerror(errno));
}

// Huge pages as our arrays have them, one thread per rank, and no refusal to run as root in a container.
std::vector<std::string> environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string::npos) variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  variables["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1";
  variables["OMP_NUM_THREADS"] = "1";
  variables["OMPI_ALLOW_RUN_AS_ROOT"] = variables["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  std::vector<std::string> entries;
  for (const auto& [name, value] : variables) entries.push_back(name + '=' + value);
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

PetscRanks::PetscRanks(const std::string& type, const Csr<double>& sorted, Index block_size, std::span<const double> x,
                       int num_ranks)
    : to_rank_(static_cast<std::size_t>(num_ranks)), from_rank_(static_cast<std::size_t>(num_ranks)) {
  try {
    share(sorted, block_size, x);
    start(type);
    wait_until_ready();
  } catch (...) {
    stop();
    throw;
  }
}

PetscRanks::~PetscRanks() { stop(); }

void PetscRanks::share(const Csr<double>& sorted, Index block_size, std::span<const double> x) {
  const PetscHead head{sorted.num_rows, sorted.num_cols, sorted.num_entries(), block_size, 0, {}};
  const PetscLayout layout(head);
  shared_ = memfd_create("millrace-petsc", MFD_CLOEXEC);
  require_call(shared_ >= 0 && ftruncate(shared_, static_cast<off_t>(layout.end)) == 0, "no shared memory");
  void* memory = mmap(nullptr, layout.end, PROT_READ | PROT_WRITE, MAP_SHARED, shared_, 0);
  require_call(memory != MAP_FAILED, "the shared memory cannot be mapped");
  memory_ = static_cast<char*>(memory);
  bytes_ = layout.end;
  std::memcpy(memory_, &head, sizeof(head));
  const auto put = [&](std::size_t offset, const auto* from, std::int64_t num) {
    std::copy_n(from, num, reinterpret_cast<std::remove_cvref_t<decltype(*from)>*>(memory_ + offset));
  };
  auto* row_ptr = reinterpret_cast<std::int64_t*>(memory_ + layout.row_ptr);
  std::visit([&](const auto& offsets) { std::copy_n(offsets.data(), offsets.size(), row_ptr); }, sorted.row_ptr);
  put(layout.cols, sorted.cols.data(), sorted.num_entries());
  put(layout.vals, sorted.vals.data(), sorted.num_entries());
  put(layout.x, x.data(), std::ssize(x));
}

void PetscRanks::start(const std::string& type) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path() / petsc_program;
  require<Unsupported>(fs::exists(program, error), "PETSc: the program ", petsc_program, " is not beside this one");
  std::vector<std::string> words = {"mpirun",
                                    "-n",
                                    std::to_string(to_rank_.size()),
                                    "--bind-to",
                                    "none",
                                    "--oversubscribe",
                                    program.string(),
                                    type,
                                    join("/proc/", getpid(), "/fd"),
                                    std::to_string(shared_)};
  for (std::size_t r = 0; r < to_rank_.size(); ++r) {
    for (Pipe* pipe : {&to_rank_[r], &from_rank_[r]}) {
      int ends[2];
      require_call(pipe2(ends, O_CLOEXEC) == 0, "no pipe");
      *pipe = {ends[0], ends[1]};
    }
    words.push_back(std::to_string(to_rank_[r].read));
    words.push_back(std::to_string(from_rank_[r].write));
  }
  log_ = memfd_create("millrace-petsc-log", MFD_CLOEXEC);
  require_call(log_ >= 0, "no file for its messages");

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, log_, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, log_, STDERR_FILENO);
  std::vector<std::string> variables = environment();
  const int code =
      posix_spawnp(&mpirun_, "mpirun", &actions, nullptr, pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) mpirun_ = -1;
  require<Unsupported>(code == 0, "PETSc: mpirun cannot be started: ", std::strerror(code));
}

void PetscRanks::wait_until_ready() {
  constexpr auto patience = std::chrono::minutes(5);
  const auto begin = Clock::now();
  for (Pipe& pipe : from_rank_) {
    pollfd wanted{pipe.read, POLLIN, 0};
    while (poll(&wanted, 1, 20) == 0) {
      require<Unsupported>(!ended(), "PETSc: mpirun ended early: ", last_words());
      require<Unsupported>(Clock::now() - begin < patience, "PETSc: its ranks were not ready after 5 minutes");
    }
    char byte = 0;
    require<Unsupported>(read(pipe.read, &byte, 1) == 1 && byte == petsc_ready, "PETSc: a rank gave no right answer");
    close(std::exchange(pipe.write, -1));  // from now on the end of the rank ends the pipe
  }
  const PetscLayout layout(head());
  madvise(memory_ + layout.row_ptr, bytes_ - layout.row_ptr, MADV_REMOVE);  // the ranks have taken what they need
}

// The read ends of to_rank_ stay open, so that writing to a rank that died is no signal; its answer is missed below.
void PetscRanks::order(PetscOrder order) {
  char byte = static_cast<char>(order);
  bool answered = true;
  for (const Pipe& pipe : to_rank_) answered &= write(pipe.write, &byte, 1) == 1;
  for (const Pipe& pipe : from_rank_) answered = answered && read(pipe.read, &byte, 1) == 1;
  require(answered, "PETSc: a rank ended during a product: ", last_words());
}

std::span<const double> PetscRanks::y() const {
  return {reinterpret_cast<const double*>(memory_ + PetscLayout(head()).y), static_cast<std::size_t>(head().num_rows)};
}

bool PetscRanks::ended() {
  if (mpirun_ < 0) return true;
  if (waitpid(mpirun_, &status_, WNOHANG) != mpirun_) return false;
  mpirun_ = -1;
  return true;
}

// The first message among what the ranks and mpirun printed, in one line; mpirun draws lines of dashes between them.
std::string PetscRanks::last_words() const {
  std::string text(4096, '\0');
  const ssize_t size = pread(log_, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  std::istringstream lines(text);
  std::string message;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("---") && !message.empty()) break;
    std::istringstream words(line.starts_with("---") ? "" : line);
    for (std::string word; words >> word;) message += (message.empty() ? "" : " ") + word;
  }
  constexpr std::size_t most = 300;
  if (message.size() > most) message = message.substr(0, most) + "...";
  return message.empty() ? "it said nothing" : message;
}

void PetscRanks::stop() noexcept {
  const char order = static_cast<char>(PetscOrder::end);
  for (const Pipe& pipe : to_rank_)
    if (pipe.write >= 0 && write(pipe.write, &order, 1) != 1) break;  // then the end of the pipe ends them
  for (auto* pipes : {&to_rank_, &from_rank_})
    for (Pipe& pipe : *pipes)
      for (int* end : {&pipe.read, &pipe.write})
        if (*end >= 0) close(std::exchange(*end, -1));
  // Now the ranks end by themselves; one that hangs is told by mpirun, and mpirun at last by force.
  const auto begin = Clock::now();
  int told = 0;
  for (const int signal : {SIGTERM, SIGKILL}) {
    while (!ended() && Clock::now() - begin < std::chrono::seconds(5 * (told + 1)))
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (ended()) break;
    kill(mpirun_, signal);
    ++told;
  }
  if (!ended()) waitpid(std::exchange(mpirun_, -1), &status_, 0);
  if (memory_) munmap(memory_, bytes_);
  for (const int file : {shared_, log_})
    if (file >= 0) close(file);
}

}  // namespace millrace::bench
