// What a product pays when its vectors live on the host: x copied to the GPU and y back, through pinned memory. Every
// copy is compared before it is timed. Prints a JSON list, a pair of lengths an item.
//
// usage: benchmark_pjds_transfers DEVICE float|double SECONDS COLUMNS:ROWS...    entries of x and of y
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "millrace/base/array.hpp"
#include "millrace/base/timer.hpp"
#include "millrace/bench/random.hpp"
#include "program.hpp"

namespace {

using namespace millrace;
using program::number;
using Json = nlohmann::ordered_json;

/// Pinned memory of the host and as much of a GPU, with values of their own on the host.
template <class T>
struct Pair {
  Array<T> host, there;

  Pair(Device gpu, std::int64_t size, std::uint64_t seed)
      : host(Device::host(), size, Memory::pinned), there(gpu, size) {
    for (std::int64_t i = 0; i < size; ++i)
      host.data()[i] = bench::random_value<T>(seed, static_cast<std::uint64_t>(i));
  }
  void up(Queue& queue) {
    copy_bytes(queue, there.device(), there.data(), host.device(), host.data(), static_cast<std::size_t>(host.bytes()));
  }
  void down(Queue& queue) {
    copy_bytes(queue, host.device(), host.data(), there.device(), there.data(), static_cast<std::size_t>(host.bytes()));
  }
};

template <class T>
Json measure(Device gpu, double seconds, std::int64_t columns, std::int64_t rows) {
  Queue queue(gpu);
  Pair<T> x(gpu, columns, 1), y(gpu, rows, 2);
  for (Pair<T>* pair : {&x, &y}) {  // up, away with the host's, down
    const std::vector<T> expected = pair->host.to_vector();
    pair->up(queue);
    queue.wait();
    std::fill_n(pair->host.data(), pair->host.size(), T{0});
    pair->down(queue);
    queue.wait();
    require(pair->host.to_vector() == expected, "a copy of ", expected.size(), " entries came back changed");
  }
  const TimingOptions options{.max_seconds = seconds};
  const Samples up = time(
      queue, [&] { x.up(queue); }, options);
  const Samples down = time(
      queue, [&] { y.down(queue); }, options);
  return {{"columns", columns},
          {"rows", rows},
          {"up_seconds", up.median()},
          {"up_spread", up.spread()},
          {"down_seconds", down.median()},
          {"down_spread", down.spread()},
          {"checked", true}};
}

int run(int argc, char** argv) {
  require(argc >= 5, "usage: benchmark_pjds_transfers DEVICE float|double SECONDS COLUMNS:ROWS...");
  const Device gpu = parse_device(argv[1]);
  require(!gpu.on_host(), "'", argv[1], "' is the host; its vectors need no transfer, only those of a gpu do");
  const std::string_view precision = argv[2];
  require(precision == "float" || precision == "double", "precision '", precision, "'; float or double is right");
  const auto seconds = number<double>("the time (s)", argv[3]);
  Json found = Json::array();
  for (int k = 4; k < argc; ++k) {
    const std::string_view text = argv[k];
    const std::size_t colon = text.find(':');
    require(colon != text.npos, "'", text, "'; COLUMNS:ROWS is right, as 100:100");
    const auto columns = number<std::int64_t>("the number of columns", text.substr(0, colon));
    const auto rows = number<std::int64_t>("the number of rows", text.substr(colon + 1));
    require(columns > 0 && rows > 0, "'", text, "'; one column and one row are the least");
    found.push_back(precision == "float" ? measure<float>(gpu, seconds, columns, rows)
                                         : measure<double>(gpu, seconds, columns, rows));
  }
  fmt::print("{}\n", found.dump(1));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return millrace::program::guarded("benchmark_pjds_transfers", [&] { return run(argc, argv); });
}
