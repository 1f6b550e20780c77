// BSR on the host: the kernels of blocks_host.hpp for its view.
#include "millrace/sparse/product/blocks/blocks_host.hpp"

namespace millrace::host {

void multiply(int num_threads, const BsrView<float>& a, float alpha, const Vectors<const float>& x, float beta,
              const Vectors<float>& y) {
  multiply_blocks(num_threads, a, alpha, x, beta, y);
}
void multiply(int num_threads, const BsrView<double>& a, double alpha, const Vectors<const double>& x, double beta,
              const Vectors<double>& y) {
  multiply_blocks(num_threads, a, alpha, x, beta, y);
}

}  // namespace millrace::host
