// Assignment of rows to columns: a cheap start, then one shortest path (Dijkstra) for every row that is left.
#include "millrace/sparse/matching.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <queue>

#include "millrace/base/error.hpp"

namespace millrace {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using At = std::size_t;

class Assignment {
 public:
  template <class T>
  explicit Assignment(const Csr<T>& a)
      : n_(a.num_rows),
        begin_(At(n_) + 1),
        cols_(a.cols.data()),
        cost_(At(a.num_entries())),
        u_(At(n_), 0),
        v_(At(n_), infinity),
        row_of_(At(n_), -1),
        entry_of_(At(n_), -1),
        distance_(At(n_), infinity),
        from_(At(n_), -1),
        done_(At(n_), 0) {
    for (Index r = 0; r <= n_; ++r) begin_[At(r)] = a.row_begin(r);
    for (Index r = 0; r < n_; ++r) {
      double largest = 0;
      for (Offset k = begin_[At(r)]; k < begin_[At(r) + 1]; ++k)
        largest = std::max(largest, static_cast<double>(std::abs(a.vals.data()[k])));
      for (Offset k = begin_[At(r)]; k < begin_[At(r) + 1]; ++k) {
        const double size = std::abs(a.vals.data()[k]);
        cost_[At(k)] = size > 0 && std::isfinite(size) ? std::log(largest / size) : infinity;
      }
    }
  }

  /// Rows whose cheapest column is free take it; the diagonal first, so that a good order stays as it is.
  void start() {
    for (Index r = 0; r < n_; ++r)
      for (Offset k = begin_[At(r)]; k < begin_[At(r) + 1]; ++k)
        v_[At(cols_[k])] = std::min(v_[At(cols_[k])], cost_[At(k)]);
    for (double& v : v_)
      if (v == infinity) v = 0;
    for (Index r = 0; r < n_; ++r) {
      double least = infinity;
      for (Offset k = begin_[At(r)]; k < begin_[At(r) + 1]; ++k)
        least = std::min(least, cost_[At(k)] - v_[At(cols_[k])]);
      u_[At(r)] = least == infinity ? 0 : least;
    }
    for (const bool diagonal : {true, false})
      for (Index r = 0; r < n_; ++r)
        for (Offset k = begin_[At(r)]; k < begin_[At(r) + 1] && entry_of_[At(r)] < 0; ++k)
          if ((cols_[k] == r) == diagonal && reduced(r, k) <= 0 && row_of_[At(cols_[k])] < 0) take(r, k);
  }

  /// True: all rows that can have a column have one. False: `visits` entries were looked at before that.
  bool augment(double visits) {
    for (Index r = 0; r < n_; ++r) {
      if (entry_of_[At(r)] >= 0) continue;
      if (visits <= 0) return false;
      visits -= path_from(r);
    }
    return true;
  }

  Matching result(bool complete) const {
    Matching matching;
    matching.complete = complete;
    matching.rows = row_of_;
    std::vector<Index> free_rows;
    for (Index r = n_ - 1; r >= 0; --r)
      if (entry_of_[At(r)] < 0) free_rows.push_back(r);
    matching.num_matched = n_ - static_cast<Index>(free_rows.size());
    for (Index& row : matching.rows)
      if (row < 0) {
        row = free_rows.back();
        free_rows.pop_back();
      }
    return matching;
  }

 private:
  double reduced(Index r, Offset k) const { return cost_[At(k)] - u_[At(r)] - v_[At(cols_[k])]; }
  void take(Index r, Offset k) {
    row_of_[At(cols_[k])] = r;
    entry_of_[At(r)] = k;
  }

  /// The shortest path from a free row to a free column, along which rows then change their columns. Returns its work.
  double path_from(Index start) {
    std::priority_queue<Step, std::vector<Step>, std::greater<>> heap;
    std::vector<Index> finished;
    touched_.clear();
    double shortest = infinity, before = 0, work = 1;
    Index end = -1;
    for (Index r = start;;) {
      work += static_cast<double>(begin_[At(r) + 1] - begin_[At(r)]);
      for (Offset k = begin_[At(r)]; k < begin_[At(r) + 1]; ++k) {
        const Index c = cols_[k];
        const double length = before + std::max(0.0, reduced(r, k));
        if (!(length < shortest) || done_[At(c)] || !(length < distance_[At(c)])) continue;
        if (distance_[At(c)] == infinity) touched_.push_back(c);
        distance_[At(c)] = length;
        from_[At(c)] = r;
        if (row_of_[At(c)] < 0) {
          shortest = length;
          end = c;
        } else {
          heap.push({length, c});
        }
      }
      Index next = -1;
      while (next < 0 && !heap.empty() && heap.top().length < shortest) {
        const Step step = heap.top();
        heap.pop();
        if (!done_[At(step.column)] && step.length == distance_[At(step.column)]) next = step.column;
      }
      if (next < 0) break;
      done_[At(next)] = 1;
      finished.push_back(next);
      before = distance_[At(next)];
      r = row_of_[At(next)];
    }
    if (end >= 0) flip(start, end, shortest, finished);
    for (const Index c : touched_) {
      distance_[At(c)] = infinity;
      done_[At(c)] = 0;
    }
    return work;
  }

  void flip(Index start, Index end, double shortest, const std::vector<Index>& finished) {
    std::vector<Index> rows{start};
    for (const Index c : finished) {
      v_[At(c)] += distance_[At(c)] - shortest;
      rows.push_back(row_of_[At(c)]);
    }
    for (Index c = end;;) {
      const Index r = from_[At(c)];
      Offset k = begin_[At(r)];
      while (cols_[k] != c) ++k;
      const Index freed = entry_of_[At(r)] < 0 ? -1 : cols_[entry_of_[At(r)]];
      take(r, k);
      if (r == start) break;
      c = freed;
    }
    for (const Index r : rows) {
      const Offset k = entry_of_[At(r)];
      u_[At(r)] = cost_[At(k)] - v_[At(cols_[k])];
    }
  }

  struct Step {
    double length;
    Index column;
    friend auto operator<=>(const Step&, const Step&) = default;
  };

  Index n_;
  std::vector<Offset> begin_;     // [n + 1]
  const Index* cols_;             // [entries]
  std::vector<double> cost_;      // [entries], infinite for a zero
  std::vector<double> u_, v_;     // of rows and columns: cost - u - v is never negative, and 0 for what is matched
  std::vector<Index> row_of_;     // [n] of a column, or -1
  std::vector<Offset> entry_of_;  // [n] of a row, or -1
  std::vector<double> distance_;  // [n] of a column from the path's start
  std::vector<Index> from_;       // [n] the row before a column
  std::vector<char> done_;        // [n]
  std::vector<Index> touched_;    // columns whose distance is set
};

}  // namespace

template <class T>
Matching match_diagonal(const Csr<T>& a, double max_visits) {
  require(a.num_rows == a.num_cols, "match_diagonal: the matrix is ", a.num_rows, " x ", a.num_cols,
          "; it must be square");
  check_csr(a);
  Assignment assignment(a);
  assignment.start();
  const bool complete = assignment.augment(max_visits * static_cast<double>(a.num_entries() + a.num_rows));
  return assignment.result(complete);
}
template Matching match_diagonal(const Csr<float>&, double);
template Matching match_diagonal(const Csr<double>&, double);
template Matching match_diagonal(const Csr<std::complex<float>>&, double);
template Matching match_diagonal(const Csr<std::complex<double>>&, double);

}  // namespace millrace
