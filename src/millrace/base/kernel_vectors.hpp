// Vectors as kernels see them: the same memory, with complex numbers that do not test for NaN.
#pragma once

#include "millrace/base/operator.hpp"

namespace millrace {

template <class T>
auto kernel_vectors(const Vectors<T>& v) {
  using A = std::conditional_t<std::is_const_v<T>, const Arith<T>, Arith<T>>;
  return Vectors<A>(v.device, arith(v.data), v.size, v.num, v.stride);
}

}  // namespace millrace
