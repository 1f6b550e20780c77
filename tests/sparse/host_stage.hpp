// The stage of conversions that is a loop on the host: so the steps that a GPU takes are tested without one.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "millrace/sparse/convert/steps.hpp"

namespace millrace::testing {

class HostStage {
 public:
  static Device device() { return Device::host(); }

  template <class U>
  Array<U> make(Offset size) const {
    Array<U> array(size);  // rubbish in it, as on a GPU
    std::fill_n(reinterpret_cast<unsigned char*>(array.data()), array.bytes(), static_cast<unsigned char>(0xa5));
    return array;
  }
  template <class U>
  Array<U> scratch(Offset size) const {
    return make<U>(size);
  }

  template <class F>
  void for_each(Offset n, F f) const {  // backwards: no item may need an earlier one
    for (Offset i = n; i-- > 0;) f(i);
  }
  template <class F>
  Offset sum(Offset n, F f) const {
    Offset total = 0;
    for (Offset i = 0; i < n; ++i) total += f(i);
    return total;
  }
  template <class F>
  Offset largest(Offset n, F f) const {
    Offset most = 0;
    for (Offset i = 0; i < n; ++i) most = std::max<Offset>(most, f(i));
    return most;
  }
  template <class F>
  Offset first(Offset n, F f) const {
    for (Offset i = 0; i < n; ++i)
      if (f(i)) return i;
    return std::max<Offset>(n, 0);
  }
  template <class U>
  U read(const U* from) const {
    return *from;
  }

  void scan(Offset* values, Offset n) const { std::partial_sum(values, values + n, values); }
  void sort(Array<convert::Key>& keys, convert::Key largest) const {
    std::sort(keys.data(), keys.data() + keys.size());
    check(keys, largest);
  }
  void sort(Array<convert::Key>& keys, Array<convert::Place>& places, convert::Key largest) const {
    std::vector<std::size_t> order(static_cast<std::size_t>(keys.size()));
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t p, std::size_t q) { return keys.data()[p] < keys.data()[q]; });
    const std::vector<convert::Key> old_keys = keys.to_vector();
    const std::vector<convert::Place> old_places = places.to_vector();
    for (std::size_t i = 0; i < order.size(); ++i) {
      keys.data()[i] = old_keys[order[i]];
      places.data()[i] = old_places[order[i]];
    }
    check(keys, largest);
  }

 private:
  static void check(const Array<convert::Key>& keys,
                    convert::Key largest) {  // a GPU looks at the bits of `largest` only
    require(keys.empty() || keys.data()[keys.size() - 1] <= largest, "sort: a key beyond ", largest);
  }
};

static_assert(convert::Stage<HostStage>);

}  // namespace millrace::testing
