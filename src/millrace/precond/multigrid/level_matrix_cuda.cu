// What the choice of a level's format asks of a matrix on a GPU.
#include <algorithm>

#include "millrace/base/to_size.hpp"
#include "millrace/precond/multigrid/mark_diagonals.cuh"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

template <class W>
std::vector<Index> find_diagonals(Queue& queue, const Csr<W>& a, Offset most) {
  DeviceSteps steps(queue);
  const convert::Rows rows = convert::rows_of(a);
  const Offset num_rows = a.num_rows, num_words = (num_rows + a.num_cols) / 32 + 1;
  Array<unsigned> marks = steps.scratch<unsigned>(num_words);
  Array<Index> found = steps.scratch<Index>(most + 1);  // how many, and these
  unsigned* const mark = marks.data();
  Index* const num = found.data();
  steps.for_each(num_words, [=] __device__(Offset i) {
    mark[i] = 0;
    if (i == 0) *num = 0;
  });
  const MarkedDiagonals marked{mark, num, num + 1, static_cast<Index>(most)};
  // A few rows show most diagonals first, so that many threads do not write the same marks at once.
  const auto run = [&](auto kernel, int lanes, Offset few) {
    kernel<<<1, 256, 0, queue.stream()>>>(rows, num_rows / few + 1, marked);
    kernel<<<std::clamp(num_blocks(num_rows, 256 / lanes), 1u, 1056u), 256, 0, queue.stream()>>>(rows, 1, marked);
    check_launch("mark_diagonals", queue.stream());
  };
  if (has_long_rows(a))
    run(mark_diagonals<32>, 32, 64);
  else
    run(mark_diagonals<1>, 1, 256);
  std::vector<Index> diagonals(to_size(most + 1));
  copy_bytes(queue, Device::host(), diagonals.data(), queue.device(), num, diagonals.size() * sizeof(Index));
  queue.wait();
  if (diagonals[0] > most) return diagonals;
  diagonals.resize(to_size(diagonals[0]) + 1);
  diagonals.erase(diagonals.begin());
  for (Index& diagonal : diagonals) diagonal -= a.num_rows;
  std::sort(diagonals.begin(), diagonals.end());
  return diagonals;
}

template std::vector<Index> find_diagonals(Queue&, const Csr<float>&, Offset);
template std::vector<Index> find_diagonals(Queue&, const Csr<double>&, Offset);

}  // namespace millrace::cuda
