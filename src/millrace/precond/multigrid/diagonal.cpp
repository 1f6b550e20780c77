// One pass over the rows.
#include "millrace/precond/multigrid/diagonal.hpp"

#include <algorithm>
#include <atomic>

#include "millrace/base/parallel.hpp"
#include "millrace/precond/multigrid/rows.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"

namespace millrace::multigrid {
namespace {

/// The first row at fault, or num_rows.
template <class T>
Index update_on_host(int num_threads, const Csr<T>& a, Diagonal<T>& d) {
  const Index n = a.num_rows;
  const MatrixView<T> view = view_of(a);
  std::atomic<Index> replaced = 0, bad = n;
  std::atomic<double> largest = 0;
  parallel(threads_for(num_threads, n, {.flops = 8}), [&](int thread, int count) {
    const auto [begin, end] = even_part(n, thread, count);
    Index own_replaced = 0, own_bad = n;
    double own_largest = 0;
    for (auto r = static_cast<Index>(begin); r < end; ++r) {
      const auto row = RowFacts<T>::of(view, r);
      if (!row.finite) own_bad = std::min(own_bad, r);
      own_replaced += row.replaced;
      d.value.data()[r] = row.diagonal;
      d.row_sum.data()[r] = row.sum;
      d.num_beside.data()[r] = row.num_beside;
      own_largest = std::max(own_largest, row.gershgorin());
    }
    replaced += own_replaced;
    for (Index first = bad; own_bad < first && !bad.compare_exchange_weak(first, own_bad);) {
    }
    for (double most = largest; own_largest > most && !largest.compare_exchange_weak(most, own_largest);) {
    }
  });
  d.num_replaced = replaced;
  d.gershgorin = largest;
  return bad;
}

}  // namespace

template <class T>
void Diagonal<T>::update(Queue& queue, const Csr<T>& a) {
  const Index n = a.num_rows;
  if (value.size() != n) value = Array<T>(queue, n), row_sum = Array<T>(queue, n), num_beside = Array<Index>(queue, n);
  Index bad = n;
  if (queue.device().on_host())
    bad = update_on_host(queue.num_threads(), a, *this);
  else if constexpr (build::cuda)
    bad = cuda::update_diagonal(queue, a, *this);
  require(bad == n, "amg: row ", bad, " of a matrix of ", n,
          " has a number that is not finite, or its sum is none; all must be");
}

template struct Diagonal<float>;
template struct Diagonal<double>;

}  // namespace millrace::multigrid
