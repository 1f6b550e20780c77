// cuSPARSE as a peer: one vector by SpMV on CSR, COO, sliced ELLPACK and blocked CSR, several by SpMM on CSR. Its
// manual promises the same bits in every run for some algorithms only, and the table of a benchmark says for which.
#include <cuda_runtime.h>
#include <cusparse.h>

#include <algorithm>
#include <memory>

#include "millrace/bench/contender.hpp"

namespace millrace::bench {

namespace {

void check(cusparseStatus_t status, std::string_view call) {
  require<CudaError>(status == CUSPARSE_STATUS_SUCCESS, "cusparse: ", call, ": ", cusparseGetErrorString(status));
}
void use(Device device) {
  const cudaError_t status = cudaSetDevice(device.number());
  require<CudaError>(status == cudaSuccess, "cusparse: cudaSetDevice: ", cudaGetErrorString(status));
}

template <class T>
constexpr cudaDataType data_type = std::is_same_v<T, float>                 ? CUDA_R_32F
                                   : std::is_same_v<T, double>              ? CUDA_R_64F
                                   : std::is_same_v<T, std::complex<float>> ? CUDA_C_32F
                                                                            : CUDA_C_64F;
template <class I>
constexpr cusparseIndexType_t index_type = sizeof(I) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;

// Owns what a create function of cuSPARSE made.
template <auto destroy>
struct Destroy {
  template <class D>
  void operator()(D* descriptor) const {
    destroy(descriptor);
  }
};
template <class Descriptor, auto destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Descriptor>, Destroy<destroy>>;
using Handle = Owned<cusparseHandle_t, cusparseDestroy>;
using SparseDescriptor = Owned<cusparseConstSpMatDescr_t, cusparseDestroySpMat>;
using VectorDescriptor = Owned<cusparseConstDnVecDescr_t, cusparseDestroyDnVec>;
using DenseDescriptor = Owned<cusparseConstDnMatDescr_t, cusparseDestroyDnMat>;

// A matrix on the GPU as cuSPARSE takes it, with the arrays it stands on.
struct DeviceMatrix {
  std::shared_ptr<void> arrays;
  SparseDescriptor descriptor;
  ContenderFacts facts;
};

template <class T>
DeviceMatrix make_csr(const Problem<T>& problem) {
  auto csr = std::make_shared<Csr<T>>(problem.a.to(problem.queue.device()));
  cusparseConstSpMatDescr_t descriptor = nullptr;
  std::visit(
      [&]<class I>(const Array<I>& row_ptr) {
        check(cusparseCreateConstCsr(&descriptor, csr->num_rows, csr->num_cols, csr->num_entries(), row_ptr.data(),
                                     csr->cols.data(), csr->vals.data(), index_type<I>, CUSPARSE_INDEX_32I,
                                     CUSPARSE_INDEX_BASE_ZERO, data_type<T>),
              "CreateConstCsr");
      },
      csr->row_ptr);
  const Footprint footprint = csr->footprint();
  return {csr,
          SparseDescriptor(descriptor),
          {.format = "csr", .own = false, .format_bytes = footprint.bytes, .moved_bytes = footprint.moved_bytes}};
}

template <class T>
DeviceMatrix make_coo(const Problem<T>& problem) {
  auto coo = std::make_shared<Coo<T>>(Coo<T>::from_csr(problem.a, {.name = "coo"}).to(problem.queue.device()));
  cusparseConstSpMatDescr_t descriptor = nullptr;
  check(cusparseCreateConstCoo(&descriptor, coo->num_rows, coo->num_cols, coo->num_entries(), coo->rows.data(),
                               coo->cols.data(), coo->vals.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                               data_type<T>),
        "CreateConstCoo");
  const Footprint footprint = coo->footprint();
  return {coo,
          SparseDescriptor(descriptor),
          {.format = "coo", .own = false, .format_bytes = footprint.bytes, .moved_bytes = footprint.moved_bytes}};
}

// Slices of 32 rows, column by column, padded with column -1; the last slice is as high as all others.
template <class T>
struct SlicedEll {
  static constexpr Index slice = 32;
  Array<std::int32_t> slice_ptr;  // [num_slices + 1]
  Array<Index> cols;              // [slots]
  Array<T> vals;                  // [slots]

