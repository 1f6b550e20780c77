// Coordinates from CSR and back: on the host a stable sort by row in linear time, on a GPU in steps.
#include "millrace/sparse/convert/coo.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "millrace/base/thread_limit.hpp"
#include "millrace/sparse/convert/merge_row.hpp"
#include "millrace/sparse/convert/run.hpp"

namespace millrace {
namespace {

// Sorts and merges every row of arrays that are already grouped by row, and closes the gaps.
template <class T>
Csr<T> finish_rows(int num_threads, Index num_rows, Index num_cols, Array<std::int64_t> row_ptr, Array<Index> cols,
                   Array<T> vals) {
  Array<std::int64_t> length(num_rows);
  parallel_for(num_threads, num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const Offset first = row_ptr.data()[r], count = row_ptr.data()[r + 1] - first;
      sort_row(cols.data() + first, vals.data() + first, count);
      length.data()[r] = merge_row(static_cast<Index>(r), cols.data() + first, vals.data() + first, count);
    }
  });
  const Offset left = std::accumulate(length.data(), length.data() + num_rows, Offset{0});
  if (left == cols.size()) return {num_rows, num_cols, std::move(row_ptr), std::move(cols), std::move(vals)};
  Array<std::int64_t> new_ptr(static_cast<std::int64_t>(num_rows) + 1);
  new_ptr.data()[0] = 0;
  std::partial_sum(length.data(), length.data() + num_rows, new_ptr.data() + 1);
  Array<Index> new_cols(left);
  Array<T> new_vals(left);
  parallel_for(num_threads, num_rows, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      std::copy_n(cols.data() + row_ptr.data()[r], length.data()[r], new_cols.data() + new_ptr.data()[r]);
      std::copy_n(vals.data() + row_ptr.data()[r], length.data()[r], new_vals.data() + new_ptr.data()[r]);
    }
  });
  return {num_rows, num_cols, std::move(new_ptr), std::move(new_cols), std::move(new_vals)};
}

template <class T>
void check_sizes(const Coo<T>& a) {
  require(a.rows.size() == a.vals.size() && a.cols.size() == a.vals.size(), "coo: there are ", a.rows.size(), " rows, ",
          a.cols.size(), " columns and ", a.vals.size(), " values; they belong together");
  require(a.num_rows >= 0 && a.num_cols >= 0, "coo: a size of ", a.num_rows, " x ", a.num_cols, " is not possible");
  require(a.vals.empty() || (a.rows.data() && a.cols.data() && a.vals.data()), "coo: rows, columns or values of ",
          a.vals.size(), " entries are a null pointer");
  require(a.vals.empty() || (a.rows.device() == a.device() && a.cols.device() == a.device()),
          "coo: the three arrays must live on one device; they are on ", to_string(a.rows.device()), ", ",
          to_string(a.cols.device()), " and ", to_string(a.device()));
}

template <class T>
void check_entries(int num_threads, const Coo<T>& a) {
  parallel_for(num_threads, a.num_entries(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      const Index r = a.rows.data()[k], c = a.cols.data()[k];
      if (r < 0 || r >= a.num_rows || c < 0 || c >= a.num_cols) refuse_entry(k, r, c, a.num_rows, a.num_cols);
    }
  });
}

template <class T>
struct Grouped {
  Array<std::int64_t> row_ptr;  // [num_rows + 1]
  Array<Index> cols;            // [num_entries]
  Array<T> vals;                // [num_entries]
};

// Groups the entries by row in the order given: every thread owns a range of rows and scans all entries.
template <class T>
Grouped<T> group_by_row(int num_threads, const Coo<T>& a) {
  check_entries(num_threads, a);
  const Offset n = a.num_entries();
  const Index* rows = a.rows.data();
  Array<std::int64_t> row_ptr(static_cast<std::int64_t>(a.num_rows) + 1, 0);
  for (Offset k = 0; k < n; ++k) ++row_ptr.data()[rows[k] + 1];
  std::partial_sum(row_ptr.data(), row_ptr.data() + a.num_rows + 1, row_ptr.data());
  Array<Index> cols(n);
  Array<T> vals(n);
  Array<std::int64_t> place = row_ptr.clone();
  parallel(threads_for(std::min(8, num_threads), n, {.bytes = 4}), [&](int thread, int count) {
    const auto bound = [&](int t) {  // the row at which thread t begins, by entries
      const Offset* offsets = row_ptr.data();
      if (t == count) return a.num_rows;
      return static_cast<Index>(std::lower_bound(offsets, offsets + a.num_rows, n * t / count) - offsets);
    };
    const Index first = bound(thread), last = bound(thread + 1);
    for (Offset k = 0; k < n; ++k) {
      if (rows[k] < first || rows[k] >= last) continue;
      const Offset to = place.data()[rows[k]]++;
      cols.data()[to] = a.cols.data()[k];
      vals.data()[to] = a.vals.data()[k];
    }
  });
  return {std::move(row_ptr), std::move(cols), std::move(vals)};
}

}  // namespace

