// What must hold in a process of its own, after fork.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace millrace::testing {

/// Does f() return true in a child of this process? A child that hangs is ended after a minute.
template <class F>
bool holds_in_child(F&& f) {
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(60);
    _exit(f() ? 0 : 1);
  }
  int status = 0;
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace millrace::testing
