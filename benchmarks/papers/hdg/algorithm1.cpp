// Cases of the sweep of the HDG paper (Roca, Nguyen, Peraire 2011): inflating x, the paper's contraction (Algorithm 1
// on one thread of a CPU and on all, Algorithm 2 on a GPU), our product on the same dense blocks and, on a GPU, cuBLAS.
// All results are checked before anything is timed. Prints a JSON list, a case an item.
//
// usage: benchmark_hdg_algorithm1 DIMENSION DEGREE,... MIB,...|faces=N float|double [DEVICE] [SECONDS] [THREADS]
//        [hot|cold]
// Every degree with every memory; of several cases those with fewer faces than a face has neighbours are left out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "case.hpp"
#include "dbf_reference.hpp"
#include "millrace/base/timer.hpp"
#include "millrace/bench/features.hpp"
#include "millrace/bench/random.hpp"
#include "millrace/sparse/matrix.hpp"
#include "program.hpp"

namespace {

using namespace millrace;
using hdg_case::Sizes;
using program::number, program::words;
using Json = nlohmann::ordered_json;

struct Arguments {
  int dimension;
  std::string degrees, sizes, precision;
  Device device{};
  double seconds = 0.05;
  int num_threads = 0;
  bool cold = false;
};

// Triangles and four components in 2D, tetrahedra and five in 3D.
Sizes sizes_of(int dimension, int p, std::string_view size, std::size_t scalar_bytes) {
  require(dimension == 2 || dimension == 3, "dimension ", dimension, "; 2 or 3 is right");
  require(p >= 1 && p <= 10, "degree ", p, "; 1 to 10 are right");
  const bool flat = dimension == 2;
  const Index m = flat ? 4 * (p + 1) : 5 * (p + 1) * (p + 2) / 2, na = flat ? 5 : 7, q = m * na;
  if (size.starts_with("faces=")) return {m, na, number<Index>("the number of faces", size.substr(6)), q};
  const double bytes = number<double>("the memory (MiB)", size) * 0x1p20;
  const double a_face = static_cast<double>(scalar_bytes) * (m + static_cast<double>(m) * q + q);  // y, A and X
  return {m, na, static_cast<Index>(std::round(bytes / a_face)), q};
}

// The face itself and those next to it by number, around the end, ascending.
Array<Index> near_neighbours(const Sizes& s) {
  Array<Index> table(Offset{s.r} * s.na);  // [r, na]
  for (Index l = 0; l < s.r; ++l) {
    Index* row = table.data() + Offset{l} * s.na;
    for (Index k = 0; k < s.na; ++k) row[k] = (l + s.r - s.na / 2 + k) % s.r;
    std::sort(row, row + s.na);
  }
  return table;
}

template <class T>
Array<T> random_array(std::int64_t size, std::uint64_t seed) {
  Array<T> values(size);
  parallel_for(default_num_threads(), size, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      values.data()[i] = bench::random_value<T>(seed, static_cast<std::uint64_t>(i));
  });
  return values;
}

/// Times of works by name.
class Times {
 public:
  explicit Times(const Arguments& arguments)
      : options_{.warm_ups = 1,
                 .min_runs = arguments.device.on_host() ? 3 : 10,
                 .max_runs = 200,  // emptying the caches takes longer than a small product
                 .max_seconds = arguments.seconds,
                 .cold = arguments.cold} {}
  void record(const char* name, Queue& queue, const std::function<void()>& work) {
    const Samples samples = time(queue, work, options_);
    found_[name] = {{"seconds", samples.median()}, {"spread", samples.spread()}, {"runs", samples.seconds.size()}};
  }
  Json take() { return std::move(found_); }

 private:
  TimingOptions options_;
  Json found_ = Json::object();
};

/// Values and x lie in (-1, 1), so every row's sum of |a| |x| is below q.
template <class T>
void require_same(const Sizes& s, const std::vector<T>& expected, const std::vector<T>& found, std::string_view what) {
  const double bound = 2 * (s.q + 2.0) * std::numeric_limits<T>::epsilon() * s.q;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference = std::abs(static_cast<double>(expected[i]) - static_cast<double>(found[i]));
    require(difference <= bound, what, ": row ", i, " is ", found[i], ", but Algorithm 1 finds ", expected[i]);
  }
}

