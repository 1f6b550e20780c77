// Bisections for the host and for kernels, and the searches in ascending values that are made of them.
#pragma once

#include "millrace/base/scalar.hpp"

namespace millrace {

/// The first place in [low, high) where `holds` is true, or high: false comes before true.
template <class I, class Holds>
MILLRACE_HD constexpr I first_where(I low, I high, Holds&& holds) {
  while (low < high) {
    const I middle = low + (high - low) / 2;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// The last place in [low, high) where `holds` is true: true comes before false, and low is one.
template <class I, class Holds>
MILLRACE_HD constexpr I last_where(I low, I high, Holds&& holds) {
  while (high - low > 1) {
    const I middle = low + (high - low) / 2;
    if (holds(middle))
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// The first place in [low, high) whose value is at least `bound`, or high; values ascend.
template <class U, class I, class V>
MILLRACE_HD constexpr I first_at_least(const U* values, I low, I high, V bound) {
  return first_where(low, high, [&](I i) { return !(values[i] < static_cast<U>(bound)); });
}

/// The last place in [low, high) whose value is at most `bound`; the first one is.
template <class U, class I, class V>
MILLRACE_HD constexpr I last_at_most(const U* values, I low, I high, V bound) {
  return last_where(low, high, [&](I i) { return values[i] <= static_cast<U>(bound); });
}

}  // namespace millrace
