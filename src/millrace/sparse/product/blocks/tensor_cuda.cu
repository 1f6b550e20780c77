// Dense blocks times 16 or 8 vectors at once, on the tensor cores of a GPU.
#include "millrace/sparse/product/blocks/tensor_cuda.cuh"

#include "millrace/base/dispatch.hpp"
#include "millrace/sparse/product/blocks/blocks_cuda.cuh"

namespace millrace::cuda {
namespace {

template <int R, int G, BlockFormat View>
void launch(Queue& queue, const View& a, double alpha, const Vectors<const double>& x, double beta,
            const Vectors<double>& y, bool plus_x, int v) {
  const int warps = tensor_core::warps_of_block(a.block);
  multiply_tensor_blocks<R, G>
      <<<num_blocks(static_cast<std::int64_t>(a.num_block_rows()) * warps, 4), 128, 0, queue.stream()>>>(
          a, warps, alpha, x.data + v * x.stride, x.stride, beta, y.data + v * y.stride, y.stride, plus_x);
  check_launch("multiply_tensor_blocks", queue.stream());
}

template <BlockFormat View>
int multiply_groups(Queue& queue, const View& a, double alpha, const Vectors<const double>& x, double beta,
                    const Vectors<double>& y, bool plus_x) {
  int v = 0;
  dispatch<1, 2, 3, 4>("tiles per warp", tensor_core::tiles_of_warp(a.block), [&]<int R>() {
    for (; v + 16 <= x.num; v += 16) launch<R, 2>(queue, a, alpha, x, beta, y, plus_x, v);
    if (v + 8 > x.num) return;
    launch<R, 1>(queue, a, alpha, x, beta, y, plus_x, v);
    v += 8;
  });
  return v;
}

}  // namespace

int multiply_with_tensor_cores(Queue& queue, const BsrView<double>& a, double alpha, const Vectors<const double>& x,
                               double beta, const Vectors<double>& y, bool plus_x) {
  return multiply_groups(queue, a, alpha, x, beta, y, plus_x);
}
int multiply_with_tensor_cores(Queue& queue, const DbfView<double>& a, double alpha, const Vectors<const double>& x,
                               double beta, const Vectors<double>& y, bool plus_x) {
  return multiply_groups(queue, a, alpha, x, beta, y, plus_x);
}

}  // namespace millrace::cuda
