// The list is short, so it is written whole each time; OutputFile puts it in place of the old one.
#include "millrace/io/pvd.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string_view>
#include <utility>

#include "millrace/base/error.hpp"
#include "millrace/io/output_file.hpp"
#include "millrace/io/xml_text.hpp"

namespace millrace {
namespace {

/// The shortest digits that bring the number back.
std::string digits(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

constexpr std::string_view pvd_head =
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
    "byte_order=\"LittleEndian\">\n  <Collection>\n";
constexpr std::string_view pvd_tail = "  </Collection>\n</VTKFile>\n", pvd_before_time = "    <DataSet timestep=\"";

}  // namespace

PvdSeries PvdSeries::resumed(const std::filesystem::path& path, double last_time) {
  PvdSeries series(path);
  if (!std::filesystem::exists(path)) return series;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto check = [&](bool holds) {
    require<IoError>(holds, path.string(), ": is no list of steps that this library has written, so that no run can go",
                     " on with it");
  };
  std::string_view rest = text;
  check(file.good() && rest.starts_with(pvd_head) && rest.ends_with(pvd_tail) &&
        rest.size() >= pvd_head.size() + pvd_tail.size());
  rest = rest.substr(pvd_head.size(), rest.size() - pvd_head.size() - pvd_tail.size());
  for (double latest = -INFINITY; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    check(end != std::string_view::npos && rest.starts_with(pvd_before_time));
    const std::string_view line = rest.substr(0, end + 1);
    double time = 0;
    const char* digits_end = std::from_chars(line.data() + pvd_before_time.size(), line.data() + line.size(), time).ptr;
    check(*digits_end == '"' && time > latest && std::isfinite(time));
    latest = time;
    rest.remove_prefix(line.size());
    if (time > last_time) continue;
    series.steps_ += line;
    series.last_time_ = time;
    ++series.num_steps_;
  }
  return series;
}

void PvdSeries::add(double time, const std::filesystem::path& file) {
  require(std::isfinite(time), path_.string(), ": a step at time ", time, " was asked for; times are finite");
  require(num_steps_ == 0 || time > last_time_, path_.string(), ": a step at time ", digits(time),
          " was asked for after one at ", digits(last_time_), "; times ascend");
  require(!file.empty(), path_.string(), ": the step at time ", digits(time), " has no file");
  const auto folder = std::filesystem::absolute(path_).lexically_normal().parent_path();
  const auto name = std::filesystem::absolute(file).lexically_normal().lexically_proximate(folder).generic_string();
  const std::string steps = join(steps_, pvd_before_time, digits(time), "\" part=\"0\" file=\"",
                                 xml_text(name, path_.string() + ": the name of a file"), "\"/>\n");
  OutputFile output(path_);
  output.write(join(pvd_head, steps, pvd_tail));
  output.commit();
  steps_ = steps;
  last_time_ = time;
  ++num_steps_;
}

}  // namespace millrace
