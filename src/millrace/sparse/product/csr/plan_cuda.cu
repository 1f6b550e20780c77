// Makes the plan of a CSR matrix on its GPU.
#include <functional>

#include "millrace/sparse/convert/device_steps.cuh"
#include "millrace/sparse/product/csr/csr_cuda.cuh"
#include "millrace/sparse/product/csr/make_plan.hpp"

namespace millrace::cuda {
namespace {

// Compiled once: only the pattern counts.
CsrPlan make_plan(Queue& queue, const convert::Rows& a, bool complex_values, std::optional<CsrSchedule> asked,
                  const std::function<Index()>& num_warps) {
  DeviceSteps steps(queue);
  CsrPlan plan = convert::make_csr_plan(steps, a, complex_values, asked, num_warps);
  queue.wait();
  return plan;
}

}  // namespace

template <class T>
CsrPlan make_csr_plan(Queue& queue, const Csr<T>& a, std::optional<CsrSchedule> asked) {
  const auto num_warps = [&]() -> Index {
    if constexpr (is_complex<T>)
      return 0;
    else
      return num_cached_warps<T>(CachePlacement{}, a.device());
  };
  return make_plan(queue, convert::rows_of(a), is_complex<T>, asked, num_warps);
}

template CsrPlan make_csr_plan(Queue&, const Csr<float>&, std::optional<CsrSchedule>);
template CsrPlan make_csr_plan(Queue&, const Csr<double>&, std::optional<CsrSchedule>);
template CsrPlan make_csr_plan(Queue&, const Csr<std::complex<float>>&, std::optional<CsrSchedule>);
template CsrPlan make_csr_plan(Queue&, const Csr<std::complex<double>>&, std::optional<CsrSchedule>);

}  // namespace millrace::cuda
