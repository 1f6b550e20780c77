// Copies from memory to shared memory that run beside the work of a thread.
#pragma once

namespace millrace::cuda {

/// A copy of 8 or 16 bytes to shared memory that nobody waits for, until wait_for_copies.
template <class U>
__device__ inline void copy_behind(U* s_to, const U* from) {
  static_assert(sizeof(U) == 8 || sizeof(U) == 16);
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(s_to));
  if constexpr (sizeof(U) == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from));
  else
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}
__device__ inline void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

}  // namespace millrace::cuda
