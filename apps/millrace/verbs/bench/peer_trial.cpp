// The trial of peers, seen from both processes.
#include "verbs/bench/peer_trial.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "command.hpp"
#include "millrace/bench/contender.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/sparse/gallery.hpp"
#include "verb.hpp"

extern char** environ;

namespace millrace::command {

namespace {

constexpr const char* trial_matrix = "hdg:m=4,faces=60";  // dense blocks, so that all peers have work
constexpr unsigned seconds_per_peer = 60;                 // one that hangs ends by a signal, too
bool is_command = false;
constexpr std::string_view begins = "begin ", ends = "end ", breaks = "broken ";

void say(std::string_view what, std::string_view text) {
  fmt::print("{}{}\n", what, text);
  std::fflush(stdout);
}

template <class T>
void try_each(Queue& queue, int num, const std::vector<std::string>& left_out) {
  const Csr<T> a = convert_values<T>(gallery::make(trial_matrix));
  const Array<T> x = Array<T>(std::int64_t{a.num_cols} * num, T{1}).to(queue.device());
  Array<T> y(queue.device(), std::int64_t{a.num_rows} * num);
  const Problem<T> problem{
      a, queue, {queue.device(), x.data(), a.num_cols, num}, {queue.device(), y.data(), a.num_rows, num}};
  for (const Maker<T>& maker : peers(problem)) {
    if (std::find(left_out.begin(), left_out.end(), maker.name) != left_out.end()) continue;
    say(begins, maker.name);
    alarm(seconds_per_peer);
    try {
      maker.make().run();
      queue.wait();
    } catch (const CudaError& error) {
      say(breaks, error.what());
      std::_Exit(exit_error);  // nothing that follows could be trusted
    } catch (const Error&) {   // not for this matrix
    }
    say(ends, maker.name);
  }
}

// The output of a process and how it ended.
struct Ended {
  std::string out;
  int status = 0;
};

Ended run_process(const std::string& program, std::vector<std::string> words) {
  int pipes[2];
  require(pipe2(pipes, O_CLOEXEC) == 0, "peers: no pipe to be had: ", std::strerror(errno));
  std::vector<char*> arguments;
  words.insert(words.begin(), program);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipes[1]);
  Ended ended;
  char bytes[4096];
  for (ssize_t count = 0; !failed && (count = read(pipes[0], bytes, sizeof bytes)) != 0;)
    if (count > 0) ended.out.append(bytes, static_cast<std::size_t>(count));
  close(pipes[0]);
  require(failed == 0, "peers: ", program, " cannot be run: ", std::strerror(failed));
  while (waitpid(child, &ended.status, 0) < 0 && errno == EINTR) {
  }
  return ended;
}

// The peer that was begun last and not ended, and why.
std::optional<std::pair<std::string, std::string>> broken_one(const Ended& ended) {
  std::string name, why;
  for (std::size_t at = 0; at < ended.out.size();) {
    const std::size_t stop = std::min(ended.out.find('\n', at), ended.out.size());
    const std::string line = ended.out.substr(at, stop - at);
    if (line.starts_with(begins)) name = line.substr(begins.size());
    if (line.starts_with(ends)) name.clear();
    if (line.starts_with(breaks)) why = line.substr(breaks.size());
    at = stop + 1;
  }
  if (name.empty()) return {};
  if (why.empty() && WIFSIGNALED(ended.status))
    why = fmt::format("broke in a trial on a small matrix, by signal {} ({})", WTERMSIG(ended.status),
                      strsignal(WTERMSIG(ended.status)));
  return std::pair(name, why.empty() ? "ended the process of its trial" : why);
}

}  // namespace

int try_peers(int argc, char** argv) {
  const std::vector<std::string> words(argv + 2, argv + argc);
  require(words.size() >= 3, peer_trial_word, ": DEVICE PRECISION NUM_VECTORS are needed");
  Queue queue(parse_device(words[0]));
  const int num = std::atoi(words[2].c_str());
  with_precision(words[1], [&]<class T>() { try_each<T>(queue, num, {words.begin() + 3, words.end()}); });
  return exit_ok;
}

std::map<std::string, std::string> find_broken_peers(const std::string& program, std::vector<std::string> words) {
  std::map<std::string, std::string> broken;
  while (const auto found = broken_one(run_process(program, words))) {
    if (!broken.insert(*found).second) break;  // it was left out, and yet
    words.push_back(found->first);
  }
  return broken;
}

void allow_peer_trials() { is_command = true; }

std::map<std::string, std::string> broken_peers(const std::string& device, const std::string& precision,
                                                int num_vectors) {
  using Words = std::vector<std::string>;
  if (!is_command) return {};
  static std::map<Words, std::map<std::string, std::string>> known;  // one trial for all matrices of a run
  const Words words{peer_trial_word, device, precision, std::to_string(num_vectors)};
  const auto found = known.find(words);
  if (found != known.end()) return found->second;
  return known[words] = find_broken_peers("/proc/self/exe", words);
}

}  // namespace millrace::command