template <class T>
Coo<T> Coo<T>::from_csr(Queue& queue, const Csr<T>& a, const FormatSpec& spec, Trust trusted) {
  const ThreadLimit limit(queue);
  return convert::run<Coo>(queue, a, spec, trusted);
}

template <class T>
Csr<T> to_csr(Queue& queue, const Coo<T>& a, bool add_up) {
  check_sizes(a);
  require(queue.device() == a.device(), "to_csr: the entries live on ", to_string(a.device()), ", the queue on ",
          to_string(queue.device()), "; both must be on one device");
  if constexpr (build::cuda)
    if (!a.device().on_host()) return cuda::to_csr(queue, a, add_up);
  auto [row_ptr, cols, vals] = group_by_row(queue.num_threads(), a);
  if (!add_up) return {a.num_rows, a.num_cols, std::move(row_ptr), std::move(cols), std::move(vals)};
  return finish_rows(queue.num_threads(), a.num_rows, a.num_cols, std::move(row_ptr), std::move(cols), std::move(vals));
}

template <class T>
Csr<T> sort_rows(Queue& queue, const Csr<T>& a) {
  require(queue.device() == a.device(), "sort_rows: the matrix lives on ", to_string(a.device()), ", the queue on ",
          to_string(queue.device()), "; both must be on one device");
  check_csr(queue, a);
  if constexpr (build::cuda)
    if (!a.device().on_host()) return cuda::sort_rows(queue, a);
  Array<std::int64_t> row_ptr(static_cast<std::int64_t>(a.num_rows) + 1);
  row_ptr.data()[0] = 0;
  for (Index r = 0; r < a.num_rows; ++r) row_ptr.data()[r + 1] = a.row_begin(r + 1);
  return finish_rows(queue.num_threads(), a.num_rows, a.num_cols, std::move(row_ptr), a.cols.clone(), a.vals.clone());
}

template <class T>
void check_coo(Queue& queue, const Coo<T>& a) {
  check_sizes(a);
  require(queue.device() == a.device(), "coo: the entries live on ", to_string(a.device()), ", the queue on ",
          to_string(queue.device()), "; both must be on one device");
  if (a.device().on_host())
    check_entries(queue.num_threads(), a);
  else if constexpr (build::cuda)
    cuda::check_entries(queue, a);
}

template <class T>
bool is_sorted_by_row(Queue& queue, const Coo<T>& a) {
  if constexpr (build::cuda)
    if (!a.device().on_host()) return cuda::is_sorted_by_row(queue, a);
  convert::HostSteps steps(queue);
  return convert::is_sorted_by_row(steps, a);
}

namespace {

template <class Format, class Work>
auto and_wait(const Format& a, Work&& work) {
  Queue queue(a.device());
  auto made = work(queue);
  queue.wait();
  return made;
}

}  // namespace

template <class T>
Csr<T> to_csr(const Coo<T>& a) {
  return and_wait(a, [&](Queue& queue) { return to_csr(queue, a, true); });
}

template <class T>
Csr<T> to_csr_keeping_duplicates(const Coo<T>& a) {
  return and_wait(a, [&](Queue& queue) { return to_csr(queue, a, false); });
}

template <class T>
Csr<T> sort_rows(const Csr<T>& a) {
  return and_wait(a, [&](Queue& queue) { return sort_rows(queue, a); });
}

#define MILLRACE_INSTANTIATE(T)                                                      \
  template Coo<T> Coo<T>::from_csr(Queue&, const Csr<T>&, const FormatSpec&, Trust); \
  template Csr<T> to_csr(Queue&, const Coo<T>&, bool);                               \
  template Csr<T> to_csr(const Coo<T>&);                                             \
  template Csr<T> to_csr_keeping_duplicates(const Coo<T>&);                          \
  template Csr<T> sort_rows(Queue&, const Csr<T>&);                                  \
  template Csr<T> sort_rows(const Csr<T>&);                                          \
  template void check_coo(Queue&, const Coo<T>&);                                    \
  template bool is_sorted_by_row(Queue&, const Coo<T>&)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);
MILLRACE_INSTANTIATE(std::complex<float>);
MILLRACE_INSTANTIATE(std::complex<double>);

}  // namespace millrace
