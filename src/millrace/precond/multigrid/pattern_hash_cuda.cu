// The hash of a pattern on a GPU: a thread has some numbers; sums of whole numbers.
#include <algorithm>

#include "millrace/precond/multigrid/pattern_hash.hpp"
#include "millrace/precond/multigrid/setup_cuda.hpp"
#include "millrace/sparse/convert/device_steps.cuh"

namespace millrace::cuda {

using namespace multigrid;

namespace {

/// mix_place(number + n per_place, place) is mix_place(number, place + n).
constexpr std::uint64_t per_place = 0x9e3779b97f4a7c15u;

}  // namespace

template <class T>
std::uint64_t pattern_hash(Queue& queue, const Csr<T>& a) {
  DeviceSteps steps(queue);
  const convert::Rows rows = convert::rows_of(a);
  constexpr int batch = 8;  // columns of a thread, so far apart
  const Offset num_entries = a.num_entries(), num_offsets = Offset{a.num_rows} + 1;
  const Offset apart = num_entries / batch, rest = num_entries - batch * apart;
  const std::uint64_t step = static_cast<std::uint64_t>(apart) * per_place;
  const Offset sum = steps.sum(std::max({apart, rest, num_offsets}), [=] __device__(Offset i) {
    const auto place = static_cast<std::uint64_t>(i);
    const auto column = [&](Offset s) { return static_cast<std::uint64_t>(rows.cols[s]) ^ column_bit; };
    std::uint64_t part = 0;
    if (i < apart) {
      std::uint64_t columns[batch];
#pragma unroll
      for (int k = 0; k < batch; ++k) columns[k] = column(i + k * apart);
#pragma unroll
      for (int k = 0; k < batch; ++k) part += mix_place(columns[k] + k * step, place);
    }
    if (i < rest) part += mix_place(column(batch * apart + i) + batch * step, place);
    if (i < num_offsets) part += mix_place(static_cast<std::uint64_t>(rows.begin(i)), place);
    return static_cast<Offset>(part);
  });
  return mix_place(static_cast<std::uint64_t>(a.num_rows), 0) + static_cast<std::uint64_t>(sum);
}

template std::uint64_t pattern_hash(Queue&, const Csr<float>&);
template std::uint64_t pattern_hash(Queue&, const Csr<double>&);

}  // namespace millrace::cuda