template <class T>
Json times_on_host(const Arguments& arguments, const Sizes& s) {
  Queue host(Device::host(), arguments.num_threads);
  const Array<Index> neighbours = near_neighbours(s);
  const Array<T> x = random_array<T>(s.num_rows(), 1);
  const Array<T> poison(s.num_rows(), std::numeric_limits<T>::quiet_NaN());
  Array<T> inflated(Offset{s.q} * s.r), y = poison.clone();

  // The paper's A[m, r, q] is the format with all block rows in one group.
  const auto blocks = [&](Index group) {
    const Array<T> values = random_array<T>(s.num_values(), 2);
    return Dbf<T>::from_blocks(s.m, s.na, neighbours.span(), values.span(), group);
  };
  const Dbf<T> paper = blocks(s.r);
  const SparseMatrix<T> matrix{AnyFormat<T>(blocks(1))};

  const auto inflate_x = [&] { inflate<T>(paper, x.span(), inflated.span(), host.num_threads()); };
  const auto contract_alone = [&] { contract<T>(paper, inflated.span(), y.span()); };
  const auto contract_all = [&] { contract<T>(paper, inflated.span(), y.span(), host.num_threads()); };
  const auto product = [&] { matrix.apply(host, {.x = x, .y = y}); };

  inflate_x();
  contract_alone();
  const std::vector<T> expected = y.to_vector();
  y = poison.clone();
  contract_all();
  require(y.to_vector() == expected, "Algorithm 1 on several threads finds other bits than on one");
  y = poison.clone();
  product();
  require_same(s, expected, y.to_vector(), "the product");

  Times times(arguments);
  times.record("inflate", host, inflate_x);
  times.record("contract", host, contract_all);
  times.record("algorithm1", host, contract_alone);
  times.record("product", host, product);
  return times.take();
}

/// The format on a GPU with values that were never on the host.
template <class T>
Dbf<T> blocks_on_gpu(Queue& queue, const Sizes& s, const Array<Index>& neighbours, bool all_in_one_group) {
  Dbf<T> a;
  a.num_rows = a.num_cols = static_cast<Index>(s.num_rows());
  a.block = s.m;
  a.group = all_in_one_group ? s.r : 1;
  a.width = s.na;
  a.entries = s.num_values();
  a.num_real_blocks = neighbours.size();
  a.sections = Array<DbfSection>{{0, s.na, 0, 0}, {s.r, 0, s.num_values(), neighbours.size()}}.to(queue.device());
  a.neighbours = neighbours.to(queue.device());
  a.vals = Array<T>(queue.device(), s.num_values());
  if constexpr (build::cuda) hdg_case::cuda::fill_values<T>(queue, s, all_in_one_group, a.vals.device_span());
  queue.wait();
  return a;
}

template <class T>
Json times_on_gpu(const Arguments& arguments, const Sizes& s) {
  if constexpr (!build::cuda) return {};
  const Device gpu = arguments.device;
  Queue queue(gpu);
  const Array<Index> neighbours = near_neighbours(s), neighbours_there = neighbours.to(gpu);
  const Array<T> x = random_array<T>(s.num_rows(), 1).to(gpu);
  Array<T> inflated(gpu, Offset{s.q} * s.r), y(gpu, s.num_rows());
  const auto check = [&](std::string_view what, const std::function<void()>& work) {
    if constexpr (build::cuda) {
      hdg_case::cuda::poison<T>(queue, inflated.device_span());
      hdg_case::cuda::poison<T>(queue, y.device_span());
      work();
      const auto wrong =
          hdg_case::cuda::wrong_row<T>(queue, s, neighbours_there.device_span(), x.device_span(), y.device_span());
      require(!wrong, what, ": row ", wrong.value_or(0), " of y is wrong");
    }
  };

  Times times(arguments);
  {
    const Dbf<T> paper = blocks_on_gpu<T>(queue, s, neighbours, true);
    const auto inflate_x = [&] {
      if constexpr (build::cuda) cuda::inflate<T>(queue, paper, x.device_span(), inflated.device_span());
    };
    const auto contract_x = [&] {
      if constexpr (build::cuda) cuda::contract<T>(queue, paper, inflated.device_span(), y.device_span());
    };
    check("Algorithm 2", [&] {
      inflate_x();
      contract_x();
    });
    times.record("inflate", queue, inflate_x);
    times.record("contract", queue, contract_x);
  }
  const SparseMatrix<T> matrix{AnyFormat<T>(blocks_on_gpu<T>(queue, s, neighbours, false))};
  const auto product = [&] { matrix.apply(queue, {.x = x, .y = y}); };
  check("the product", product);
  times.record("product", queue, product);
  if constexpr (build::cuda && bench::features::cublas) {
    const auto& a = std::get<Dbf<T>>(matrix.format());
    const auto dense =
        hdg_case::cuda::batched_gemv<T>(queue, s, a.vals.device_span(), inflated.device_span(), y.device_span());
    const auto both = [&] {
      cuda::inflate<T>(queue, a, x.device_span(), inflated.device_span());
      dense();
    };
    check("cuBLAS", both);
    times.record("gemv", queue, both);
  }
  return times.take();
}

