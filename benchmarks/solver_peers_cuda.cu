// CG and GMRES as one writes them with NVIDIA's libraries: products by cuSPARSE, vectors by cuBLAS with its scalars on
// the device, the scalars' own arithmetic in kernels of one thread, all of it replayed as a CUDA graph.
#include <cublas_v2.h>

#include <algorithm>
#include <memory>

#include "millrace/base/cuda.cuh"
#include "millrace/base/timer.hpp"
#include "millrace/bench/contender.hpp"
#include "solver_peers.hpp"

namespace millrace::solver_peers {
namespace {

void check(cublasStatus_t status, std::string_view call) {
  require<CudaError>(status == CUBLAS_STATUS_SUCCESS, "cublas: ", call, ": ", cublasGetStatusString(status));
}

/// cuBLAS on the stream of a queue, with its scalars on the device.
class Blas {
 public:
  explicit Blas(Queue& queue) : workspace_(queue.device(), std::int64_t{32} << 20) {
    check(cublasCreate(&handle_), "Create");
    check(cublasSetStream(handle_, queue.stream()), "SetStream");
    check(cublasSetWorkspace(handle_, workspace_.data(), static_cast<std::size_t>(workspace_.size())), "SetWorkspace");
    check(cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_DEVICE), "SetPointerMode");
  }
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  ~Blas() { cublasDestroy(handle_); }
  operator cublasHandle_t() const { return handle_; }

 private:
  Array<char> workspace_;
  cublasHandle_t handle_ = nullptr;
};

/// y = A x by cuSPARSE's sliced ELLPACK; it lives as long as the returned function.
std::function<void()> sell_product(const bench::Problem<double>& problem) {
  for (const auto& maker : bench::cusparse_peers<double>(problem))
    if (maker.name == "cusparse sell alg1") {
      const auto contender = std::make_shared<bench::Contender<double>>(maker.make());
      return [contender] { contender->run(); };
    }
  throw Unsupported("solver peers: this build has no cuSPARSE with sliced ELLPACK");
}

struct CgNumbers {
  double rr = 0, pq = 0, next = 0, alpha = 0, minus_alpha = 0, beta = 0, one = 0;
};
// Mapping  one thread. Traffic: a few numbers. Result: repeatable.
__global__ void find_alpha(CgNumbers* s) { s->alpha = s->rr / s->pq, s->minus_alpha = -s->alpha; }
// Mapping  one thread. Traffic: a few numbers. Result: repeatable.
__global__ void find_beta(CgNumbers* s) { s->beta = s->next / s->rr, s->rr = s->next; }

/// Times `times` replays, several runs; `reset` brings the start back before each.
std::vector<double> replay(Queue& queue, const Graph& graph, int times, int iterations, int runs,
                           const std::function<void()>& reset) {
  std::vector<double> seconds;
  for (int run = 0; run <= runs; ++run) {
    reset();
    const Samples one = time(queue,
                             [&] {
                               for (int i = 0; i < times; ++i) graph.replay();
                             },
                             {.warm_ups = 0, .min_runs = 1, .max_runs = 1});
    if (run > 0) seconds.push_back(one.fastest() / (static_cast<double>(times) * iterations));  // the first warms up
  }
  return seconds;
}

void copy(Queue& queue, Array<double>& to, const Array<double>& from) {
  copy_bytes(queue, to.device(), to.data(), from.device(), from.data(), static_cast<std::size_t>(from.bytes()));
}

}  // namespace

Result cublas_cg(Queue& queue, const Csr<double>& a, const Array<double>& b, int iterations, int runs) {
  const cuda::DeviceGuard guard(queue.device());
  const int n = a.num_rows;
  const Array<double> rhs = b.to(queue.device()), zero = Array<double>(n, 0.0).to(queue.device());
  Array<double> x(queue.device(), n), r(queue.device(), n), p(queue.device(), n), q(queue.device(), n);
  Array<CgNumbers> numbers(queue.device(), 1);
  CgNumbers* s = numbers.data();
  const auto product = sell_product({a, queue, p, q});
  const Blas blas(queue);
  const auto body = [&] {
    product();
    check(cublasDdot(blas, n, p.data(), 1, q.data(), 1, &s->pq), "Ddot");
    find_alpha<<<1, 1, 0, queue.stream()>>>(s);
    check(cublasDaxpy(blas, n, &s->alpha, p.data(), 1, x.data(), 1), "Daxpy");
    check(cublasDaxpy(blas, n, &s->minus_alpha, q.data(), 1, r.data(), 1), "Daxpy");
    check(cublasDdot(blas, n, r.data(), 1, r.data(), 1, &s->next), "Ddot");
    find_beta<<<1, 1, 0, queue.stream()>>>(s);
    check(cublasDscal(blas, n, &s->beta, p.data(), 1), "Dscal");
    check(cublasDaxpy(blas, n, &s->one, r.data(), 1, p.data(), 1), "Daxpy");
  };
  const CgNumbers start{.one = 1};
  const auto reset = [&] {
    copy(queue, x, zero), copy(queue, r, rhs), copy(queue, p, rhs);
    copy_bytes(queue, queue.device(), s, Device::host(), &start, sizeof(start));
    check(cublasDdot(blas, n, r.data(), 1, r.data(), 1, &s->rr), "Ddot");
    queue.wait();
  };
  reset();
  constexpr int ten = 10;
  const Graph graph(queue, body, ten);
  Result result{.name = "cusparse sell + cublas, graph"};
  const int times = (iterations + ten - 1) / ten;
  result.iterations = times * ten;
  result.seconds = replay(queue, graph, times, ten, runs, reset);
  result.relative = relative_residual(a, b, x.to(Device::host()));
  return result;
}

