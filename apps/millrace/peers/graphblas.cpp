// SuiteSparse:GraphBLAS as a peer: Y += A X on the semiring of plus and times, after Y = 0. GraphBLAS owns what it
// multiplies, so A (with its 8-byte indices) and X are copied once, and Y is handed out once, after the first product.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <memory>

extern "C" {
#include <GraphBLAS.h>
}

#include "millrace/bench/contender.hpp"
#include "peers/blocks.hpp"

namespace millrace::bench {

namespace {

void check(GrB_Info info, const char* call) {
  if (info == GrB_OUT_OF_MEMORY) throw std::bad_alloc();
  require(info == GrB_SUCCESS, call, " of GraphBLAS failed with code ", static_cast<int>(info));
}

// Memory for GraphBLAS: large pieces in huge pages, as our own arrays have them.
void* allocate(std::size_t bytes) {
  constexpr std::size_t huge_page = 2 << 20;
  if (bytes < huge_page) return std::malloc(bytes);
  bytes = (bytes + huge_page - 1) / huge_page * huge_page;
  void* memory = std::aligned_alloc(huge_page, bytes);
  if (memory) madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

// GraphBLAS can start once in a process; it ends with it.
struct Library {
  Library() { check(GxB_init(GrB_NONBLOCKING, allocate, nullptr, nullptr, std::free), "GxB_init"); }
  ~Library() { GrB_finalize(); }
};
void start_library() { static const Library library; }

struct FreeMatrix {
  void operator()(GrB_Matrix matrix) const { GrB_Matrix_free(&matrix); }
};
using Matrix = std::unique_ptr<GB_Matrix_opaque, FreeMatrix>;

Matrix make_matrix(GrB_Type type, GrB_Index num_rows, GrB_Index num_cols) {
  GrB_Matrix matrix = nullptr;
  check(GrB_Matrix_new(&matrix, type, num_rows, num_cols), "GrB_Matrix_new");
  return Matrix(matrix);
}

struct Names {
  GrB_Type type;
  GrB_BinaryOp plus;
  GrB_Semiring semiring;
};
template <class T>
Names names() {
  if constexpr (std::is_same_v<T, float>) return {GrB_FP32, GrB_PLUS_FP32, GrB_PLUS_TIMES_SEMIRING_FP32};
  if constexpr (std::is_same_v<T, double>) return {GrB_FP64, GrB_PLUS_FP64, GrB_PLUS_TIMES_SEMIRING_FP64};
  if constexpr (std::is_same_v<T, std::complex<float>>) return {GxB_FC32, GxB_PLUS_FC32, GxB_PLUS_TIMES_FC32};
  if constexpr (std::is_same_v<T, std::complex<double>>) return {GxB_FC64, GxB_PLUS_FC64, GxB_PLUS_TIMES_FC64};
}

// An array that GraphBLAS will own: [num] of To, filled from somewhere.
template <class To, class From>
To* copy_for_graphblas(const From* from, std::int64_t num, int num_threads) {
  auto* to = static_cast<To*>(allocate(static_cast<std::size_t>(num) * sizeof(To)));
  if (!to && num > 0) throw std::bad_alloc();
  parallel_for(num_threads, num, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
  });
  return to;
}

template <class T>
class Product {
 public:
  explicit Product(const Problem<T>& problem) : problem_(problem) {
    start_library();
    std::optional<Csr<T>> sorted_copy;
    const Csr<T>& a = with_sorted_rows(problem.a, sorted_copy);
    const auto rows = static_cast<GrB_Index>(a.num_rows), cols = static_cast<GrB_Index>(a.num_cols);
    const auto num = static_cast<GrB_Index>(problem.x.num);
    a_ = make_matrix(names<T>().type, rows, cols);
    x_ = make_matrix(names<T>().type, cols, num);
    y_ = make_matrix(names<T>().type, rows, num);
    check(GxB_Matrix_Option_set(y_.get(), GxB_FORMAT, GxB_BY_COL), "GxB_Matrix_Option_set");

    const int num_threads = problem.queue.num_threads();
    const auto entries = static_cast<GrB_Index>(a.num_entries());
    auto* row_ptr = std::visit(
        [&](const auto& p) { return copy_for_graphblas<GrB_Index>(p.data(), p.size(), num_threads); }, a.row_ptr);
    auto* columns = copy_for_graphblas<GrB_Index>(a.cols.data(), a.num_entries(), num_threads);
    void* vals = copy_for_graphblas<T>(a.vals.data(), a.num_entries(), num_threads);
    constexpr std::size_t index = sizeof(GrB_Index);
    check(GxB_Matrix_pack_CSR(a_.get(), &row_ptr, &columns, &vals, (rows + 1) * index, entries * index,
                              entries * sizeof(T), false, false, nullptr),
          "GxB_Matrix_pack_CSR");
    void* x = copy_for_graphblas<T>(problem.x.data, std::int64_t{a.num_cols} * problem.x.num, num_threads);
    check(GxB_Matrix_pack_FullC(x_.get(), &x, cols * num * sizeof(T), false, nullptr), "GxB_Matrix_pack_FullC");
  }

