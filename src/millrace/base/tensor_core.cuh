// One step of an fp64 tensor core.
#pragma once

#include "millrace/base/tensor_fragments.hpp"

namespace millrace::cuda {

/// C += A B for a warp, every lane with its parts of the three. GPUs without fp64 tensor cores do it by hand.
__device__ inline void multiply_fragments(double (&c)[2], double a, double b) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a), "d"(b));
#else
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int k = 0; k < tensor_core::depth; ++k) {
    const double from_a = __shfl_sync(0xffffffffu, a, tensor_core::place_in_c(lane, 0).row * 4 + k);
#pragma unroll
    for (int j = 0; j < 2; ++j)
      c[j] += from_a * __shfl_sync(0xffffffffu, b, tensor_core::place_in_c(lane, j).col * 4 + k);
  }
#endif
}

/// C += A B with 8 or 16 rows: halves of 8 rows lie in registers of their own.
template <int H>
__device__ __forceinline__ void multiply_halves(double (&c)[H][2], const double (&a)[H], double b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr bool at_once = H == 2;
#else
  constexpr bool at_once = false;
#endif
  if constexpr (at_once) {
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+d"(c[0][0]), "+d"(c[0][1]), "+d"(c[H - 1][0]), "+d"(c[H - 1][1])
                 : "d"(a[0]), "d"(a[H - 1]), "d"(b));
  } else {
#pragma unroll
    for (int h = 0; h < H; ++h) multiply_fragments(c[h], a[h], b);
  }
}

}  // namespace millrace::cuda
