// Compile without contraction to fused operations: Sum::add relies on every single rounding.
#include "millrace/bench/reference.hpp"

#include <cmath>
#include <limits>
#include <mutex>

namespace millrace::bench {

// The compensated dot product Dot2 (Ogita, Rump, Oishi 2005): as good as twice the precision of double.
template <class T>
void Reference<T>::Sum::add(double a, double x) {
  const double product = a * x;
  const double product_error = std::fma(a, x, -product);
  const double sum = high + product;
  const double part = sum - high;
  const double sum_error = (high - (sum - part)) + (product - part);
  high = sum;
  low += product_error + sum_error;
}

template <class T>
Reference<T>::Reference(const Csr<T>& a, std::span<const T> x, int num_vectors, int num_threads)
    : num_rows_(a.num_rows),
      num_vectors_(num_vectors),
      num_threads_(num_threads),
      sums_(std::int64_t{a.num_rows} * num_vectors * parts),
      bound_(std::int64_t{a.num_rows} * num_vectors),
      size_(bound_.size()) {
  using R = RealOf<T>;
  constexpr double eps = std::numeric_limits<R>::epsilon(), smallest = std::numeric_limits<R>::min();
  parallel_for(num_threads, a.num_rows, {.flops = 100}, [&](std::int64_t begin, std::int64_t end) {
    for (int v = 0; v < num_vectors; ++v) {
      const T* x_v = x.data() + std::int64_t{v} * a.num_cols;
      for (auto r = static_cast<Index>(begin); r < end; ++r) {
        Sum re, im;
        double size = 0;
        for (Offset s = a.row_begin(r); s < a.row_begin(r + 1); ++s) {
          const T value = a.vals.data()[s], x_j = x_v[a.cols.data()[s]];
          size += static_cast<double>(std::abs(value)) * static_cast<double>(std::abs(x_j));
          if constexpr (is_complex<T>) {
            re.add(value.real(), x_j.real());
            re.add(-value.imag(), x_j.imag());
            im.add(value.real(), x_j.imag());
            im.add(value.imag(), x_j.real());
          } else {
            re.add(value, x_j);
          }
        }
        const std::int64_t place = std::int64_t{v} * a.num_rows + r;
        sums_.data()[place * parts] = re;
        if constexpr (is_complex<T>) sums_.data()[place * parts + 1] = im;
        const double n = a.row_length(r);
        size_.data()[place] = size;
        bound_.data()[place] = ((is_complex<T> ? 4 * n : n) + 2) * eps * size + n * smallest;
      }
    }
  });
}

template <class T>
CheckResult Reference<T>::check(std::span<const T> y, double value_rounding) const {
  require(std::ssize(y) == bound_.size(), "check: y has ", std::ssize(y), " entries instead of ", bound_.size());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CheckResult worst;
  std::mutex mutex;
  parallel_for(num_threads_, bound_.size(), [&](std::int64_t begin, std::int64_t end) {
    CheckResult mine;
    for (std::int64_t i = begin; i < end; ++i) {
      double error;
      const Sum* sum = sums_.data() + i * parts;
      if constexpr (is_complex<T>)
        error = std::hypot(sum[0].distance(y[static_cast<std::size_t>(i)].real()),
                           sum[1].distance(y[static_cast<std::size_t>(i)].imag()));
      else
        error = std::abs(sum[0].distance(y[static_cast<std::size_t>(i)]));
      const double bound = bound_.data()[i] + value_rounding * size_.data()[i];
      double ratio = error == 0 ? 0 : bound > 0 ? error / bound : infinity;
      if (!std::isfinite(bound)) ratio = std::isfinite(std::abs(y[static_cast<std::size_t>(i)])) ? infinity : 0;
      if (std::isnan(ratio)) ratio = infinity;
      if (ratio > mine.max_error_over_bound) mine = {ratio, i % num_rows_, static_cast<int>(i / num_rows_)};
    }
    const std::lock_guard lock(mutex);
    if (mine.max_error_over_bound > worst.max_error_over_bound) worst = mine;
  });
  return worst;
}

template class Reference<float>;
template class Reference<double>;
template class Reference<std::complex<float>>;
template class Reference<std::complex<double>>;

}  // namespace millrace::bench
