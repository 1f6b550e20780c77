// Two dot products.
#include "millrace/precond/multigrid/spread.hpp"

#include <cmath>

#include "millrace/base/dot.hpp"
#include "millrace/base/read_back.hpp"

namespace millrace::multigrid {

namespace {

template <class W>
struct Squares {
  W of_d, of_inverse;
};

}  // namespace

template <class W>
double spread_of(Queue& queue, const Array<W>& d, const Array<W>& inverse) {
  if (d.empty()) return 1;
  const auto there = queue.scratch<Squares<W>>(1);
  const auto square = [&](const Array<W>& x, W* result) {
    const Vectors<const W> all(queue.device(), x.data(), x.size());
    dot<W>(queue, all, all, result);
  };
  square(d, &there.data()->of_d);
  square(inverse, &there.data()->of_inverse);
  const Squares<W> sums = read_back(queue, there.data());
  return std::sqrt(double{sums.of_d}) * std::sqrt(double{sums.of_inverse}) / static_cast<double>(d.size());
}

template double spread_of(Queue&, const Array<float>&, const Array<float>&);
template double spread_of(Queue&, const Array<double>&, const Array<double>&);

}  // namespace millrace::multigrid
