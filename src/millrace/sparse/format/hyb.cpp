// The hybrid format from CSR: choose K1, hand the heads of the rows to ELLPACK and the tails to COO.
#include "millrace/sparse/format/hyb.hpp"

#include <algorithm>
#include <vector>

#include "millrace/sparse/format/storage_spec.hpp"

namespace millrace {
namespace {

// A slot of ELLPACK takes about a third of the time of a coordinate (Bell and Garland 2009), so one more column pays
// while a third of the rows reach it.
template <class T>
Index cheapest_width(const Csr<T>& a) {
  std::vector<Offset> reaching;  // [k]: rows with more than k entries
  for (Index r = 0; r < a.num_rows; ++r) {
    const auto length = static_cast<std::size_t>(a.row_length(r));
    if (length > reaching.size()) reaching.resize(length);
    if (length > 0) ++reaching[length - 1];
  }
  for (std::size_t k = reaching.size(); k-- > 1;) reaching[k - 1] += reaching[k];
  Index width = 0;
  while (static_cast<std::size_t>(width) < reaching.size() &&
         3 * reaching[static_cast<std::size_t>(width)] >= a.num_rows)
    ++width;
  return width;
}

}  // namespace

template <class T>
Hyb<T> Hyb<T>::from_csr(const Csr<T>& a, const FormatSpec& spec) {
  const Storage storage = storage_of(spec, 1, "hyb takes K1, the width of its ELLPACK part, as in hyb-7");
  require(a.device().on_host(), "hyb: the CSR matrix lives on ", to_string(a.device()), ", the conversion on the host");
  Hyb b;
  b.num_rows = a.num_rows;
  b.num_cols = a.num_cols;
  b.width = spec.parameters.empty() ? cheapest_width(a) : static_cast<Index>(spec.parameters[0]);
  b.ell = Ellr<T>::build(a, {.slice = 8, .most = b.width, .storage = storage}, false);
  const Offset rest = a.num_entries() - b.ell.num_entries();
  b.coo.num_rows = a.num_rows;
  b.coo.num_cols = a.num_cols;
  b.coo.rows = Array<Index>(rest);
  b.coo.cols = Array<Index>(rest);
  b.coo.vals = Array<T>(rest);
  b.source = Array<Offset>(rest);
  Offset to = 0;
  for (Index r = 0; r < a.num_rows; ++r)
    for (Offset from = a.row_begin(r) + b.width; from < a.row_begin(r + 1); ++from, ++to) {
      b.coo.rows.data()[to] = r;
      b.coo.cols.data()[to] = a.cols.data()[from];
      b.coo.vals.data()[to] = a.vals.data()[from];
      b.source.data()[to] = from;
    }
  return b;
}

template <class T>
Hyb<T> Hyb<T>::to(Device target) const {
  Hyb b;
  b.num_rows = num_rows;
  b.num_cols = num_cols;
  b.width = width;
  b.ell = ell.to(target);
  b.coo = coo.to(target);
  b.source = source.to(target);
  return b;
}

template <class T>
Footprint Hyb<T>::footprint() const {
  const Footprint head = ell.footprint(), tail = coo.footprint();
  return {head.num_entries + tail.num_entries, head.artificial_zeros, head.bytes + tail.bytes + source.bytes(),
          head.moved_bytes + tail.moved_bytes};
}

template <class T>
std::string Hyb<T>::details() const {
  const double share =
      100.0 * static_cast<double>(coo.num_entries()) / std::max(1.0, static_cast<double>(num_entries()));
  const std::string head = ell.details();
  return join("K1 = ", width, ", ", share, " % in coo", head.empty() ? "" : ", ", head);
}

template struct Hyb<float>;
template struct Hyb<double>;
template struct Hyb<std::complex<float>>;
template struct Hyb<std::complex<double>>;

}  // namespace millrace
