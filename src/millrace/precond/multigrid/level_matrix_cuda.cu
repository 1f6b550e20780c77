// What the choice of a level's format asks of a matrix on a GPU.
#include <algorithm>

#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

template <class W>
std::vector<Index> find_diagonals(Queue& queue, const Csr<W>& a, Offset most) {
  DeviceSteps steps(queue);
  const convert::Rows rows = convert::rows_of(a);
  const Offset num_rows = a.num_rows, num_words = (num_rows + a.num_cols) / 32 + 1;
  Array<unsigned> marks = steps.scratch<unsigned>(num_words);
  unsigned* const mark = marks.data();
  steps.for_each(num_words, [=] __device__(Offset i) { mark[i] = 0; });
  steps.for_each(num_rows, [=] __device__(Offset r) {
    for (Offset s = rows.begin(r); s < rows.begin(r + 1); ++s) {
      const Offset diagonal = rows.cols[s] - r + num_rows;
      const unsigned bit = 1u << (diagonal % 32);
      if (!(mark[diagonal / 32] & bit)) atomicOr(mark + diagonal / 32, bit);  // most are there already
    }
  });
  const Offset num = steps.sum(num_words, [=] __device__(Offset i) { return Offset{__popc(mark[i])}; });
  std::vector<Index> diagonals(static_cast<std::size_t>(num));
  if (num == 0 || num > most) return diagonals;
  Array<Index> places = steps.scratch<Index>(num + 1);
  Index *const place = places.data(), *const next = place + num;
  steps.for_each(1, [=] __device__(Offset) { *next = 0; });
  steps.for_each(num_words, [=] __device__(Offset i) {
    for (unsigned bits = mark[i]; bits != 0; bits &= bits - 1)
      place[atomicAdd(next, 1)] = static_cast<Index>(i * 32 + __ffs(static_cast<int>(bits)) - 1 - num_rows);
  });
  copy_bytes(queue, Device::host(), diagonals.data(), queue.device(), place, diagonals.size() * sizeof(Index));
  queue.wait();
  std::sort(diagonals.begin(), diagonals.end());
  return diagonals;
}

bool all_finite(Queue& queue, const float* values, Offset n) {
  DeviceSteps steps(queue);
  return steps.first(n, [=] __device__(Offset i) { return !is_finite(values[i]); }) == n;
}

template std::vector<Index> find_diagonals(Queue&, const Csr<float>&, Offset);
template std::vector<Index> find_diagonals(Queue&, const Csr<double>&, Offset);

}  // namespace millrace::cuda
