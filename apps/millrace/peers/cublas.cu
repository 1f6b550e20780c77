// The two steps that one writes with a dense library as a peer: x is gathered into a dense vector for every block row,
// then cuBLAS multiplies all block rows in one batch of dense products (DBF's layout is that of the batch).
#include <cublas_v2.h>

#include <memory>

#include "millrace/base/cuda.cuh"
#include "millrace/bench/contender.hpp"

namespace millrace::bench {

namespace {

void check(cublasStatus_t status, std::string_view call) {
  require<CudaError>(status == CUBLAS_STATUS_SUCCESS, "cublas: ", call, ": ", cublasGetStatusString(status));
}

struct DestroyHandle {
  void operator()(cublasContext* handle) const { cublasDestroy(handle); }
};
using Handle = std::unique_ptr<cublasContext, DestroyHandle>;

constexpr int threads = 256;

// Mapping  thread t of block b writes entry i = b threads + t of `gathered`: entry i % m of stored block i / m.
// Traffic  4 bytes of table a block; x once (its reuse is the cache's), every entry of `gathered` written once.
// Result   repeatable: a copy, zeros for padding.
template <class T>
__global__ void __launch_bounds__(threads)
    inflate(const Index* neighbours, const T* x, T* gathered, std::uint32_t size, std::uint32_t m) {
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i >= size) return;
  const Index column = neighbours[i / m];
  gathered[i] = column < 0 ? T{0} : x[static_cast<std::int64_t>(column) * m + i % m];
}

// What one product needs; alive as long as its contender.
template <class T>
struct Product {
  Dbf<T> a;           // on the GPU
  Array<T> gathered;  // [num_block_rows, width m], x as every block row needs it
  Handle handle;
};

template <class T>
void multiply(const Product<T>& p, T* y) {
  const T alpha{1}, beta{0};
  const int m = p.a.block, n = p.a.width * m;
  const auto gemv = [&](auto function, const char* name) {
    check(function(p.handle.get(), CUBLAS_OP_N, m, n, &alpha, p.a.vals.data(), m, static_cast<long long>(m) * n,
                   p.gathered.data(), 1, n, &beta, y, 1, m, p.a.num_block_rows()),
          name);
  };
  if constexpr (std::is_same_v<T, float>)
    gemv(cublasSgemvStridedBatched, "SgemvStridedBatched");
  else
    gemv(cublasDgemvStridedBatched, "DgemvStridedBatched");
}

template <class T>
Contender<T> make_batched_gemv(const Problem<T>& problem) {
  constexpr Index min_block = 4;
  const auto host = Dbf<T>::from_csr(problem.a, {.name = "dbf"});
  const Index m = host.block;
  require<Unsupported>(m >= min_block, "the matrix has dense blocks of ", m, "; a batch of dense products takes ",
                       min_block, " or more");
  require<Unsupported>(host.group == 1 && host.sections.size() == 2 && host.block_row_of.empty(),
                       "the block rows are not stored one after another in their own order");
  const std::int64_t size = host.neighbours.size() * m;
  require<Unsupported>(size <= INT32_MAX, "x gathered for every block row has ", size, " entries; ", INT32_MAX,
                       " are the most");

  Queue& queue = problem.queue;
  const cuda::DeviceGuard guard(queue.device());
  auto p = std::make_shared<Product<T>>();
  p->a = host.to(queue.device());
  p->gathered = Array<T>(queue.device(), size);
  cublasHandle_t handle = nullptr;
  check(cublasCreate(&handle), "Create");
  p->handle.reset(handle);
  check(cublasSetStream(handle, queue.stream()), "SetStream");
  int version = 0;
  check(cublasGetVersion(handle, &version), "GetVersion");

  const std::int64_t table = host.neighbours.bytes(), gathered = p->gathered.bytes();
  Contender<T> contender;
  ContenderFacts& facts = contender.facts;  // nvcc 13 loses the names of an initialiser that is assigned
  facts.name = "cublas gather + gemv";
  facts.format = "dbf";
  facts.own = false;
  facts.deterministic = true;  // its manual: the same bits in every run while one stream is active
  facts.note = join("cuBLAS ", version / 10000, '.', version / 100 % 100, '.', version % 100, ", ", host.details());
  facts.artificial_zeros = host.vals.size() - host.entries;
  facts.format_bytes = host.vals.bytes() + table + gathered;
  facts.moved_bytes = host.entries * static_cast<std::int64_t>(sizeof(T)) + table + 2 * gathered;
  contender.run = [p, x = problem.x.data, y = problem.y.data, device = queue.device(), stream = queue.stream()] {
    const cuda::DeviceGuard here(device);
    const auto entries = static_cast<std::uint32_t>(p->gathered.size());
    inflate<<<cuda::num_blocks(entries, threads), threads, 0, stream>>>(
        p->a.neighbours.data(), x, p->gathered.data(), entries, static_cast<std::uint32_t>(p->a.block));
    cuda::check_launch("inflate", stream);
    multiply(*p, y);
  };
  return contender;
}

}  // namespace

template <class T>
Makers<T> cublas_peers(const Problem<T>& problem) {
  if (problem.x.num > 1) return {};  // one vector at a time
  return {{"cublas gather + gemv", [=]() -> Contender<T> {
             if constexpr (is_complex<T>)
               throw Unsupported("this peer computes in float and double, not in complex numbers");
             else
               return make_batched_gemv(problem);
           }}};
}

template Makers<float> cublas_peers(const Problem<float>&);
template Makers<double> cublas_peers(const Problem<double>&);
template Makers<std::complex<float>> cublas_peers(const Problem<std::complex<float>>&);
template Makers<std::complex<double>> cublas_peers(const Problem<std::complex<double>>&);

}  // namespace millrace::bench
