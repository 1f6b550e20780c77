// The hybrid format: what its text asks for, and what it holds.
#include "millrace/sparse/format/hyb.hpp"

#include <algorithm>

#include "millrace/sparse/format/storage_spec.hpp"

namespace millrace {

template <class T>
HybShape Hyb<T>::asked(const FormatSpec& spec) {
  const Storage storage = storage_of(spec, 1, "hyb takes K1, the width of its ELLPACK part, as in hyb-7");
  return {spec.parameters.empty() ? 0 : static_cast<Index>(spec.parameters[0]), storage};
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
