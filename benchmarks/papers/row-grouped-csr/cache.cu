// What the read-only cache does for row-grouped CSR: the product of its paper (one thread per row, the groups' slots
// side by side) that gathers x through it and around it, on any matrix. Both are compared with the library's product,
// and stand beside its time. Prints a JSON list, one item per matrix, precision and group size.
//
// usage: benchmark_rgcsr_cache DEVICE SECONDS hot|cold GROUP,... MATRIX...    files or gallery specs
#include <cstdio>
#include <nlohmann/json.hpp>

#include "millrace/base/cuda.cuh"
#include "millrace/base/timer.hpp"
#include "millrace/bench/load.hpp"
#include "millrace/bench/random.hpp"
#include "millrace/sparse/matrix.hpp"
#include "program.hpp"

namespace {

using namespace millrace;
using program::number;
using Json = nlohmann::ordered_json;

/// How x is gathered: ld.global.nc through the read-only cache of a multiprocessor, or ld.global.cg, which only the
/// second-level cache answers.
enum class Gather { read_only, around };

template <Gather G, class T>
__device__ T gather(const T* x, Index column) {
  if constexpr (G == Gather::read_only)
    return __ldg(x + column);
  else
    return __ldcg(x + column);
}

// Mapping  one thread per row, one thread block per group of rows; the last group may have fewer.
// Traffic  slots with their columns up to the length of the row, group offsets, row lengths, y once, x by gathers.
// Result   repeatable: every row is summed in its order.
template <Gather G, class T>
__global__ void multiply_groups(SlicedView<T, T, Index> a, const T* __restrict__ x, T* __restrict__ y) {
  const Index group = static_cast<Index>(blockIdx.x), row = (group << a.log2_slice) + static_cast<Index>(threadIdx.x);
  if (row >= a.num_rows) return;
  const Index stride = a.stride_of(group), length = a.row_len ? a.row_len[row] : a.width(group);
  const T* vals = a.vals + a.slice_ptr[group] + threadIdx.x;
  const Index* cols = a.cols.offsets + a.slice_ptr[group] + threadIdx.x;
  T sum{0};
  for (Index k = 0; k < length; ++k, vals += stride, cols += stride)
    sum = multiply_add(*vals, gather<G>(x, *cols), sum);
  y[row] = sum;
}

template <Gather G, class T>
void multiply(Queue& queue, const SlicedView<T, T, Index>& a, const T* x, T* y) {
  const cuda::DeviceGuard guard(queue.device());
  const unsigned group = 1u << a.log2_slice;
  multiply_groups<G><<<cuda::num_blocks(a.num_rows, static_cast<int>(group)), group, 0, queue.stream()>>>(a, x, y);
  cuda::check_launch("multiply_groups", queue.stream());
}

/// Both sum the entries of a row; the library may do it in another order.
template <class T>
void require_same(const Csr<T>& a, const std::vector<T>& x, const std::vector<T>& expected,
                  const std::vector<T>& found) {
  for (Index r = 0; r < a.num_rows; ++r) {
    double magnitude = 0;
    for (Offset k = a.row_begin(r); k < a.row_begin(r + 1); ++k) {
      const auto column = static_cast<std::size_t>(a.cols.data()[k]);
      magnitude += std::abs(static_cast<double>(a.vals.data()[k]) * static_cast<double>(x[column]));
    }
    const auto row = static_cast<std::size_t>(r);
    const double bound = 2 * (static_cast<double>(a.row_length(r)) + 2) * std::numeric_limits<T>::epsilon() * magnitude;
    require(std::abs(static_cast<double>(found[row]) - static_cast<double>(expected[row])) <= bound, "row ", r, " is ",
            found[row], ", but the library finds ", expected[row]);
  }
}

template <class T>
Json measure(Device gpu, const TimingOptions& timing, const Csr<T>& a, Index group) {
  Queue queue(gpu);
  std::vector<T> x(static_cast<std::size_t>(a.num_cols));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = bench::random_value<T>(1, i);
  const std::vector<T> poison(static_cast<std::size_t>(a.num_rows), std::numeric_limits<T>::quiet_NaN());
  const Array<T> x_there = Array<T>(std::span<const T>(x)).to(gpu);
  Array<T> y = Array<T>(std::span<const T>(poison)).to(gpu);
  const SparseMatrix<T> matrix = SparseMatrix<T>(a, join("rgcsr-", group, "-full")).to(gpu);
  const auto library = [&] { matrix.apply(queue, {.x = x_there, .y = y}); };
  library();
  queue.wait();
  const std::vector<T> expected = y.to_vector();

  Json found = Json::object();
  const auto record = [&](const char* name, const std::function<void()>& work) {
    y.assign(std::span<const T>(poison));
    work();
    queue.wait();
    require_same(a, x, expected, y.to_vector());
    const Samples samples = time(queue, work, timing);
    found[name] = {{"seconds", samples.median()}, {"spread", samples.spread()}};
  };
  std::get<Rgcsr<T>>(matrix.format()).visit_view([&]<class View>(const View& view) {
    if constexpr (std::is_same_v<View, SlicedView<T, T, Index>>) {
      record("read_only", [&] { multiply<Gather::read_only>(queue, view, x_there.data(), y.data()); });
      record("around", [&] { multiply<Gather::around>(queue, view, x_there.data(), y.data()); });
    }
  });
  record("library", library);
  return found;
}

std::vector<Index> groups_of(std::string_view text) {
  std::vector<Index> groups;
  for (const std::string_view word : program::words(text)) groups.push_back(number<Index>("the size of a group", word));
  return groups;
}

/// Nothing is timed where the format refuses the matrix for its memory.
template <class T>
Json times_or_nothing(Device gpu, const TimingOptions& timing, const Csr<T>& a, Index group) {
  try {
    return measure<T>(gpu, timing, a, group);
  } catch (const Unsupported&) {
    return Json::object();
  }
}

template <class T>
void measure_groups(const std::string& name, const char* precision, Device gpu, const TimingOptions& timing,
                    const std::vector<Index>& groups, Json& found) {
  const Csr<T> a = bench::in_precision<T>(bench::load_matrix(name));
  require(a.num_rows > 0, name, ": a matrix without rows; one row is the least");
  for (const Index group : groups)
    found.push_back({{"matrix", name},
                     {"precision", precision},
                     {"group", group},
                     {"rows", a.num_rows},
                     {"entries", a.num_entries()},
                     {"state", timing.cold ? "cold" : "hot"},
                     {"checked", true},
                     {"times", times_or_nothing<T>(gpu, timing, a, group)}});
}

int run(int argc, char** argv) {
  require(argc >= 6, "usage: benchmark_rgcsr_cache DEVICE SECONDS hot|cold GROUP,... MATRIX...");
  const Device gpu = parse_device(argv[1]);
  require(!gpu.on_host(), "'", argv[1], "' is the host; the read-only cache is one of a gpu");
  const std::string_view state = argv[3];
  require(state == "hot" || state == "cold", "state '", state, "'; hot or cold is right");
  const TimingOptions timing{.max_seconds = number<double>("the time (s)", argv[2]), .cold = state == "cold"};
  const std::vector<Index> groups = groups_of(argv[4]);
  Json found = Json::array();
  for (int k = 5; k < argc; ++k) {
    measure_groups<float>(argv[k], "float", gpu, timing, groups, found);
    measure_groups<double>(argv[k], "double", gpu, timing, groups, found);
  }
  std::puts(found.dump(1).c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return millrace::program::guarded("benchmark_rgcsr_cache", [&] { return run(argc, argv); });
}
