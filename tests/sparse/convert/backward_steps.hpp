// The steps of conversions as loops that run backwards, in the way of a GPU: so what it does is tested without one.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "millrace/sparse/convert/steps.hpp"

namespace millrace::testing {

class BackwardSteps {
 public:
  static constexpr bool few_threads = false;  // as a GPU: one item at a time, whatever its group

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
  template <convert::Groups G, class F>
  void for_each_in(const G& groups, F f) const {
    for_each(groups.num_items(), [&](Offset i) { f(convert::group_of(groups, i), i); });
  }
  template <class F>
  Offset sum(Offset n, F f) const {
    Offset total = 0;
    for (Offset i = 0; i < n; ++i) total += f(i);
    return total;
  }
  template <class F>
  Offset max(Offset n, F f) const {
    Offset found = 0;
    for (Offset i = 0; i < n; ++i) found = std::max<Offset>(found, f(i));
    return found;
  }
  template <class F>
  Offset first(Offset n, F f) const {
    for (Offset i = 0; i < n; ++i)
      if (f(i)) return i;
    return std::max<Offset>(n, 0);
  }
  template <convert::Groups G, class F>
  Offset first_in(const G& groups, F f) const {
    return first(groups.num_items(), [&](Offset i) { return f(convert::group_of(groups, i), i); });
  }
  template <class U>
  U read(const U* from) const {
    return *from;
  }

  void scan(Offset* values, Offset n) const { std::partial_sum(values, values + n, values); }
  void sort(Array<convert::Key>& keys, convert::Key max_key) const {
    std::sort(keys.data(), keys.data() + keys.size());
    check(keys, max_key);
  }
  void sort(Array<convert::Key>& keys, Array<convert::Place>& places, convert::Key max_key) const {
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
    check(keys, max_key);
  }

 private:
  static void check(const Array<convert::Key>& keys,
                    convert::Key max_key) {  // a GPU looks at the bits of `max_key` only
    require(keys.empty() || keys.data()[keys.size() - 1] <= max_key, "sort: a key beyond ", max_key);
  }
};

static_assert(convert::Steps<BackwardSteps>);

}  // namespace millrace::testing
