// What the choice of a level's format asks of a matrix on a GPU.
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

template <class W>
Offset count_diagonals(Queue& queue, const Csr<W>& a) {
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
  return steps.sum(num_words, [=] __device__(Offset i) { return Offset{__popc(mark[i])}; });
}

bool all_finite(Queue& queue, const float* values, Offset n) {
  DeviceSteps steps(queue);
  return steps.first(n, [=] __device__(Offset i) { return !is_finite(values[i]); }) == n;
}

template Offset count_diagonals(Queue&, const Csr<float>&);
template Offset count_diagonals(Queue&, const Csr<double>&);

}  // namespace millrace::cuda
