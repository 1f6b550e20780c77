// The product of a table with many columns by cuBLAS: one GEMM, or a batch of GEMMs that share the table.
#include "millrace/base/cuda.cuh"
#include "millrace/fem/gemm/gemm_cuda.hpp"

#if MILLRACE_WITH_CUBLAS
#include <cublas_v2.h>

#include <mutex>
#endif

namespace millrace::cuda {

bool has_gemm_library() { return MILLRACE_WITH_CUBLAS != 0; }

#if MILLRACE_WITH_CUBLAS
namespace {

void check(cublasStatus_t status, std::string_view call) {
  require<CudaError>(status == CUBLAS_STATUS_SUCCESS, "cublas: ", call, ": ", cublasGetStatusString(status));
}

/// Handles that wait for work. They are expensive, and each serves one thread at a time; as many are made as threads
/// multiply at once. None is destroyed: at the end of a process the driver may be gone before they are.
class Handles {
 public:
  static Handles& all() {
    static auto* const handles = new Handles;
    return *handles;
  }
  cublasHandle_t take(Device device) {
    {
      const std::lock_guard lock(mutex_);
      for (auto i = waiting_.begin(); i != waiting_.end(); ++i)
        if (i->first == device) {
          const cublasHandle_t handle = i->second;
          waiting_.erase(i);
          return handle;
        }
    }
    cublasHandle_t handle = nullptr;
    check(cublasCreate(&handle), "Create");
    return handle;
  }
  void put_back(Device device, cublasHandle_t handle) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace_back(device, handle);
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<Device, cublasHandle_t>> waiting_;
};

/// A handle for the time of a call. Its workspace is the queue's, so that no two queues share one.
class Lease {
 public:
  explicit Lease(Queue& queue)
      : device_(queue.device()), space_(queue, workspace_bytes), handle_(Handles::all().take(device_)) {
    check(cublasSetStream(handle_, queue.stream()), "SetStream");
    check(cublasSetWorkspace(handle_, space_.data(), workspace_bytes), "SetWorkspace");
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() { Handles::all().put_back(device_, handle_); }
  cublasHandle_t handle() const { return handle_; }

 private:
  static constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // as its manual recommends for such a GPU
  Device device_;
  Scratch<char> space_;
  cublasHandle_t handle_;
};

/// `batch` products of eta columns each. Our rows one after another are the library's columns.
template <class T>
void multiply(const Lease& lease, const GemmShape& s, std::int64_t eta, std::int64_t batch, const T* table, const T* in,
              T* out, Write write) {
  const T alpha{1}, beta = write == Write::add ? T{1} : T{0};
  const cublasOperation_t op = s.transposed ? CUBLAS_OP_N : CUBLAS_OP_T;
  const int leading = s.transposed ? s.m : s.k;
  const auto one = [&](auto gemm, const char* name) {
    check(gemm(lease.handle(), op, CUBLAS_OP_N, s.m, eta, s.k, &alpha, table, leading, in, s.k, &beta, out, s.m), name);
  };
  const auto many = [&](auto gemm, const char* name) {
    check(gemm(lease.handle(), op, CUBLAS_OP_N, s.m, eta, s.k, &alpha, table, leading, 0, in, s.k, eta * s.k, &beta,
               out, s.m, eta * s.m, batch),
          name);
  };
  constexpr bool single = std::is_same_v<T, float>;
  if constexpr (single)
    batch == 1 ? one(cublasSgemm_64, "Sgemm") : many(cublasSgemmStridedBatched_64, "SgemmStridedBatched");
  else
    batch == 1 ? one(cublasDgemm_64, "Dgemm") : many(cublasDgemmStridedBatched_64, "DgemmStridedBatched");
}

}  // namespace
#endif

template <class T>
void multiply_by_library(Queue& queue, const GemmShape& shape, int eta, const T* table, const T* in, T* out,
                         Write write) {
#if MILLRACE_WITH_CUBLAS
  const DeviceGuard guard(queue.device());
  const Lease lease(queue);
  const std::int64_t each = eta > 0 ? eta : shape.n, batch = shape.n / each, done = batch * each;
  if (batch > 0) multiply(lease, shape, each, batch, table, in, out, write);
  if (done < shape.n)  // what the batch leaves
    multiply(lease, shape, shape.n - done, 1, table, in + done * shape.k, out + done * shape.m, write);
#else
  require<Unsupported>(
      false, "multiply_table: cuBLAS was asked for (",
      [&] {
        return to_string(GemmVariant{GemmVariant::Kernel::library, eta});
      },
      "), but this build has none; there is: own");
  static_cast<void>(queue), static_cast<void>(shape), static_cast<void>(table), static_cast<void>(in);
  static_cast<void>(out), static_cast<void>(write);
#endif
}

template void multiply_by_library(Queue&, const GemmShape&, int, const float*, const float*, float*, Write);
template void multiply_by_library(Queue&, const GemmShape&, int, const double*, const double*, double*, Write);

}  // namespace millrace::cuda
