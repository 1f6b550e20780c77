// The same product on a GPU: one visible copy there, work in the order of a queue, one visible copy back.
#include <cstdio>

#include "millrace/sparse/gallery.hpp"
#include "millrace/sparse/matrix.hpp"

using namespace millrace;

int main() {
  if (num_gpus() == 0) {
    std::puts("no GPU here");
    return 0;
  }
  const Device gpu = Device::gpu();
  const Csr<double> csr = gallery::make("poisson3d7:n=40");
  const SparseMatrix<double> a(csr, "sell-32-1"), a_there = a.to(gpu);

  const Array<double> x(csr.num_cols, 1.0), x_there = x.to(gpu);
  Array<double> y(csr.num_rows), y_there(gpu, csr.num_rows);
  Queue host, stream(gpu);
  a.apply(host, {.x = x, .y = y});
  a_there.apply(stream, {.x = x_there, .y = y_there});
  stream.wait();

  const std::vector<double> back = y_there.to_vector();
  double largest = 0;
  for (std::size_t i = 0; i < back.size(); ++i) largest = std::max(largest, std::abs(back[i] - y.span()[i]));
  std::printf("%zu rows, largest difference %.2e\n", back.size(), largest);
  return largest < 1e-12 ? 0 : 1;
}
