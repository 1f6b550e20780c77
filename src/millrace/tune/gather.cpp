// Checks of the gather, and its plain loop.
#include "millrace/tune/gather.hpp"

#include "millrace/base/parallel.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/tune/gather_cuda.hpp"

namespace millrace {

template <class T>
void gather(Queue& queue, const Csr<T>& a, Vectors<const T> x, DeviceSpan<T> sums) {
  const ThreadLimit limit(queue);
  const std::int64_t num_entries = a.num_entries(), num_sums = num_gather_sums(num_entries);
  require(x.num == 1 && x.size == a.num_cols && sums.size() == num_sums, "gather: the matrix has ", a.num_cols,
          " columns and ", num_entries, " entries, so x needs one vector of ", a.num_cols, " and there are ", num_sums,
          " sums; they have ", x.num, " of ", x.size, " and ", sums.size());
  const Device device = queue.device();
  require(a.device() == device && x.device == device && sums.device() == device, "gather: the queue is of ",
          to_string(device), "; the matrix lives on ", to_string(a.device()), ", x on ", to_string(x.device),
          ", the sums on ", to_string(sums.device()));
  if (num_entries == 0) return;
  const auto *vals = arith(a.vals.data()), *x_of = arith(x.data);
  if (!device.on_host()) {
    if constexpr (build::cuda) cuda::gather(queue, vals, a.cols.data(), num_entries, x_of, arith(sums.data()));
    return;
  }
  parallel_for(queue.num_threads(), num_sums, {.bytes = 16 * gather_tile}, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      Arith<T> sum{};
      for (std::int64_t s = i * gather_tile; s < std::min(num_entries, (i + 1) * gather_tile); ++s)
        sum = multiply_add(vals[s], x_of[a.cols.data()[s]], sum);
      arith(sums.data())[i] = sum;
    }
  });
}

template void gather(Queue&, const Csr<float>&, Vectors<const float>, DeviceSpan<float>);
template void gather(Queue&, const Csr<double>&, Vectors<const double>, DeviceSpan<double>);
template void gather(Queue&, const Csr<std::complex<float>>&, Vectors<const std::complex<float>>,
                     DeviceSpan<std::complex<float>>);
template void gather(Queue&, const Csr<std::complex<double>>&, Vectors<const std::complex<double>>,
                     DeviceSpan<std::complex<double>>);

}  // namespace millrace
