// One pass over the rows.
#include "millrace/precond/multigrid/diagonal.hpp"

#include <atomic>
#include <cmath>

#include "millrace/base/parallel.hpp"
#include "millrace/precond/multigrid/rows.hpp"

namespace millrace::multigrid {

template <class T>
void Diagonal<T>::update(int num_threads, const Csr<T>& a) {
  const Index n = a.num_rows;
  if (value.size() != n) value = Array<T>(n), row_sum = Array<T>(n), num_beside = Array<Index>(n);
  std::atomic<Index> replaced = 0, bad = n;
  std::atomic<double> largest = 0;
  a.visit_view([&](const auto& view) {
    parallel(threads_for(num_threads, n, 8), [&](int thread, int count) {
      const auto [begin, end] = even_part(n, thread, count);
      Index own_replaced = 0;
      double own_largest = 0;
      for (auto r = static_cast<Index>(begin); r < end; ++r) {
        T sum = 0, diagonal = 0;
        Index num = 0;
        for (auto s = view.row_ptr[r]; s < view.row_ptr[r + 1]; ++s) {
          const T v = view.vals[s];
          sum += std::abs(v);
          if (view.cols[s] == r)
            diagonal += v;
          else
            num += v != 0;
        }
        if (!is_finite(sum)) {
          for (Index first = bad; r < first && !bad.compare_exchange_weak(first, r);) {
          }
        }
        if (sum == 0) sum = 1;
        if (diagonal == 0) diagonal = sum, ++own_replaced;
        value.data()[r] = diagonal;
        row_sum.data()[r] = sum;
        num_beside.data()[r] = num;
        own_largest = std::max(own_largest, double{sum} / std::abs(double{diagonal}));
      }
      replaced += own_replaced;
      for (double most = largest; own_largest > most && !largest.compare_exchange_weak(most, own_largest);) {
      }
    });
  });
  require(bad == n, "amg: row ", bad.load(), " of a matrix of ", n,
          " has a number that is not finite, or its sum is none; all must be");
  num_replaced = replaced;
  gershgorin = largest;
}

template struct Diagonal<float>;
template struct Diagonal<double>;

}  // namespace millrace::multigrid