  // Y = 0 is one number for GraphBLAS, and += then works in place: the fastest way, and it gives empty rows their 0.
  void run() {
    const auto rows = static_cast<GrB_Index>(problem_.a.num_rows), num = static_cast<GrB_Index>(problem_.x.num);
    GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, problem_.queue.num_threads());
    check(GrB_Matrix_assign_FP64(y_.get(), nullptr, nullptr, 0, GrB_ALL, rows, GrB_ALL, num, nullptr), "GrB_assign");
    check(GrB_mxm(y_.get(), nullptr, names<T>().plus, names<T>().semiring, a_.get(), x_.get(), nullptr), "GrB_mxm");
    check(GrB_Matrix_wait(y_.get(), GrB_MATERIALIZE), "GrB_wait");
    if (!delivered_) deliver();
  }

 private:
  void deliver() {
    void* values = nullptr;
    GrB_Index bytes = 0;
    bool all_equal = false;  // then there is one value
    check(GxB_Matrix_unpack_FullC(y_.get(), &values, &bytes, &all_equal, nullptr), "GxB_Matrix_unpack_FullC");
    T* y = problem_.y.data;
    const std::int64_t num_y = problem_.y.size * problem_.y.num;
    if (all_equal && num_y > 0)
      std::fill(y, y + num_y, *static_cast<const T*>(values));
    else
      std::copy_n(static_cast<const T*>(values), num_y, y);
    std::free(values);
    delivered_ = true;
  }

  Problem<T> problem_;
  Matrix a_, x_, y_;
  bool delivered_ = false;  // has problem.y the result?
};

}  // namespace

template <class T>
Makers<T> graphblas_peers(const Problem<T>& problem) {
  return {{"graphblas", [problem] {
             const auto product = std::make_shared<Product<T>>(problem);
             const std::int64_t bytes = (std::int64_t{problem.a.num_rows} + 1) * std::int64_t{sizeof(GrB_Index)} +
                                        problem.a.num_entries() * std::int64_t{sizeof(GrB_Index) + sizeof(T)};
             Contender<T> contender;
             contender.facts = {
                 .name = "graphblas",
                 .format = "csr",
                 .own = false,
                 .deterministic = false,  // not promised
                 .note = join("SuiteSparse:GraphBLAS ", GxB_IMPLEMENTATION_MAJOR, '.', GxB_IMPLEMENTATION_MINOR, '.',
                              GxB_IMPLEMENTATION_SUB, ", 8-byte indices, result left in its own memory"),
                 .format_bytes = bytes,
                 .moved_bytes = bytes};
             contender.run = [product] { product->run(); };
             return contender;
           }}};
}

template Makers<float> graphblas_peers(const Problem<float>&);
template Makers<double> graphblas_peers(const Problem<double>&);
template Makers<std::complex<float>> graphblas_peers(const Problem<std::complex<float>>&);
template Makers<std::complex<double>> graphblas_peers(const Problem<std::complex<double>>&);

}  // namespace millrace::bench
