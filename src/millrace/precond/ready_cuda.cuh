// Numbers that say themselves whether they are there: memory of zeros holds none, and a stored number is the
// complement of its bits, which is never zero. One load brings the number and the news, so no flag and no fence is
// needed, and rows can wait for each other inside one launch.
#pragma once

#include "millrace/base/cuda.cuh"

namespace millrace::cuda {

namespace detail {

__device__ inline unsigned load_word(const unsigned* word) {
  unsigned bits;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(bits) : "l"(word) : "memory");
  return bits;
}
__device__ inline unsigned long long load_word(const unsigned long long* word) {
  unsigned long long bits;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(bits) : "l"(word) : "memory");
  return bits;
}
__device__ inline void store_word(unsigned* word, unsigned bits) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(bits) : "memory");
}
__device__ inline void store_word(unsigned long long* word, unsigned long long bits) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(bits) : "memory");
}

}  // namespace detail

/// One number of type A in the memory of such an array. Complex numbers of doubles take two words, each of which speaks
/// for itself.
template <class A>
struct Ready {
  using Word = std::conditional_t<sizeof(A) == 4, unsigned, unsigned long long>;
  static constexpr int words = sizeof(A) / sizeof(Word);
  Word bits[words];

  __device__ void clear() {
#pragma unroll
    for (int w = 0; w < words; ++w) bits[w] = 0;
  }
  __device__ void publish(A value) {
    Word out[words];
    memcpy(out, &value, sizeof(A));
#pragma unroll
    for (int w = 0; w < words; ++w) {
      // Only a NaN of all ones has no bits left; it becomes another NaN.
      const Word complement = ~out[w];
      detail::store_word(bits + w, complement == 0 ? Word{1} : complement);
    }
  }
  /// True if it is there; then value is it.
  __device__ bool read(A& value) const {
    Word in[words];
    bool there = true;
#pragma unroll
    for (int w = 0; w < words; ++w) {
      in[w] = detail::load_word(bits + w);
      there = there && in[w] != 0;
      in[w] = ~in[w];
    }
    memcpy(&value, in, sizeof(A));
    return there;
  }
  __device__ A wait() const {
    A value;
    while (!read(value)) __nanosleep(32);
    return value;
  }
};

/// Hands out 0, 1, 2, ... in order. When every one of `takers` has got one number at or above `count`, the counter is 0
/// again, as it was found.
__device__ inline unsigned take_ticket(unsigned* counter, unsigned count, unsigned takers) {
  return atomicInc(counter, count + takers - 1);
}

}  // namespace millrace::cuda
