// Loads a physics that NVRTC compiled, and launches its kernels.
#include "millrace/fem/source_physics.hpp"

#include "millrace/fem/hex/launch.cuh"
#include "millrace/fem/hex/source_entry.cuh"

namespace millrace::cuda {
namespace {

/// The kernels of a program, as make_source_request asks for them; the last where it is fused.
enum class SourceEntry { store, points, hexes };
constexpr int num_source_entries = 3;

/// A loaded program; its handles serve all devices.
class SourceProgram {
 public:
  explicit SourceProgram(const RtcProgram& program) {
    check(cudaLibraryLoadData(&library_, program.cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          "cudaLibraryLoadData");
    for (std::size_t k = 0; k < program.names.size(); ++k)
      check(cudaLibraryGetKernel(&kernels_[k], library_, program.names[k].c_str()), "cudaLibraryGetKernel");
    read("millrace_facts", &facts_, sizeof(facts_));
  }
  SourceProgram(const SourceProgram&) = delete;
  SourceProgram& operator=(const SourceProgram&) = delete;
  ~SourceProgram() { cudaLibraryUnload(library_); }

  const SourceFacts& facts() const { return facts_; }
  void read(const char* name, void* to, std::size_t bytes) const {
    void* there = nullptr;
    std::size_t size = 0;
    check(cudaLibraryGetGlobal(&there, &size, library_, name), "cudaLibraryGetGlobal");
    check(cudaMemcpy(to, there, std::min(bytes, size), cudaMemcpyDeviceToHost), "cudaMemcpy");
  }
  template <class... Args>
  void launch(SourceEntry which, Queue& queue, unsigned blocks, int threads, std::size_t shared,
              const Args&... args) const {
    if (blocks == 0) return;
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&args))...};
    const DeviceGuard guard(queue.device());
    check(cudaLaunchKernel(static_cast<const void*>(kernels_[static_cast<std::size_t>(which)]), dim3(blocks),
                           dim3(static_cast<unsigned>(threads)), pointers, shared, queue.stream()),
          "physics source");
    check_launch("physics source", queue.stream());
  }

 private:
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernels_[num_source_entries] = {};  // by SourceEntry
  SourceFacts facts_{};
};

/// The bytes of the PointKernel, which owns the program.
struct SourceKernel {
  const SourceProgram* program;
  SourceBytes bytes;
};

template <class T>
void store_source(Queue& queue, const void* physics, const PointMap& map, T* stored, Index* first_bad) {
  const auto& kernel = *static_cast<const SourceKernel*>(physics);
  const std::int64_t size = std::int64_t{map.num_elem} * map.num_points;
  kernel.program->launch(SourceEntry::store, queue, num_blocks(size, point_threads), point_threads, 0, kernel.bytes,
                         map, stored, first_bad);
}

template <class T>
void apply_source_points(Queue& queue, const void* physics, std::int64_t num_elem, int num_points, const T* stored,
                         T* value, T* grad) {
  const auto& kernel = *static_cast<const SourceKernel*>(physics);
  const std::int64_t size = num_elem * num_points;
  kernel.program->launch(SourceEntry::points, queue, num_blocks(size, point_threads), point_threads, 0, kernel.bytes,
                         size, 1, num_points, stored, value, grad);
}

template <class T>
void apply_source(Queue& queue, const ElementData<T>& data, const PointKernel<T>& physics, const ApplyRequest<T>& r) {
  const auto& kernel = *static_cast<const SourceKernel*>(physics.gpu_bytes());
  const auto launch = [&]<int P, int Q>(const HexArgs<T, P, Q, SourceBytes>& args, unsigned blocks) {
    const int threads = hex_tuning(hex_facts(data, physics.uses_value, physics.uses_grad)).threads;
    const int shared_bytes = hex_shared_bytes<T, P, Q>(physics.uses_grad);
    kernel.program->launch(SourceEntry::hexes, queue, blocks, threads, static_cast<std::size_t>(shared_bytes), args);
  };
  apply_hex_request<AllElementOrders>(queue, data, physics, kernel.bytes, r, launch);
}

std::string architecture_of(Device device) {
  int major = 0, minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device.number()), "cudaDeviceGetAttribute");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device.number()), "cudaDeviceGetAttribute");
  return join("sm_", major, minor);
}

}  // namespace

template <class T>
PointKernel<T> make_source_kernel(Device device, const PhysicsSource& source, const SourceShape& shape) {
  const DeviceGuard guard(device);
  const auto program = std::make_shared<const SourceProgram>(
      compile_at_run_time(make_source_request(source, shape, architecture_of(device))));
  const SourceFacts& facts = program->facts();
  const auto size = static_cast<std::size_t>(facts.num_bytes);
  require(source.parameters.empty() || source.parameters.size() == size, "physics source: ", source.name, " has ", size,
          " bytes, the parameters ", source.parameters.size(), "; give those of such an object, or none");
  SourceKernel bytes{program.get(), {}};
  if (source.parameters.empty())
    program->read("millrace_default", bytes.bytes.bytes, size);
  else
    std::memcpy(bytes.bytes.bytes, source.parameters.data(), size);
  PointKernel<T> kernel;
  kernel.dim = facts.dim;
  kernel.comps = facts.comps;
  kernel.num_stored = facts.num_stored;
  kernel.uses_value = facts.uses_value != 0;
  kernel.uses_grad = facts.uses_grad != 0;
  kernel.symmetric = facts.symmetric != 0;
  kernel.physics.resize(sizeof(SourceKernel));
  std::memcpy(kernel.physics.data(), &bytes, sizeof(SourceKernel));
  kernel.owner = program;
  kernel.on_gpu.store = store_source<T>;
  kernel.on_gpu.points = apply_source_points<T>;
  if (shape.fused) kernel.on_gpu.hexes = apply_source<T>;
  return kernel;
}

template PointKernel<float> make_source_kernel(Device, const PhysicsSource&, const SourceShape&);
template PointKernel<double> make_source_kernel(Device, const PhysicsSource&, const SourceShape&);

}  // namespace millrace::cuda
