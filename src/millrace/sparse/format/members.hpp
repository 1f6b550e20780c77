// Copies and byte counts of any format, from the list of its members that it keeps (`for_each_member`).
#pragma once

#include "millrace/base/array.hpp"

namespace millrace {

/// A copy on that device: arrays are copied there, all other members as they are.
template <class Format>
Format copy_to(const Format& a, Device device) {
  Format b;
  Format::for_each_member([&](auto member) {
    if constexpr (requires { (a.*member).to(device); })
      b.*member = (a.*member).to(device);
    else
      b.*member = a.*member;
  });
  return b;
}

/// Converts on the device of the matrix, and waits for it.
template <class Format, class Csr, class Spec>
Format from_csr_and_wait(const Csr& a, const Spec& spec) {
  Queue queue(a.device());
  Format b = Format::from_csr(queue, a, spec);
  queue.wait();
  return b;
}

/// Of all arrays.
template <class Format>
std::int64_t array_bytes(const Format& a) {
  std::int64_t bytes = 0;
  Format::for_each_member([&](auto member) {
    if constexpr (requires { (a.*member).bytes(); }) bytes += (a.*member).bytes();
  });
  return bytes;
}

}  // namespace millrace
