// Run time to compile time: a fold over the values that were compiled.
#pragma once

#include <string>
#include <string_view>

#include "millrace/base/error.hpp"

namespace millrace {

/// Calls f<V>() for the V among Values that equals value; otherwise says which values there are.
template <int... Values, class F>
void dispatch(std::string_view what, int value, F&& f) {
  const bool found = ((value == Values ? (f.template operator()<Values>(), true) : false) || ...);
  if (found) return;
  std::string known;
  ((known += join(' ', Values)), ...);
  require<Unsupported>(false, what, " = ", value, " is not compiled in; compiled values are:", known);
}

/// Calls f<V>() for the V among Values that equals value, otherwise f<0>(), which takes any. True if it was among them.
template <int... Values, class F>
constexpr bool dispatch_or_any(int value, F&& f) {
  const bool found = ((value == Values ? (f.template operator()<Values>(), true) : false) || ...);
  if (!found) f.template operator()<0>();
  return found;
}

}  // namespace millrace
