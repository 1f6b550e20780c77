// The hash of a pattern on a GPU: one thread per number, sums of whole numbers.
#include "millrace/precond/multigrid/pattern_hash.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

using namespace multigrid;

template <class T>
std::uint64_t pattern_hash(Queue& queue, const Csr<T>& a) {
  DeviceSteps steps(queue);
  const convert::Rows rows = convert::rows_of(a);
  const auto offsets = steps.sum(Offset{a.num_rows} + 1, [=] __device__(Offset i) {
    return static_cast<Offset>(mix_place(static_cast<std::uint64_t>(rows.begin(i)), static_cast<std::uint64_t>(i)));
  });
  const auto columns = steps.sum(a.num_entries(), [=] __device__(Offset i) {
    return static_cast<Offset>(
        mix_place(static_cast<std::uint64_t>(rows.cols[i]) ^ column_bit, static_cast<std::uint64_t>(i)));
  });
  return mix_place(static_cast<std::uint64_t>(a.num_rows), 0) + static_cast<std::uint64_t>(offsets) +
         static_cast<std::uint64_t>(columns);
}

template std::uint64_t pattern_hash(Queue&, const Csr<float>&);
template std::uint64_t pattern_hash(Queue&, const Csr<double>&);

}  // namespace millrace::cuda
