// One case of the sweep of the HDG paper (Roca, Nguyen, Peraire 2011): inflating x, its Algorithm 1 on one thread and
// on all, and our product on the same dense blocks. All results are compared before anything is timed. Prints JSON.
//
// usage: benchmark_hdg_algorithm1 DIMENSION DEGREE MIB|faces=N float|double [DEVICE] [SECONDS] [THREADS]
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "millrace/base/timer.hpp"
#include "millrace/sparse/dbf_reference.hpp"
#include "millrace/sparse/matrix.hpp"
#include "random.hpp"

namespace {

using namespace millrace;
using Json = nlohmann::ordered_json;

struct Arguments {
  int dimension, degree;
  std::string size, precision;
  Device device{};
  double seconds = 0.05;
  int num_threads = 0;
};

/// The paper's letters: blocks of m = np nc rows, na of them in a block row, r faces, q = m na.
struct Sizes {
  Index m, na, r, q;
};

template <class N>
N number(std::string_view what, std::string_view text) {
  N value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(error == std::errc{} && end == text.data() + text.size(), what, " '", text, "' is no number");
  return value;
}

// Triangles and four components in 2D, tetrahedra and five in 3D.
Sizes sizes_of(const Arguments& arguments, std::size_t scalar_bytes) {
  const int p = arguments.degree;
  require(arguments.dimension == 2 || arguments.dimension == 3, "dimension ", arguments.dimension, "; 2 or 3 is right");
  require(p >= 1 && p <= 10, "degree ", p, "; 1 to 10 are right");
  const bool flat = arguments.dimension == 2;
  const Index m = flat ? 4 * (p + 1) : 5 * (p + 1) * (p + 2) / 2, na = flat ? 5 : 7, q = m * na;
  Index r = 0;
  if (arguments.size.starts_with("faces=")) {
    r = number<Index>("the number of faces", std::string_view(arguments.size).substr(6));
  } else {
    const double bytes = number<double>("the memory (MiB)", arguments.size) * 0x1p20;
    const double a_face = static_cast<double>(scalar_bytes) * (m + static_cast<double>(m) * q + q);  // y, A and X
    r = static_cast<Index>(std::round(bytes / a_face));
  }
  require(r >= na, r, " faces of ", m, " unknowns; every face has ", na, " neighbours, so there must be as many");
  return {m, na, r, q};
}

// The face itself and those next to it by number, around the end.
Array<Index> near_neighbours(const Sizes& s) {
  Array<Index> table(Offset{s.r} * s.na);  // [r, na]
  for (Index l = 0; l < s.r; ++l)
    for (Index k = 0; k < s.na; ++k) table.data()[Offset{l} * s.na + k] = (l + s.r - s.na / 2 + k) % s.r;
  return table;
}

template <class T>
Array<T> random_array(std::int64_t size, std::uint64_t seed) {
  Array<T> values(size);
  parallel_for(default_num_threads(), size, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      values.data()[i] = command::random_value<T>(seed, static_cast<std::uint64_t>(i));
  });
  return values;
}

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
Json measure(const Arguments& arguments) {
  const Sizes s = sizes_of(arguments, sizeof(T));
  Queue host(Device::host(), arguments.num_threads), queue(arguments.device, arguments.num_threads);
  const Array<Index> neighbours = near_neighbours(s);
  const Array<T> x = random_array<T>(Offset{s.m} * s.r, 1);
  const Array<T> poison(Offset{s.m} * s.r, std::numeric_limits<T>::quiet_NaN());
  Array<T> inflated(Offset{s.q} * s.r), y = poison.to(Device::host());

  // The paper's A[m, r, q] is the format with all block rows in one group.
  const auto blocks = [&](Index group) {
    const Array<T> values = random_array<T>(Offset{s.m} * s.r * s.q, 2);
    return Dbf<T>::from_blocks(s.m, s.na, neighbours.span(), values.span(), group);
  };
  const Dbf<T> paper = blocks(s.r);
  const SparseMatrix<T> matrix = SparseMatrix<T>(AnyFormat<T>(blocks(1))).to(arguments.device);
  const Array<T> x_there = x.to(arguments.device);
  Array<T> y_there = poison.to(arguments.device);

  const auto inflate_x = [&] { inflate<T>(paper, x.span(), inflated.span(), host.num_threads()); };
  const auto contract_alone = [&] { contract<T>(paper, inflated.span(), y.span()); };
  const auto contract_all = [&] { contract<T>(paper, inflated.span(), y.span(), host.num_threads()); };
  const auto product = [&] { matrix.apply(queue, {.x = x_there, .y = y_there}); };

  inflate_x();
  contract_alone();
  const std::vector<T> expected = y.to_vector();
  y = poison.to(Device::host());
  contract_all();
  require(y.to_vector() == expected, "Algorithm 1 on several threads finds other bits than on one");
  product();
  queue.wait();
  require_same(s, expected, y_there.to_vector(), "the product");

  const TimingOptions timing{.warm_ups = 1, .min_runs = 3, .max_seconds = arguments.seconds};
  Json times = Json::object();
  const auto record = [&](const char* name, Queue& where, const std::function<void()>& work) {
    const Samples samples = time(where, work, timing);
    times[name] = {{"seconds", samples.median()}, {"spread", samples.spread()}, {"runs", samples.seconds.size()}};
  };
  if (arguments.device.on_host()) {
    record("inflate", host, inflate_x);
    record("contract", host, contract_all);
    record("algorithm1", host, contract_alone);
  }
  record("product", queue, product);
  return {{"dimension", arguments.dimension},
          {"degree", arguments.degree},
          {"precision", arguments.precision},
          {"device", to_string(arguments.device)},
          {"m", s.m},
          {"r", s.r},
          {"q", s.q},
          {"threads", arguments.device.on_host() ? queue.num_threads() : 0},
          {"checked", true},
          {"times", std::move(times)}};
}

int run(int argc, char** argv) {
  require(argc >= 5 && argc <= 8,
          "usage: benchmark_hdg_algorithm1 DIMENSION DEGREE MIB|faces=N float|double [DEVICE] "
          "[SECONDS] [THREADS]");
  Arguments arguments{number<int>("the dimension", argv[1]), number<int>("the degree", argv[2]), argv[3], argv[4]};
  if (argc > 5) arguments.device = parse_device(argv[5]);
  if (argc > 6) arguments.seconds = number<double>("the time (s)", argv[6]);
  if (argc > 7) arguments.num_threads = number<int>("the number of threads", argv[7]);
  const bool is_float = arguments.precision == "float";
  require(is_float || arguments.precision == "double", "precision '", arguments.precision,
          "'; float or double is right");
  const Json found = is_float ? measure<float>(arguments) : measure<double>(arguments);
  fmt::print("{}\n", found.dump(1));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "benchmark_hdg_algorithm1: {}\n", error.what());
    return 1;
  }
}
