// How far a matrix is from Hermitian, by the entries of A and A^H in sorted rows.
#include <cmath>
#include <complex>

#include "millrace/sparse/stats.hpp"

namespace millrace {

template <class T>
double asymmetry(const Csr<T>& a) {
  const Csr<T> t = sort_rows(transpose(a, true));
  double difference = 0, all = 0;
  for (Index r = 0; r < a.num_rows; ++r) {
    Offset p = a.row_begin(r), q = t.row_begin(r);
    const Offset p_end = a.row_begin(r + 1), q_end = t.row_begin(r + 1);
    while (p < p_end || q < q_end) {
      const Index none = a.num_cols, left = p < p_end ? a.cols.data()[p] : none,
                  right = q < q_end ? t.cols.data()[q] : none;
      const T here = left <= right ? a.vals.data()[p] : T{}, there = right <= left ? t.vals.data()[q] : T{};
      difference += std::norm(here - there);
      all += std::norm(here);
      p += left <= right ? 1 : 0;
      q += right <= left ? 1 : 0;
    }
  }
  return all > 0 ? std::sqrt(difference / all) : 0;
}

template double asymmetry(const Csr<float>&);
template double asymmetry(const Csr<double>&);
template double asymmetry(const Csr<std::complex<float>>&);
template double asymmetry(const Csr<std::complex<double>>&);

}  // namespace millrace
