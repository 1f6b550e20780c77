// The dense products of a case in one batch of cuBLAS: what one writes with a dense library once x is inflated.
#include <cublas_v2.h>

#include <memory>

#include "case.hpp"
#include "millrace/base/cuda.cuh"

namespace millrace::hdg_case::cuda {
namespace {

void check(cublasStatus_t status, std::string_view call) {
  require<CudaError>(status == CUBLAS_STATUS_SUCCESS, "cublas: ", call, ": ", cublasGetStatusString(status));
}

}  // namespace

template <class T>
std::function<void()> batched_gemv(Queue& queue, const Sizes& sizes, DeviceSpan<const T> values,
                                   DeviceSpan<const T> inflated, DeviceSpan<T> y) {
  const millrace::cuda::DeviceGuard guard(queue.device());
  cublasHandle_t created = nullptr;
  check(cublasCreate(&created), "Create");
  const std::shared_ptr<cublasContext> handle(created, [](cublasContext* old) { cublasDestroy(old); });
  check(cublasSetStream(created, queue.stream()), "SetStream");
  return [=, device = queue.device()] {
    const millrace::cuda::DeviceGuard here(device);
    const T alpha{1}, beta{0};
    const auto gemv = [&](auto function, const char* name) {
      check(function(handle.get(), CUBLAS_OP_N, sizes.m, sizes.q, &alpha, values.data(), sizes.m,
                     static_cast<long long>(sizes.m) * sizes.q, inflated.data(), 1, sizes.q, &beta, y.data(), 1,
                     sizes.m, sizes.r),
            name);
    };
    if constexpr (std::is_same_v<T, float>)
      gemv(cublasSgemvStridedBatched, "SgemvStridedBatched");
    else
      gemv(cublasDgemvStridedBatched, "DgemvStridedBatched");
  };
}

template std::function<void()> batched_gemv(Queue&, const Sizes&, DeviceSpan<const float>, DeviceSpan<const float>,
                                            DeviceSpan<float>);
template std::function<void()> batched_gemv(Queue&, const Sizes&, DeviceSpan<const double>, DeviceSpan<const double>,
                                            DeviceSpan<double>);

}  // namespace millrace::hdg_case::cuda