  SlicedEll(const Csr<T>& a, Device device) {
    const Index num_slices = (a.num_rows + slice - 1) / slice;
    const auto last = [&](Index s) { return std::min(a.num_rows, (s + 1) * slice); };
    Array<std::int32_t> ptr(num_slices + 1, 0);
    const double room = static_cast<double>(facts(device).memory_bytes) / 4;
    Offset slots = 0;
    for (Index s = 0; s < num_slices; ++s) {
      Offset width = 0;
      for (Index r = s * slice; r < last(s); ++r) width = std::max<Offset>(width, a.row_length(r));
      slots += width * slice;
      const auto bytes = static_cast<double>(slots) * (sizeof(T) + sizeof(Index));
      require<Unsupported>(slots <= INT32_MAX && bytes < room, "sliced ellpack would need too much padding");
      ptr.data()[s + 1] = static_cast<std::int32_t>(slots);
    }
    Array<Index> columns(slots, Index{-1});
    Array<T> values(slots, T{});
    parallel_for(default_num_threads(), num_slices, [&](std::int64_t begin, std::int64_t end) {
      for (auto s = static_cast<Index>(begin); s < end; ++s)
        for (Index r = s * slice; r < last(s); ++r)
          for (Index k = 0; k < a.row_length(r); ++k) {
            const Offset from = a.row_begin(r) + k, to = ptr.data()[s] + Offset{k} * slice + (r - s * slice);
            columns.data()[to] = a.cols.data()[from];
            values.data()[to] = a.vals.data()[from];
          }
    });
    slice_ptr = ptr.to(device), cols = columns.to(device), vals = values.to(device);
  }
};

template <class T>
DeviceMatrix make_sell(const Problem<T>& problem) {
  const Csr<T>& a = problem.a;
  auto sell = std::make_shared<SlicedEll<T>>(a, problem.queue.device());
  cusparseConstSpMatDescr_t descriptor = nullptr;
  check(cusparseCreateConstSlicedEll(&descriptor, a.num_rows, a.num_cols, a.num_entries(), sell->vals.size(),
                                     SlicedEll<T>::slice, sell->slice_ptr.data(), sell->cols.data(), sell->vals.data(),
                                     CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, data_type<T>),
        "CreateConstSlicedEll");
  const std::int64_t offsets = sell->slice_ptr.bytes();
  const auto entry_bytes = static_cast<std::int64_t>(sizeof(T) + sizeof(Index));
  return {sell,
          SparseDescriptor(descriptor),
          {.format = "sell",
           .own = false,
           .artificial_zeros = sell->vals.size() - a.num_entries(),
           .format_bytes = offsets + sell->vals.size() * entry_bytes,
           .moved_bytes = offsets + a.num_entries() * entry_bytes}};
}

// Our blocks of the size that our own BSR chooses, with the 4-byte offsets that cost cuSPARSE the fewest bytes.
template <class T>
struct BlockedCsr {
  Array<std::int32_t> block_ptr;  // [num_block_rows + 1]
  Array<Index> block_cols;        // [num_blocks]
  Array<T> vals;                  // [num_blocks, b, b], every block column by column
};

template <class T>
DeviceMatrix make_bsr(const Problem<T>& problem) {
  const auto bsr = Bsr<T>::from_csr(problem.a, {.name = "bsr"});
  const Index b = bsr.block;
  require<Unsupported>(b > 1, "the matrix has no dense blocks: no size takes fewer bytes than single entries do");
  require<Unsupported>(bsr.num_rows % b == 0 && bsr.num_cols % b == 0, "the matrix is ", bsr.num_rows, " x ",
                       bsr.num_cols, "; cuSPARSE takes whole blocks alone, here multiples of ", b);
  require<Unsupported>(bsr.block_cols.size() <= INT32_MAX, bsr.block_cols.size(),
                       " blocks; 4-byte offsets count up to ", INT32_MAX);
  const Device device = problem.queue.device();
  Array<std::int32_t> block_ptr(bsr.block_ptr.size());
  std::transform(bsr.block_ptr.data(), bsr.block_ptr.data() + bsr.block_ptr.size(), block_ptr.data(),
                 [](Offset offset) { return static_cast<std::int32_t>(offset); });
  auto there = std::make_shared<BlockedCsr<T>>(
      BlockedCsr<T>{block_ptr.to(device), bsr.block_cols.to(device), bsr.vals.to(device)});
  cusparseConstSpMatDescr_t descriptor = nullptr;
  check(
      cusparseCreateConstBsr(&descriptor, bsr.num_rows / b, bsr.num_cols / b, bsr.block_cols.size(), b, b,
                             there->block_ptr.data(), there->block_cols.data(), there->vals.data(), CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, data_type<T>, CUSPARSE_ORDER_COL),
      "CreateConstBsr");
  const std::int64_t indices = block_ptr.bytes() + bsr.block_cols.bytes();
  return {there,
          SparseDescriptor(descriptor),
          {.format = "bsr",
           .own = false,
           .note = bsr.details(),
           .artificial_zeros = bsr.vals.size() - bsr.entries,
           .format_bytes = indices + bsr.vals.bytes(),
           .moved_bytes = indices + bsr.entries * static_cast<std::int64_t>(sizeof(T))}};
}

Handle make_handle(Queue& queue) {
  use(queue.device());
  cusparseHandle_t handle = nullptr;
  check(cusparseCreate(&handle), "Create");
  Handle owned(handle);
  check(cusparseSetStream(handle, queue.stream()), "SetStream");
  return owned;
}

// What one product needs; alive as long as its contender. cuSPARSE reads factors as cuDoubleComplex, which lies at
// multiples of 16 bytes, where std::complex<double> need not.
template <class T, class Dense>
struct Product {
  DeviceMatrix matrix;
  Handle handle;
  Dense x, y;
  Array<char> buffer;
  alignas(16) T alpha{1};
  alignas(16) T beta{0};
};

template <class T>
std::function<void()> make_spmv(const Problem<T>& problem, DeviceMatrix matrix, cusparseSpMVAlg_t algorithm,
                                bool preprocess) {
  auto p = std::make_shared<Product<T, VectorDescriptor>>();
  p->matrix = std::move(matrix);
  p->handle = make_handle(problem.queue);
  cusparseConstDnVecDescr_t x = nullptr;
  cusparseDnVecDescr_t y = nullptr;
  check(cusparseCreateConstDnVec(&x, problem.x.size, problem.x.data, data_type<T>), "CreateConstDnVec");
  p->x.reset(x);
  check(cusparseCreateDnVec(&y, problem.y.size, problem.y.data, data_type<T>), "CreateDnVec");
  p->y.reset(y);
  constexpr auto op = CUSPARSE_OPERATION_NON_TRANSPOSE;
  std::size_t bytes = 0;
  check(cusparseSpMV_bufferSize(p->handle.get(), op, &p->alpha, p->matrix.descriptor.get(), x, &p->beta, y,
                                data_type<T>, algorithm, &bytes),
        "SpMV_bufferSize");
  p->buffer = Array<char>(problem.queue.device(), static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1)));
  if (preprocess)
    check(cusparseSpMV_preprocess(p->handle.get(), op, &p->alpha, p->matrix.descriptor.get(), x, &p->beta, y,
                                  data_type<T>, algorithm, p->buffer.data()),
          "SpMV_preprocess");
  return [p, y, algorithm, device = problem.queue.device()] {
    use(device);
    check(cusparseSpMV(p->handle.get(), op, &p->alpha, p->matrix.descriptor.get(), p->x.get(), &p->beta, y,
                       data_type<T>, algorithm, p->buffer.data()),
          "SpMV");
  };
}

