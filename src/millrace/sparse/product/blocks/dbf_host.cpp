// DBF on the host: the kernels of blocks_host.hpp for its view. Padded blocks are never read.
#include "millrace/sparse/format/dbf.hpp"
#include "millrace/sparse/product/blocks/blocks_host.hpp"

namespace millrace::host {

void multiply(int num_threads, const DbfView<float>& a, float alpha, const Vectors<const float>& x, float beta,
              const Vectors<float>& y, bool plus_x) {
  multiply_blocks(num_threads, a, alpha, x, beta, y, plus_x);
}
void multiply(int num_threads, const DbfView<double>& a, double alpha, const Vectors<const double>& x, double beta,
              const Vectors<double>& y, bool plus_x) {
  multiply_blocks(num_threads, a, alpha, x, beta, y, plus_x);
}

}  // namespace millrace::host
