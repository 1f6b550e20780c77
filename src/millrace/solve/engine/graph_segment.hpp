// GraphSegment: work that a solver enqueues again and again, for instance ten iterations of a GMRES cycle. On a GPU the
// first time runs plainly, the second is captured, and from the third on a graph is replayed.
#pragma once

#include <optional>

#include "millrace/base/comm.hpp"
#include "millrace/base/error.hpp"
#include "millrace/base/timer.hpp"

namespace millrace::detail {

class GraphSegment {
 public:
  /// The same calls with the same arguments every time. Work that cannot be captured (a solver inside it) runs plainly.
  /// Ranks that share it capture it together, or none does.
  GraphSegment(Comm comm, std::function<void()> work, bool graph)
      : comm_(std::move(comm)), work_(std::move(work)), capture_(graph) {}

  /// The work is another one from here on.
  void forget() {
    graph_.reset();
    ran_ = false;
  }
  void enqueue(Queue& queue) {
    if (graph_) return graph_->replay();
    if (queue.device().on_host() || !capture_ || !ran_) {
      work_();
      ran_ = true;
      return;
    }
    bool ran = false;
    try {
      graph_.emplace(queue, [&] {
        work_();
        ran = true;
      });
    } catch (const Error&) {
      if (!ran) throw;
      capture_ = false;
    }
    capture_ = comm_.all(capture_);
    if (!capture_) graph_.reset();
  }

 private:
  Comm comm_;
  std::function<void()> work_;
  bool capture_;
  bool ran_ = false;
  std::optional<Graph> graph_{};
};

}  // namespace millrace::detail
