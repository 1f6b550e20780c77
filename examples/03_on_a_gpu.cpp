// The same product on a GPU: one visible copy there, work in the order of a queue, one visible copy back.
#include <cstdio>

#include "millrace/millrace.hpp"

using namespace millrace;

int main() {
  if (num_gpus() == 0) return std::puts("no GPU here"), 0;
  const Csr<double> csr = gallery::make("poisson3d7:n=40");
  const SparseMatrix<double> here(csr, as::Sell{}), there = here.to(Device::gpu());

  const Array<double> x(csr.num_cols, 1.0), x_there = x.to(Device::gpu());
  Array<double> y(csr.num_rows), y_there(Device::gpu(), csr.num_rows);
  Queue host, stream(Device::gpu());
  here.apply(host, {.x = x, .y = y});
  there.apply(stream, {.x = x_there, .y = y_there});
  stream.wait();

  const Array<double> back = y_there.to(Device::host());
  double difference = 0;
  for (Index i = 0; i < csr.num_rows; ++i) difference = std::max(difference, std::abs(back.span()[i] - y.span()[i]));
  std::printf("%d rows, the largest difference is %.2e\n", csr.num_rows, difference);
  return difference < 1e-12 ? 0 : 1;
}
