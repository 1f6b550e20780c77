// Diagonals on a GPU: one thread per row.
#include <bit>

#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

using namespace multigrid;

template <class T>
Index update_diagonal(Queue& queue, const Csr<T>& a, Diagonal<T>& d) {
  DeviceSteps steps(queue);
  const MatrixView<T> view = view_of(a);
  T *const value = d.value.data(), *const row_sum = d.row_sum.data();
  Index* const num_beside = d.num_beside.data();
  constexpr Offset not_finite = INT64_MAX;
  steps.for_each(a.num_rows, [=] __device__(Offset r) {
    const auto row = RowFacts<T>::of(view, r);
    value[r] = row.diagonal;
    row_sum[r] = row.sum;
    num_beside[r] = row.replaced ? -1 - row.num_beside : row.num_beside;
  });
  const Offset most = steps.max(a.num_rows, [=] __device__(Offset r) {  // positive doubles are ordered as their bits
    RowFacts<T> row;
    row.diagonal = value[r], row.sum = row_sum[r];
    return is_finite(row.sum) ? static_cast<Offset>(__double_as_longlong(row.gershgorin())) : not_finite;
  });
  if (most == not_finite)
    return static_cast<Index>(
        steps.first(a.num_rows, [=] __device__(Offset r) { return !RowFacts<T>::of(view, r).finite; }));
  d.gershgorin = std::bit_cast<double>(most);
  d.num_replaced = static_cast<Index>(steps.sum(a.num_rows, [=] __device__(Offset r) {
    const Index num = num_beside[r];
    if (num < 0) num_beside[r] = -1 - num;
    return Offset{num < 0};
  }));
  return a.num_rows;
}

template Index update_diagonal(Queue&, const Csr<float>&, Diagonal<float>&);
template Index update_diagonal(Queue&, const Csr<double>&, Diagonal<double>&);

}  // namespace millrace::cuda
