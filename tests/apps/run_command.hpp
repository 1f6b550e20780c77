// Runs the built command as a user would, and keeps what it printed.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

namespace millrace::test {

namespace fs = std::filesystem;

class Folder : public test::TemporaryFolder {
 public:
  Folder() : TemporaryFolder("millrace-test") {}
  std::string operator/(const std::string& name) const { return (path() / name).string(); }
};

inline std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Becomes the command, with its outputs in those files.
[[noreturn]] inline void exec_command(const std::vector<std::string>& words, int out, int err) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT}) std::signal(signal, SIG_DFL);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  std::vector<char*> arguments;
  std::string command = MILLRACE_COMMAND;
  arguments.push_back(command.data());
  std::vector<std::string> copies = words;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(command.c_str(), arguments.data());
  _exit(127);
}

/// Starts the command with its outputs in those files; a negative descriptor closes standard output's reader.
inline pid_t start_command(const std::vector<std::string>& words, int out, int err) {
  const pid_t child = fork();
  if (child == 0) exec_command(words, out, err);
  return child;
}

/// The exit code, or 1000 + the signal that killed it.
inline int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

struct Outcome {
  int code = -1;
  std::string out, err;
};

inline Outcome run_command(const std::vector<std::string>& words) {
  const Folder folder;
  const std::string out_name = folder / "out", err_name = folder / "err";
  const int out = open(out_name.c_str(), O_CREAT | O_WRONLY, 0600),
            err = open(err_name.c_str(), O_CREAT | O_WRONLY, 0600);
  const int code = wait_for(start_command(words, out, err));
  close(out);
  close(err);
  return {code, read_file(out_name), read_file(err_name)};
}

/// Something printed, with no escape code, no carriage return and nothing on standard error.
inline void expect_plain(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(outcome.out.empty());
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out.find_first_of("\033\r"), std::string::npos);
}

/// "millrace: text" in one line on standard error, nothing else.
inline void expect_error(const Outcome& outcome, int code, const std::string& part) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("millrace: ")) << outcome.err;
  EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
}

}  // namespace millrace::test
