// Runs the conversion of a format where a queue is: on host threads or on a GPU.
#pragma once

#include "millrace/sparse/convert/convert.hpp"
#include "millrace/sparse/convert/host_steps.hpp"
#include "millrace/sparse/format/traits.hpp"

namespace millrace::convert {

/// What only the host makes, is made there and copied. The matrix is checked first, unless it is trusted.
template <class Format>
Format run(Queue& queue, const Csr<typename Format::value_type>& a, const FormatSpec& spec, Trust trusted) {
  const auto on_host = [&](const Queue& threads, const auto& matrix) {
    HostSteps steps(threads);
    return Conversion<Format>::run(steps, matrix, spec);
  };
  require(queue.device() == a.device(), Format::name, ": the CSR matrix lives on ", to_string(a.device()),
          ", the queue on ", to_string(queue.device()), "; both must be on one device");
  if (!trusted.arrays) check_csr(queue, a);
  if (a.device().on_host()) return on_host(queue, a);
  if constexpr (build::cuda) {
    if (only_host_makes<Format>(spec)) return on_host(Queue(), a.to(Device::host())).to(a.device());
    return cuda::from_csr<Format>(queue, a, spec);
  }
  throw Unsupported(join(Format::name, ": the CSR matrix lives on a GPU, but this build has no CUDA"));
}

}  // namespace millrace::convert
