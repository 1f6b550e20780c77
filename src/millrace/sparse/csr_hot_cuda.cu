// Products of CSR matrices with hot columns on a GPU: finding them once, and launching.
#include "millrace/sparse/csr_hot_cuda.cuh"

#include "millrace/base/occupancy.cuh"
#include "millrace/sparse/convert_stage.cuh"
#include "millrace/sparse/csr_cuda.cuh"
#include "millrace/sparse/csr_hot.hpp"
#include "millrace/sparse/spmv.hpp"

namespace millrace::cuda {
namespace {

/// Asks for the shared memory, if the device has it. A kernel compiled for compute capability 9 waits itself for the
/// one that packs x, so that it may be launched before that has ended.
template <class Kernel>
bool prepare(Kernel* kernel, std::int64_t shared_bytes, Device device, bool& overlaps) {
  int most = 0;
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device.number()),
        "cudaDeviceGetAttribute");
  if (shared_bytes > most) return false;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
        "cudaFuncSetAttribute");
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  overlaps = attributes.ptxVersion >= 90;
  return true;
}

}  // namespace

// Arrays that are only wrapped stay the caller's: nothing of them is copied, not even in code.
template <class T>
HotColumns make_hot_columns(const Csr<T>& a) {
  const convert::HotRule rule;
  if (a.num_entries() < rule.least_entries || a.num_cols < rule.least_columns() || a.cols.borrowed()) return {};
  const DeviceGuard guard(a.device());
  bool overlaps = false;
  const bool wanted = a.visit_view([&]<class A, class RowOffset>(const CsrView<A, RowOffset>& view) {
    return !rows_are_better(view) &&
           prepare(multiply_hot<A, RowOffset>, std::int64_t{rule.num_hot} * sizeof(A), a.device(), overlaps);
  });
  if (!wanted) return {};
  const Index num_warps = num_units(a.device()) * (hot_threads / 32);
  HotColumns hot = on_stage(
      a.device(), [&](DeviceStage& stage) { return convert::make_hot(stage, convert::rows_of(a), rule, num_warps); });
  hot.overlaps = overlaps;
  return hot;
}

template <class A, class RowOffset>
void multiply_hot_columns(Queue& queue, const CsrView<A, RowOffset>& a, A alpha, const A* x, A beta, A* y) {
  const HotColumns& hot = *a.hot;
  const auto num_hot = static_cast<Index>(hot.columns.size());
  const std::int64_t num_chunks = hot.rows.size();
  const auto packed = queue.scratch<A>(num_hot), pieces = queue.scratch<A>(2 * num_chunks);
  const auto arrived = queue.zeros(num_chunks);
  const cudaStream_t stream = queue.stream();
  pack_hot<<<num_blocks(num_hot, 256), 256, 0, stream>>>(x, hot.columns.data(), num_hot, packed.data());
  check_launch("pack_hot", stream);
  const HotProduct<A, RowOffset> product{.num_rows = a.num_rows,
                                         .chunk = hot.chunk,
                                         .num_hot = num_hot,
                                         .num_entries = a.num_entries,
                                         .row_ptr = a.row_ptr,
                                         .coded = hot.coded.data(),
                                         .vals = a.vals,
                                         .rows = hot.rows.data(),
                                         .x = x,
                                         .packed = packed.data(),
                                         .alpha = alpha,
                                         .beta = beta,
                                         .y = y,
                                         .cut = {pieces.data(), arrived.data()}};
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = num_blocks(num_chunks, hot_threads / 32);
  config.blockDim = hot_threads;
  config.dynamicSmemBytes = static_cast<std::size_t>(num_hot) * sizeof(A);
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = hot.overlaps ? 1 : 0;
  check(cudaLaunchKernelEx(&config, multiply_hot<A, RowOffset>, product), "multiply_hot");
  check_launch("multiply_hot", stream);
}

#define MILLRACE_INSTANTIATE(A)                                                                    \
  template HotColumns make_hot_columns(const Csr<A>&);                                             \
  template void multiply_hot_columns(Queue&, const CsrView<A, std::int32_t>&, A, const A*, A, A*); \
  template void multiply_hot_columns(Queue&, const CsrView<A, std::int64_t>&, A, const A*, A, A*)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
