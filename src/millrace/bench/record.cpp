// Builds the JSON of a benchmark from its points.
#include "millrace/bench/record.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "millrace/base/printable.hpp"
#include "millrace/bench/build_info.hpp"
#include "millrace/bench/command_line.hpp"
#include "millrace/io/checksum.hpp"
#include "millrace/io/output_file.hpp"

namespace millrace::bench {

using Json = nlohmann::ordered_json;

namespace {

std::string os_name() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("PRETTY_NAME=\"")) return line.substr(13, line.size() - 14);
  return "unknown";
}

Json point_json(const Point& p, const Bandwidth& limit) {
  const auto& c = p.contender;
  return {{"matrix", matrix_json(p.matrix)},
          {"precision", p.precision},
          {"num_vectors", p.num_vectors},
          {"device", p.device},
          {"threads", p.num_threads},
          {"state", to_string(p.state)},
          {"contender", c.name},
          {"kind", c.kind()},
          {"format", c.format},
          {"deterministic", c.deterministic},
          {"checked", {{"max_error_over_bound", p.check.max_error_over_bound}, {"ok", p.check.ok()}}},
          {"format_bytes", c.format_bytes},
          {"artificial_zeros", c.artificial_zeros},
          {"traffic_bytes", p.traffic_bytes},
          {"minimum_bytes", p.minimum_bytes},
          {"samples_us", samples_json(p.samples)},
          {"median_us", p.median() * 1e6},
          {"spread", p.samples.spread()},
          {"gflop_s", p.flop_rate() * 1e-9},
          {"gb_s", p.byte_rate() * 1e-9},
          {"percent_of_read", p.share_of_read(limit) * 100},
          {"minimum_percent", p.share_of_minimum(limit) * 100},
          {"setup_ms", p.setup_seconds * 1e3},
          {"note", c.note}};
}

}  // namespace

std::string matrix_hash(const AnyCsr& any) {
  return std::visit(
      [](const auto& a) {
        Array<std::int64_t> row_ptr(std::int64_t{a.num_rows} + 1);  // one width for all matrices
        row_ptr.data()[0] = 0;
        for (Index r = 0; r < a.num_rows; ++r) row_ptr.data()[r + 1] = a.row_begin(r + 1);
        const auto of = [](const auto& array) {
          return checksum(array.data(), static_cast<std::size_t>(array.bytes()), default_num_threads());
        };
        const std::uint64_t parts[] = {static_cast<std::uint64_t>(a.num_cols), of(row_ptr), of(a.cols), of(a.vals)};
        return fmt::format("{:016x}", combine_checksums(parts, 4));
      },
      any);
}

MatrixFacts matrix_facts(const std::string& argument, const AnyCsr& any) {
  const bool from_file = std::filesystem::exists(argument);
  return std::visit(
      [&](const auto& a) -> MatrixFacts {
        return {from_file ? std::filesystem::path(argument).filename().string() : argument,
                from_file,
                a.num_rows,
                a.num_cols,
                a.num_entries(),
                matrix_hash(any)};
      },
      any);
}

std::string utc_now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

Json machine_json() {
  utsname system{};
  uname(&system);
  const std::string_view release(system.release);  // without what a distributor or a site adds after a dash
  const DeviceFacts host = facts(Device::host());
  return {{"name", host.name},
          {"cpu", host.name},
          {"cores", host.num_units},
          {"threads", default_num_threads()},
          {"memory_bytes", host.memory_bytes},
          {"os", os_name()},
          {"kernel", fmt::format("{} {} {}", system.sysname, release.substr(0, release.find('-')), system.machine)},
          {"compiler", build_info().compiler}};
}

Json device_json(Device device) {
  const DeviceFacts f = facts(device);
  return {{"kind", device.on_host() ? "cpu" : "gpu"},
          {"name", f.name},
          {"memory_bytes", f.memory_bytes},
          {"cache_bytes", f.cache_bytes},
          {"num_units", f.num_units},
          {"driver", f.driver},
          {"clock_mhz", f.clock_mhz},
          {"memory_clock_mhz", f.memory_clock_mhz}};
}

Json matrix_json(const MatrixFacts& m) {
  return {{m.from_file ? "file" : "spec", m.name},
          {"rows", m.rows},
          {"cols", m.cols},
          {"entries", m.entries},
          {"hash", m.hash}};
}

Json build_json() {
  const BuildInfo info = build_info();
  return {{"version", build::version}, {"commit", info.commit}, {"source_hash", info.source_hash},
          {"dirty", info.dirty},       {"type", info.type},     {"flags", info.flags},
          {"cuda", build::cuda},       {"mpi", build::mpi}};
}

Json bandwidth_json(const Bandwidth& b) {
  return {{"read_gb_s", b.read * 1e-9},
          {"copy_gb_s", b.copy * 1e-9},
          {"triad_gb_s", b.triad * 1e-9},
          {"launch_us", b.launch_seconds * 1e6}};
}

Json samples_json(const Samples& samples) {
  Json list = Json::array();
  for (const double seconds : samples.seconds) list.push_back(seconds * 1e6);
  return list;
}

Json record_head(const std::string& schema, int version) {
  return {{"schema", schema},          {"version", version},        {"created", utc_now()},
          {"command", command_line()}, {"machine", machine_json()}, {"build", build_json()}};
}

Json points_record(const std::string& schema, Device device, const Bandwidth& bandwidth, Json points) {
  return {{"schema", schema},
          {"version", 1},
          {"created", utc_now()},
          {"machine", machine_json()},
          {"device", device_json(device)},
          {"build", build_json()},
          {"bandwidth", bandwidth_json(bandwidth)},
          {"points", std::move(points)}};
}

Json bench_record(Device device, const Bandwidth& bandwidth, std::span<const Point> points,
                  std::optional<double> other_cores) {
  Json list = Json::array();
  for (const Point& point : points)
    if (point.timed()) {
      list.push_back(point_json(point, bandwidth));
      if (point.share_of_gather > 0) list.back()["percent_of_gather"] = point.share_of_gather * 100;
    }
  Json json = record_head("millrace.bench", 2);
  if (other_cores) json["other_cores"] = std::round(100 * *other_cores) / 100;
  json.update({{"device", device_json(device)}, {"bandwidth", bandwidth_json(bandwidth)}, {"points", std::move(list)}});
  return json;
}

namespace {

// Names of files may be any bytes, JSON is UTF-8: what is none of it is written as \xff.
Json with_valid_texts(const Json& json) {
  if (json.is_string()) return valid_utf8(json.get_ref<const std::string&>());
  if (!json.is_structured()) return json;
  Json copy = json.is_array() ? Json::array() : Json::object();
  for (const auto& [key, value] : json.items())
    if (json.is_array())
      copy.push_back(with_valid_texts(value));
    else
      copy[valid_utf8(key)] = with_valid_texts(value);
  return copy;
}

}  // namespace

void write_json(const std::string& path, const Json& json) {
  const std::string text = with_valid_texts(json).dump(1) + '\n';
  if (path == "-") {
    fmt::print("{}", text);
    return;
  }
  OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace millrace::bench