template <class T>
std::function<void()> make_spmm(const Problem<T>& problem, DeviceMatrix matrix, cusparseSpMMAlg_t algorithm) {
  auto p = std::make_shared<Product<T, DenseDescriptor>>();
  p->matrix = std::move(matrix);
  p->handle = make_handle(problem.queue);
  cusparseConstDnMatDescr_t x = nullptr;
  cusparseDnMatDescr_t y = nullptr;
  check(cusparseCreateConstDnMat(&x, problem.x.size, problem.x.num, std::max<std::int64_t>(problem.x.stride, 1),
                                 problem.x.data, data_type<T>, CUSPARSE_ORDER_COL),
        "CreateConstDnMat");
  p->x.reset(x);
  check(cusparseCreateDnMat(&y, problem.y.size, problem.y.num, std::max<std::int64_t>(problem.y.stride, 1),
                            problem.y.data, data_type<T>, CUSPARSE_ORDER_COL),
        "CreateDnMat");
  p->y.reset(y);
  constexpr auto op = CUSPARSE_OPERATION_NON_TRANSPOSE;
  std::size_t bytes = 0;
  check(cusparseSpMM_bufferSize(p->handle.get(), op, op, &p->alpha, p->matrix.descriptor.get(), x, &p->beta, y,
                                data_type<T>, algorithm, &bytes),
        "SpMM_bufferSize");
  p->buffer = Array<char>(problem.queue.device(), static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1)));
  check(cusparseSpMM_preprocess(p->handle.get(), op, op, &p->alpha, p->matrix.descriptor.get(), x, &p->beta, y,
                                data_type<T>, algorithm, p->buffer.data()),
        "SpMM_preprocess");
  return [p, y, algorithm, device = problem.queue.device()] {
    use(device);
    check(cusparseSpMM(p->handle.get(), op, op, &p->alpha, p->matrix.descriptor.get(), p->x.get(), &p->beta, y,
                       data_type<T>, algorithm, p->buffer.data()),
          "SpMM");
  };
}

}  // namespace

