// Two dot products.
#include "millrace/precond/multigrid/spread.hpp"

#include <cmath>

#include "millrace/base/dot.hpp"

namespace millrace::multigrid {

template <class W>
double spread_of(Queue& queue, const Array<W>& d, const Array<W>& inverse) {
  if (d.empty()) return 1;
  const auto there = queue.scratch<W>(2);
  const auto square = [&](const Array<W>& x, W* result) {
    const Vectors<const W> all(queue.device(), x.data(), x.size());
    dot<W>(queue, all, all, result);
  };
  square(d, there.data());
  square(inverse, there.data() + 1);
  W sums[2];
  copy_bytes(queue, Device::host(), sums, queue.device(), there.data(), sizeof(sums));
  queue.wait();
  return std::sqrt(double{sums[0]}) * std::sqrt(double{sums[1]}) / static_cast<double>(d.size());
}

template double spread_of(Queue&, const Array<float>&, const Array<float>&);
template double spread_of(Queue&, const Array<double>&, const Array<double>&);

}  // namespace millrace::multigrid
