// Rows one after another: a sorted list of columns, into which the upper parts of earlier rows are merged.
#include "millrace/precond/fill.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "millrace/base/error.hpp"

namespace millrace {
namespace {

using At = std::size_t;

// One row while it is eliminated: columns as a linked list, so that fill is cheap to insert after its left neighbour.
class RowList {
 public:
  explicit RowList(Index n) : n_(n), next_(At(n) + 1), level_(At(n), absent) {}

  void clear() { head_ = n_; }
  Index first() const { return head_; }
  Index next(Index c) const { return next_[At(c)]; }
  Index end() const { return n_; }
  Index& level(Index c) { return level_[At(c)]; }
  bool has(Index c) const { return level_[At(c)] != absent; }
  void drop(Index c) { level_[At(c)] = absent; }
  /// After `left` (or at the front when it is -1), walking on as far as needed. Returns the place.
  Index insert(Index left, Index c, Index level) {
    Index before = left, after = left < 0 ? head_ : next_[At(left)];
    while (after < c) {
      before = after;
      after = next_[At(after)];
    }
    (before < 0 ? head_ : next_[At(before)]) = c;
    next_[At(c)] = after;
    level_[At(c)] = level;
    return c;
  }

 private:
  static constexpr Index absent = std::numeric_limits<Index>::max();
  Index n_, head_ = 0;
  std::vector<Index> next_, level_;
};

struct Upper {
  std::vector<Offset> begin{0};  // of the rows so far
  std::vector<Index> cols, levels;
};

}  // namespace

template <class T>
Csr<T> add_fill(const Csr<T>& a, int level, Offset max_entries) {
  require(a.num_rows == a.num_cols, "add_fill: the matrix is ", a.num_rows, " x ", a.num_cols, "; it must be square");
  require(level >= 0, "add_fill: level ", level, "; 0 or more are accepted");
  const Index n = a.num_rows;
  RowList row(n);
  Upper upper;
  Array<std::int64_t> row_ptr(n + 1);
  std::vector<Index> cols;
  std::vector<T> vals;
  row_ptr.data()[0] = 0;
  for (Index r = 0; r < n; ++r) {
    row.clear();
    Index last = -1;
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
      const Index c = a.cols.data()[k];
      require(c > last, "add_fill: the columns of row ", r, " do not rise; sort_rows makes them");
      last = row.insert(last, c, 0);
    }
    if (!row.has(r)) row.insert(-1, r, 0);
    for (Index p = row.first(); p < r; p = row.next(p)) {
      const Index above = row.level(p);
      if (above >= level) continue;
      Index left = p;
      for (Offset k = upper.begin[At(p)]; k < upper.begin[At(p) + 1]; ++k) {
        const Index c = upper.cols[At(k)], sum = above + upper.levels[At(k)] + 1;
        if (row.has(c))
          row.level(c) = std::min(row.level(c), sum);
        else if (sum <= level)
          left = row.insert(left, c, sum);
      }
    }
    Offset k = a.row_begin(r);
    for (Index c = row.first(); c < row.end(); c = row.next(c)) {
      cols.push_back(c);
      const bool stored = k < a.row_begin(r + 1) && a.cols.data()[k] == c;
      vals.push_back(stored ? a.vals.data()[k++] : T{});
      if (c > r && row.level(c) < level) {  // others can give no more fill
        upper.cols.push_back(c);
        upper.levels.push_back(row.level(c));
      }
      row.drop(c);
    }
    upper.begin.push_back(static_cast<Offset>(upper.cols.size()));
    row_ptr.data()[r + 1] = static_cast<std::int64_t>(cols.size());
    require(row_ptr.data()[r + 1] <= max_entries, "add_fill: level ", level, " needs more than ", max_entries,
            " entries, which is what was allowed");
  }
  return Csr<T>(n, n, std::move(row_ptr), Array<Index>(cols), Array<T>(vals));
}
template Csr<float> add_fill(const Csr<float>&, int, Offset);
template Csr<double> add_fill(const Csr<double>&, int, Offset);
template Csr<std::complex<float>> add_fill(const Csr<std::complex<float>>&, int, Offset);
template Csr<std::complex<double>> add_fill(const Csr<std::complex<double>>&, int, Offset);

}  // namespace millrace
