// Diagonals on a GPU.
#include <algorithm>
#include <bit>

#include "millrace/precond/multigrid/row_facts.cuh"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

using namespace multigrid;

template <class T>
Index update_diagonal(Queue& queue, const Csr<T>& a, Diagonal<T>& d) {
  DeviceSteps steps(queue);
  const MatrixView<T> view = view_of(a);
  const DiagonalOutput<T> out{d.value.data(), d.row_sum.data(), d.num_beside.data()};
  Array<AllFacts> memory = steps.scratch<AllFacts>(1);
  AllFacts* const facts = memory.data();
  steps.set(facts, AllFacts{0, 0});
  const auto run = [&](auto stage, auto kernel) {
    const unsigned blocks = std::clamp(num_blocks(a.num_rows, decltype(stage)::rows), 1u, 2112u);  // 132 times 16
    kernel<<<blocks, 128, 0, queue.stream()>>>(view, Offset{a.num_rows}, out, facts);
    check_launch("find_row_facts", queue.stream());
  };
  if (has_long_rows(a))
    run(LongRows(), find_row_facts<LongRows, T>);
  else
    run(ShortRows(), find_row_facts<ShortRows, T>);
  const AllFacts found = steps.read(facts);
  if (found.most == not_finite)
    return static_cast<Index>(
        steps.first(a.num_rows, [=] __device__(Offset r) { return !RowFacts<T>::of(view, r).finite; }));
  d.gershgorin = std::bit_cast<double>(found.most);
  d.num_replaced = static_cast<Index>(found.num_replaced);
  return a.num_rows;
}

template Index update_diagonal(Queue&, const Csr<float>&, Diagonal<float>&);
template Index update_diagonal(Queue&, const Csr<double>&, Diagonal<double>&);

}  // namespace millrace::cuda
