// Vectors of tests, moved to the GPU.
#pragma once

#include <span>
#include <vector>

#include "millrace/base/array.hpp"

namespace millrace::testing {

template <class T>
Array<T> on_gpu(const std::vector<T>& values) {
  return Array<T>(std::span<const T>(values)).to(Device::gpu());
}

}  // namespace millrace::testing
