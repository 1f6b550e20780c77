// Takes the factors of elements out of their batches.
#include "millrace/fem/element_factors.hpp"

#include "millrace/base/parallel.hpp"
#include "millrace/fem/lanes.hpp"

namespace millrace {

template <class T>
Array<T> factors_by_element(const ElementData<T>& data) {
  const Offset size = data.factors.empty() ? 0 : data.stored_an_element();
  const int points = data.basis.num_points(), num_stored = data.num_stored;
  Array<T> plain(data.num_elem * size);
  parallel_for(default_num_threads(), size > 0 ? data.num_elem : 0, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end; ++e) {
      const T* from = data.factors.data() + data.first_factor(static_cast<Index>(e));
      for (int q = 0; q < points; ++q)
        for (int s = 0; s < num_stored; ++s, from += num_lanes<T>) plain.data()[e * size + s * points + q] = *from;
    }
  });
  return plain;
}

template Array<float> factors_by_element(const ElementData<float>&);
template Array<double> factors_by_element(const ElementData<double>&);

}  // namespace millrace
