// Products of CSR matrices with cached columns on a GPU: what the device can hold, and the launch.
#include "millrace/sparse/product/csr/cached_cuda.cuh"

#include <algorithm>

#include "millrace/sparse/product/csr/csr_cuda.cuh"

namespace millrace::cuda {
namespace {

template <class A>
std::size_t shared_bytes(const CachePlacement& placement) {
  return static_cast<std::size_t>(placement.num_slots() + cached_warps * CachedColumns::tile) * sizeof(A);
}

/// How to launch multiply_cached: in clusters, and before the kernel that packs x has ended, for which it waits itself.
struct CachedLaunch {
  cudaLaunchAttribute attributes[2]{};
  cudaLaunchConfig_t config{};

  CachedLaunch(unsigned num_blocks, const CachePlacement& placement, std::size_t shared_bytes, cudaStream_t stream) {
    const auto cluster = static_cast<unsigned>(placement.cluster_size);
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = cluster;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = (num_blocks + cluster - 1) / cluster * cluster;
    config.blockDim = cached_threads;
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = 2;
  }
  CachedLaunch(const CachedLaunch&) = delete;
  CachedLaunch& operator=(const CachedLaunch&) = delete;
};

/// Asks for the shared memory. Yields the thread blocks that run at once, or 0 where the device or the code compiled
/// for it has no clusters, or too little memory.
template <class A>
Index num_cached_blocks(const CachePlacement& placement, Device device) {
  const auto bytes = static_cast<int>(shared_bytes<A>(placement));
  int max_bytes = 0;
  check(cudaDeviceGetAttribute(&max_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device.number()),
        "cudaDeviceGetAttribute");
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, multiply_cached<A>), "cudaFuncGetAttributes");
  if (bytes > max_bytes || attributes.ptxVersion < 90) return 0;
  check(cudaFuncSetAttribute(multiply_cached<A>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
        "cudaFuncSetAttribute");
  const CachedLaunch launch(static_cast<unsigned>(placement.cluster_size), placement, static_cast<std::size_t>(bytes),
                            nullptr);
  int clusters = 0;
  check(cudaOccupancyMaxActiveClusters(&clusters, multiply_cached<A>, &launch.config),
        "cudaOccupancyMaxActiveClusters");
  return clusters * placement.cluster_size;
}

}  // namespace

template <class A>
Index num_cached_warps(const CachePlacement& placement, Device device) {
  const DeviceGuard guard(device);
  return num_cached_blocks<A>(placement, device) * cached_warps;
}

template <class A>
void multiply_cached_columns(Queue& queue, const CachedColumns& cached, const A* vals, Offset num_entries, A alpha,
                             const A* x, A beta, A* y) {
  const NnzSplitView split = cached.split.view();
  const Index num_chunks = split.num_chunks, num_packed = cached.placement.cluster_size * cached.placement.num_slots();
  const auto packed = queue.scratch<A>(num_packed), sums = queue.scratch<A>(2 * std::int64_t{num_chunks});
  const auto arrived = queue.zeros(num_chunks);
  const CachedProduct<A> product{.placement = cached.placement,
                                 .split = split,
                                 .num_entries = num_entries,
                                 .in_fours = loads_in_fours(vals),
                                 .columns = cached.columns.data(),
                                 .encoded_columns = cached.encoded_columns.data(),
                                 .vals = vals,
                                 .x = x,
                                 .packed = packed.data(),
                                 .alpha = alpha,
                                 .beta = beta,
                                 .y = y,
                                 .partial = {sums.data(), arrived.data()}};
  const cudaStream_t stream = queue.stream();
  pack_cached<<<num_blocks(std::max(num_packed, split.num_empty), 256), 256, 0, stream>>>(product);
  check_launch("pack_cached", stream);
  const CachedLaunch launch(num_blocks(num_chunks, cached_warps), cached.placement, shared_bytes<A>(cached.placement),
                            stream);
  check(cudaLaunchKernelEx(&launch.config, multiply_cached<A>, product), "multiply_cached");
  check_launch("multiply_cached", stream);
}

#define MILLRACE_INSTANTIATE(A)                                      \
  template Index num_cached_warps<A>(const CachePlacement&, Device); \
  template void multiply_cached_columns(Queue&, const CachedColumns&, const A*, Offset, A, const A*, A, A*)
MILLRACE_INSTANTIATE(float);
MILLRACE_INSTANTIATE(double);

}  // namespace millrace::cuda
