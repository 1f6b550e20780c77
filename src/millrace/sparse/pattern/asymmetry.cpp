// How far a matrix is from Hermitian, by the entries of A and A^H in sorted rows.
#include <algorithm>
#include <cmath>
#include <complex>

#include "millrace/sparse/stats.hpp"

namespace millrace {

// An entry without a partner differs at two positions: its own, and the one that is not stored.
template <class T>
double asymmetry(const Csr<T>& a) {
  double difference = 0, all = 0;
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
      const std::complex<double> here(a.vals.data()[k]);
      const Index c = a.cols.data()[k];
      const Index *begin = a.cols.data() + a.row_begin(c), *end = a.cols.data() + a.row_begin(c + 1);
      const Index* partner = std::lower_bound(begin, end, r);
      const bool found = partner != end && *partner == r;
      difference += found ? std::norm(here - std::conj(std::complex<double>(a.vals.data()[partner - a.cols.data()])))
                          : 2 * std::norm(here);
      all += std::norm(here);
    }
  return all > 0 ? std::sqrt(difference / all) : 0;
}

template double asymmetry(const Csr<float>&);
template double asymmetry(const Csr<double>&);
template double asymmetry(const Csr<std::complex<float>>&);
template double asymmetry(const Csr<std::complex<double>>&);

}  // namespace millrace
