// The list is short, so it is written whole each time; OutputFile puts it in place of the old one.
#include "millrace/io/pvd.hpp"

#include <array>
#include <charconv>
#include <cmath>
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

}  // namespace

void PvdSeries::add(double time, const std::filesystem::path& file) {
  require(std::isfinite(time), path_.string(), ": a step at time ", time, " was asked for; times are finite");
  require(num_steps_ == 0 || time > last_time_, path_.string(), ": a step at time ", digits(time),
          " was asked for after one at ", digits(last_time_), "; times ascend");
  require(!file.empty(), path_.string(), ": the step at time ", digits(time), " has no file");
  const auto folder = std::filesystem::absolute(path_).lexically_normal().parent_path();
  const auto name = std::filesystem::absolute(file).lexically_normal().lexically_proximate(folder).generic_string();
  const std::string steps = join(steps_, "    <DataSet timestep=\"", digits(time), "\" part=\"0\" file=\"",
                                 xml_text(name, path_.string() + ": the name of a file"), "\"/>\n");
  OutputFile output(path_);
  output.write(
      join("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
           "byte_order=\"LittleEndian\">\n  <Collection>\n",
           steps, "  </Collection>\n</VTKFile>\n"));
  output.commit();
  steps_ = steps;
  last_time_ = time;
  ++num_steps_;
}

}  // namespace millrace
