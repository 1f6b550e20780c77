// Products of CSR matrices with hot columns on a GPU: finding them once, and launching.
#include "millrace/sparse/product/csr/cached_cuda.cuh"

#include <algorithm>

#include "millrace/sparse/convert/device_steps.cuh"
#include "millrace/sparse/product/csr/csr_cuda.cuh"
#include "millrace/sparse/product/csr/make_cached_columns.hpp"
#include "millrace/sparse/product/spmv.hpp"

namespace millrace::cuda {
namespace {

template <class A>
std::size_t shared_bytes(const HotPlaces& places) {
  return static_cast<std::size_t>(places.num_slots() + hot_warps * HotColumns::tile) * sizeof(A);
}

/// How to launch multiply_hot: in clusters, and before the kernel that packs x has ended, for which it waits itself.
struct HotLaunch {
  cudaLaunchAttribute attributes[2]{};
  cudaLaunchConfig_t config{};

  HotLaunch(unsigned num_blocks, const HotPlaces& places, std::size_t shared_bytes, cudaStream_t stream) {
    const auto cluster = static_cast<unsigned>(places.cluster);
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = cluster;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = (num_blocks + cluster - 1) / cluster * cluster;
    config.blockDim = hot_threads;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = 2;
  }
  HotLaunch(const HotLaunch&) = delete;
  HotLaunch& operator=(const HotLaunch&) = delete;
};

/// Asks for the shared memory. Yields the thread blocks that run at once, or 0 where the device or the code compiled
/// for it has no clusters, or too little memory.
template <class A>
Index num_hot_blocks(const HotPlaces& places, Device device) {
  const auto bytes = static_cast<int>(shared_bytes<A>(places));
  int most = 0;
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device.number()),
        "cudaDeviceGetAttribute");
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, multiply_hot<A>), "cudaFuncGetAttributes");
  if (bytes > most || attributes.ptxVersion < 90) return 0;
  check(cudaFuncSetAttribute(multiply_hot<A>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "cudaFuncSetAttribute");
  const HotLaunch launch(static_cast<unsigned>(places.cluster), places, static_cast<std::size_t>(bytes), nullptr);
  int clusters = 0;
  check(cudaOccupancyMaxActiveClusters(&clusters, multiply_hot<A>, &launch.config), "cudaOccupancyMaxActiveClusters");
  return clusters * places.cluster;
}

}  // namespace

// Arrays that are only wrapped stay the caller's: nothing of them is copied, not even in code.
template <class T>
HotColumns make_hot_columns(const Csr<T>& a) {
  const convert::HotRule rule;
  const bool aligned = reinterpret_cast<std::uintptr_t>(a.vals.data()) % 16 == 0;
  if (a.num_entries() < rule.min_entries || a.num_cols < rule.min_columns() || a.cols.borrowed() || !aligned) return {};
  const DeviceGuard guard(a.device());
  if (a.visit_view([](const auto& view) { return rows_are_better(view); })) return {};
  const Index num_blocks = num_hot_blocks<T>(rule.places, a.device());
  if (num_blocks == 0) return {};
  return on_stage(a.device(), [&](DeviceStage& stage) {
    return convert::make_hot(stage, convert::rows_of(a), rule, num_blocks * hot_warps);
  });
}

template <class A>
void multiply_hot_columns(Queue& queue, const HotColumns& hot, const A* vals, Offset num_entries, A alpha, const A* x,
                          A beta, A* y) {
  const RowMarksView marks = hot.marks.view();
  const Index num_chunks = marks.num_chunks, num_packed = hot.places.cluster * hot.places.num_slots();
  const auto packed = queue.scratch<A>(num_packed), pieces = queue.scratch<A>(2 * std::int64_t{num_chunks});
  const auto arrived = queue.zeros(num_chunks);
  const HotProduct<A> product{.places = hot.places,
                              .marks = marks,
                              .num_entries = num_entries,
                              .columns = hot.columns.data(),
                              .coded = hot.coded.data(),
                              .vals = vals,
                              .x = x,
                              .packed = packed.data(),
                              .alpha = alpha,
                              .beta = beta,
                              .y = y,
                              .cut = {pieces.data(), arrived.data()}};
  const cudaStream_t stream = queue.stream();
  pack_hot<<<num_blocks(std::max(num_packed, marks.num_vacant), 256), 256, 0, stream>>>(product);
  check_launch("pack_hot", stream);
  const HotLaunch launch(num_blocks(num_chunks, hot_warps), hot.places, shared_bytes<A>(hot.places), stream);
  check(cudaLaunchKernelEx(&launch.config, multiply_hot<A>, product), "multiply_hot");
  check_launch("multiply_hot", stream);
}

#define MILLRACE_INSTANTIATE(A)                        \
  template HotColumns make_hot_columns(const Csr<A>&); \
  template void multiply_hot_columns(Queue&, const HotColumns&, const A*, Offset, A, const A*, A, A*)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