template <class T>
Json measure(const Arguments& arguments, int degree, const Sizes& s) {
  const bool on_host = arguments.device.on_host();
  const auto scalar_bytes = static_cast<Offset>(sizeof(T));
  const Offset index_bytes = Offset{s.r} * s.na * static_cast<Offset>(sizeof(Index));
  Json times = on_host ? times_on_host<T>(arguments, s) : times_on_gpu<T>(arguments, s);
  return {{"dimension", arguments.dimension},
          {"degree", degree},
          {"precision", arguments.precision},
          {"device", to_string(arguments.device)},
          {"state", arguments.cold ? "cold" : "hot"},
          {"m", s.m},
          {"r", s.r},
          {"q", s.q},
          {"bytes", (s.num_values() + 2 * s.num_rows()) * scalar_bytes + index_bytes},  // A, x, y and the neighbours
          {"threads", on_host ? Queue(Device::host(), arguments.num_threads).num_threads() : 0},
          {"checked", true},
          {"times", std::move(times)}};
}

template <class T>
Json measure_all(const Arguments& arguments) {
  const auto degrees = words(arguments.degrees), memories = words(arguments.sizes);
  Json found = Json::array();
  for (const auto degree : degrees)
    for (const auto memory : memories) {
      const int p = number<int>("the degree", degree);
      const Sizes s = sizes_of(arguments.dimension, p, memory, sizeof(T));
      if (s.r < s.na && degrees.size() * memories.size() > 1) continue;
      require(s.r >= s.na, s.r, " faces of ", s.m, " unknowns; every face has ", s.na,
              " neighbours, so there must be as many");
      found.push_back(measure<T>(arguments, p, s));
      found.back()["size"] = std::string(memory);  // as it was asked for
    }
  return found;
}

int run(int argc, char** argv) {
  require(argc >= 5 && argc <= 9,
          "usage: benchmark_hdg_algorithm1 DIMENSION DEGREE,... MIB,...|faces=N float|double [DEVICE] [SECONDS] "
          "[THREADS] [hot|cold]");
  Arguments arguments{number<int>("the dimension", argv[1]), argv[2], argv[3], argv[4]};
  if (argc > 5) arguments.device = parse_device(argv[5]);
  if (argc > 6) arguments.seconds = number<double>("the time (s)", argv[6]);
  if (argc > 7) arguments.num_threads = number<int>("the number of threads", argv[7]);
  const std::string_view state = argc > 8 ? argv[8] : "hot";
  require(state == "hot" || state == "cold", "state '", state, "'; hot or cold is right");
  arguments.cold = state == "cold";
  const bool is_float = arguments.precision == "float";
  require(is_float || arguments.precision == "double", "precision '", arguments.precision,
          "'; float or double is right");
  const Json found = is_float ? measure_all<float>(arguments) : measure_all<double>(arguments);
  fmt::print("{}\n", found.dump(1));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return millrace::program::guarded("benchmark_hdg_algorithm1", [&] { return run(argc, argv); });
}
