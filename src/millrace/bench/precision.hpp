// The scalars a user can name, from the names the library gives them.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "millrace/base/error.hpp"
#include "millrace/base/scalar.hpp"

namespace millrace::bench {

/// Calls f.operator()<T>() for every scalar the library has.
template <class F>
void for_each_scalar(F&& f) {
  f.template operator()<double>();
  f.template operator()<float>();
  f.template operator()<std::complex<double>>();
  f.template operator()<std::complex<float>>();
}

/// "double float complex-double complex-float"
inline std::string precision_names() {
  std::string names;
  for_each_scalar([&]<class T>() {
    if (!names.empty()) names += ' ';
    names += scalar_name<T>();
  });
  return names;
}

/// Calls f.operator()<T>() for the scalar of that name.
template <class F>
void with_precision(std::string_view name, F&& f) {
  bool found = false;
  for_each_scalar([&]<class T>() {
    if (name != scalar_name<T>()) return;
    found = true;
    f.template operator()<T>();
  });
  require(found, "unknown precision '", name, "'; there are: ", precision_names());
}

inline void check_precision(std::string_view name) {
  with_precision(name, []<class>() {});
}

}  // namespace millrace::bench
