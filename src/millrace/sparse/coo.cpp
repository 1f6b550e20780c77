// COO: what it holds.
#include "millrace/sparse/coo.hpp"

namespace millrace {

template <class T>
Footprint Coo<T>::footprint() const {
  const std::int64_t bytes = array_bytes(*this);
  return {num_entries(), 0, bytes, bytes};
}

template struct Coo<float>;
template struct Coo<double>;
template struct Coo<std::complex<float>>;
template struct Coo<std::complex<double>>;

}  // namespace millrace
