// The product that every contender is checked against before it is timed: the row loop in twice the working
// precision, and for every row the error that a right product may have.
#pragma once

#include <span>

#include "millrace/sparse/csr.hpp"

namespace millrace::bench {

struct CheckResult {
  double max_error_over_bound = 0;  // infinite where a result is missing or not a number
  std::int64_t worst_row = -1;
  int worst_vector = 0;
  bool ok() const { return max_error_over_bound <= 1; }
};

template <class T>
class Reference {
 public:
  /// a on the host, x: [num_vectors, num_cols].
  Reference(const Csr<T>& a, std::span<const T> x, int num_vectors, int num_threads);

  /// y: [num_vectors, num_rows]. The bound of a row of n entries is (n + 2) eps sum|a||x| with 4 n for complex
  /// numbers, and n times the smallest normal number for products that underflow.
  /// Values that were rounded to a relative error of `value_rounding` before may be off by that times sum|a||x| more.
  CheckResult check(std::span<const T> y, double value_rounding = 0) const;

 private:
  static constexpr int parts = is_complex<T> ? 2 : 1;
  struct Sum {  // its value is high + low
    double high = 0, low = 0;
    void add(double a, double x);
    double distance(double y) const { return (y - high) - low; }
  };
  Index num_rows_;
  int num_vectors_;
  int num_threads_;
  Array<Sum> sums_;      // [num_vectors, num_rows, parts]
  Array<double> bound_;  // [num_vectors, num_rows]
  Array<double> size_;   // [num_vectors, num_rows], sum|a||x|
};

extern template class Reference<float>;
extern template class Reference<double>;
extern template class Reference<std::complex<float>>;
extern template class Reference<std::complex<double>>;

}  // namespace millrace::bench