namespace {

// Mapping  one thread. Traffic: two numbers. Result: repeatable.
__global__ void invert(const double* norm, double* inverse) { *inverse = 1 / *norm; }

// Mapping  one thread solves min |beta e1 - H y| by Givens rotations, once a cycle. Traffic: H. Result: repeatable.
__global__ void solve_least_squares(int m, double* h, double* g, const double* beta, double* y) {
  const int ld = m + 1;
  g[0] = *beta;
  for (int j = 0; j < m; ++j) {
    double* column = h + j * ld;
    for (int i = 0; i < j; ++i) {
      const double c = y[m + 2 * i], s = y[m + 2 * i + 1], upper = column[i];
      column[i] = c * upper + s * column[i + 1];
      column[i + 1] = c * column[i + 1] - s * upper;
    }
    const double length = hypot(column[j], column[j + 1]), c = column[j] / length, s = column[j + 1] / length;
    y[m + 2 * j] = c, y[m + 2 * j + 1] = s;
    column[j] = length;
    g[j + 1] = -s * g[j], g[j] *= c;
  }
  for (int i = m - 1; i >= 0; --i) {
    double sum = g[i];
    for (int j = i + 1; j < m; ++j) sum -= h[j * ld + i] * y[j];
    y[i] = sum / h[i * ld + i];
  }
}

}  // namespace

Result cublas_gmres(Queue& queue, const Csr<double>& a, const Array<double>& b, const Array<double>& inverses,
                    int block, int restart, int cycles, int runs) {
  const cuda::DeviceGuard guard(queue.device());
  const int n = a.num_rows, num_blocks = n / block, ld = restart + 1;
  const Device gpu = queue.device();
  const Array<double> rhs = b.to(gpu), zero = Array<double>(n, 0.0).to(gpu), blocks = inverses.to(gpu);
  const Array<double> constants = Array<double>{1.0, 0.0, -1.0}.to(gpu);
  Array<double> x(gpu, n), z(gpu, n), w(gpu, n), v(gpu, std::int64_t{n} * ld);
  Array<double> small(gpu, restart * ld + 2 * ld + 3 * restart + 3);
  double *h = small.data(), *c = h + restart * ld, *g = c + ld, *y = g + ld, *beta = y + 3 * restart,
         *inverse = beta + 1;
  const double *one = constants.data(), *none = one + 1, *minus = one + 2;
  const auto product = sell_product({a, queue, z, w});
  const Blas blas(queue);
  const auto precondition = [&](const double* from) {
    check(cublasDgemvStridedBatched(blas, CUBLAS_OP_N, block, block, one, blocks.data(), block, block * block, from, 1,
                                    block, none, z.data(), 1, block, num_blocks),
          "DgemvStridedBatched");
  };
  const auto gemv = [&](cublasOperation_t op, int columns, const double* scale, const double* from, const double* keep,
                        double* to) {
    check(cublasDgemv(blas, op, n, columns, scale, v.data(), n, from, 1, keep, to, 1), "Dgemv");
  };
  const auto normalise = [&](double* norm, double* column) {
    check(cublasDnrm2(blas, n, w.data(), 1, norm), "Dnrm2");
    invert<<<1, 1, 0, queue.stream()>>>(norm, inverse);
    check(cublasDcopy(blas, n, w.data(), 1, column, 1), "Dcopy");
    check(cublasDscal(blas, n, inverse, column, 1), "Dscal");
  };
  const auto cycle = [&] {
    check(cublasDcopy(blas, n, x.data(), 1, z.data(), 1), "Dcopy");
    product();
    check(cublasDscal(blas, n, minus, w.data(), 1), "Dscal");
    check(cublasDaxpy(blas, n, one, rhs.data(), 1, w.data(), 1), "Daxpy");
    normalise(beta, v.data());
    for (int j = 0; j < restart; ++j) {
      precondition(v.data() + std::int64_t{j} * n);
      product();
      gemv(CUBLAS_OP_T, j + 1, one, w.data(), none, h + j * ld);
      gemv(CUBLAS_OP_N, j + 1, minus, h + j * ld, one, w.data());
      gemv(CUBLAS_OP_T, j + 1, one, w.data(), none, c);
      gemv(CUBLAS_OP_N, j + 1, minus, c, one, w.data());
      check(cublasDaxpy(blas, j + 1, one, c, 1, h + j * ld, 1), "Daxpy");
      normalise(h + j * ld + j + 1, v.data() + std::int64_t{j + 1} * n);
    }
    solve_least_squares<<<1, 1, 0, queue.stream()>>>(restart, h, g, beta, y);
    gemv(CUBLAS_OP_N, restart, one, y, none, w.data());
    precondition(w.data());
    check(cublasDaxpy(blas, n, one, z.data(), 1, x.data(), 1), "Daxpy");
  };
  const auto reset = [&] {
    copy(queue, x, zero);
    queue.wait();
  };
  reset();
  const Graph graph(queue, cycle, 1);
  Result result{.name = "cusparse sell + cublas, graph", .iterations = cycles * restart};
  result.seconds = replay(queue, graph, cycles, restart, runs, reset);
  result.relative = relative_residual(a, b, x.to(Device::host()));
  return result;
}

}  // namespace millrace::solver_peers