template <class T>
Makers<T> cusparse_peers(const Problem<T>& problem) {
  Makers<T> makers;
  const auto finish = [](std::string name, bool deterministic, ContenderFacts facts, std::function<void()> run) {
    int version[3] = {};
    for (int i = 0; i < 3; ++i) cusparseGetProperty(static_cast<libraryPropertyType>(i), &version[i]);
    facts.name = std::move(name);
    facts.deterministic = deterministic;
    facts.note =
        join("cuSPARSE ", version[0], '.', version[1], '.', version[2], facts.note.empty() ? "" : ", ", facts.note);
    return Contender<T>{std::move(facts), std::move(run)};
  };
  const auto spmv = [&](std::string name, auto make_matrix, cusparseSpMVAlg_t algorithm, bool preprocess,
                        bool same_bits) {
    makers.push_back({name, [=] {
                        DeviceMatrix matrix = make_matrix(problem);
                        ContenderFacts facts = matrix.facts;
                        return finish(name, same_bits, facts,
                                      make_spmv(problem, std::move(matrix), algorithm, preprocess));
                      }});
  };
  const auto spmm = [&](std::string name, cusparseSpMMAlg_t algorithm, bool same_bits) {
    makers.push_back({name, [=] {
                        DeviceMatrix matrix = make_csr(problem);
                        ContenderFacts facts = matrix.facts;
                        return finish(name, same_bits, facts, make_spmm(problem, std::move(matrix), algorithm));
                      }});
  };
  if (problem.x.num == 1) {
    spmv("cusparse csr alg1", make_csr<T>, CUSPARSE_SPMV_CSR_ALG1, true, false);
    spmv("cusparse csr alg2", make_csr<T>, CUSPARSE_SPMV_CSR_ALG2, true, true);
    spmv("cusparse coo alg1", make_coo<T>, CUSPARSE_SPMV_COO_ALG1, false, false);
    spmv("cusparse coo alg2", make_coo<T>, CUSPARSE_SPMV_COO_ALG2, false, true);
    spmv("cusparse sell alg1", make_sell<T>, CUSPARSE_SPMV_SELL_ALG1, false, true);
#if CUSPARSE_VERSION >= 12600  // since CUDA 13; nothing is known to promise the same bits in every run
    spmv("cusparse bsr alg1", make_bsr<T>, CUSPARSE_SPMV_BSR_ALG1, false, false);
#endif
  } else {
    spmm("cusparse csr spmm alg1", CUSPARSE_SPMM_CSR_ALG1, false);
    spmm("cusparse csr spmm alg2", CUSPARSE_SPMM_CSR_ALG2, false);
    spmm("cusparse csr spmm alg3", CUSPARSE_SPMM_CSR_ALG3, true);
  }
  return makers;
}

template Makers<float> cusparse_peers(const Problem<float>&);
template Makers<double> cusparse_peers(const Problem<double>&);
template Makers<std::complex<float>> cusparse_peers(const Problem<std::complex<float>>&);
template Makers<std::complex<double>> cusparse_peers(const Problem<std::complex<double>>&);

}  // namespace millrace::bench
