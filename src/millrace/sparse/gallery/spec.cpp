// Reads a spec such as "poisson3d7:n=128,seed=3".
#include "millrace/sparse/gallery/spec.hpp"

#include <charconv>
#include <cmath>

#include "millrace/base/device.hpp"
#include "millrace/base/human.hpp"

namespace millrace::gallery {
namespace {

std::string number_text(double value) {
  if (std::abs(value) < 1e15 && value == std::floor(value)) return join(static_cast<std::int64_t>(value));
  return join(value);
}

std::size_t find_parameter(const Entry& entry, std::string_view key) {
  std::string known;
  for (std::size_t k = 0; k < entry.parameters.size(); ++k) {
    if (entry.parameters[k].name == key) return k;
    known += ' ' + entry.parameters[k].name;
  }
  throw Error(join(entry.name, " has no parameter '", key, "'; it has:", known));
}

double parse_value(const Entry& entry, const Parameter& parameter, std::string_view text) {
  const std::string kind = join(parameter.integer ? "a whole number from " : "a number from ",
                                number_text(parameter.lower), " to ", number_text(parameter.upper));
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(status == std::errc{} && end == text.data() + text.size() && std::isfinite(value), entry.name, ": ",
          parameter.name, " = '", text, "' is not a number; it takes ", kind);
  require(value >= parameter.lower && value <= parameter.upper && (!parameter.integer || value == std::floor(value)),
          entry.name, ": ", parameter.name, " = ", text, " is not possible; it takes ", kind);
  return value;
}

}  // namespace

Values::Values(std::string name, std::vector<std::pair<std::string, double>> values, int num_threads,
               std::int64_t max_memory)
    : name_(std::move(name)), values_(std::move(values)), num_threads_(num_threads), max_memory_(max_memory) {}

// Offsets of 8 bytes, then of 4; columns and values; all of it twice while it is permuted.
void Values::require_memory(double num_rows, double num_entries) const {
  const auto [first, last] = rows(static_cast<std::int64_t>(num_rows));
  const double share = num_rows > 0 ? static_cast<double>(last - first) / num_rows : 1;
  const double bytes = share * (12 * num_rows + 12 * num_entries) * (flag("permute") ? 2 : 1);
  const std::int64_t machine = facts(Device::host()).memory_bytes, limit = max_memory_ > 0 ? max_memory_ : machine;
  require(limit <= 0 || bytes <= static_cast<double>(limit), name_, ": ",
          count_text(static_cast<std::int64_t>(num_rows)), " rows and about ",
          count_text(static_cast<std::int64_t>(num_entries)), " entries need ", bytes_text(bytes), "; ",
          max_memory_ > 0 ? "the limit is " : "this machine has ", bytes_text(static_cast<double>(limit)),
          max_memory_ > 0 ? "" : " (--max-memory sets another limit)");
}

std::pair<std::int64_t, std::int64_t> Values::rows(std::int64_t num_rows) const {
  if (!rows_) return {0, num_rows};
  const auto range = rows_(num_rows);
  require(range.first >= 0 && range.first <= range.second && range.second <= num_rows, name_, ": rows ", range.first,
          " to ", range.second, " were asked for; 0 to ", num_rows, " are there");
  return range;
}

double Values::real(std::string_view key) const {
  for (const auto& [name, value] : values_)
    if (name == key) return value;
  throw Error(join(name_, ": no value for the parameter '", key, "'"));
}

std::int64_t Values::integer(std::string_view key) const { return static_cast<std::int64_t>(real(key)); }

std::string_view spec_name(std::string_view spec) { return spec.substr(0, spec.find(':')); }

Values parse_values(const Entry& entry, std::string_view spec, int num_threads, std::int64_t max_memory) {
  std::vector<std::pair<std::string, double>> values;
  for (const Parameter& parameter : entry.parameters) values.emplace_back(parameter.name, parameter.default_value);
  std::vector<bool> given(values.size());

  const std::size_t colon = spec.find(':');
  std::string_view rest = colon == std::string_view::npos ? std::string_view{} : spec.substr(colon + 1);
  require(colon == std::string_view::npos || !rest.empty(), "'", spec, "': nothing follows the colon; a value of ",
          entry.parameters.front().name, " or key=value would");
  for (bool first = true; !rest.empty(); first = false) {
    const std::size_t comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    require(comma == std::string_view::npos || !rest.empty(), "'", spec,
            "': key=value is missing after the last comma");
    const std::size_t equals = item.find('=');
    require(first || equals != std::string_view::npos, "'", spec, "': '", item,
            "' is not key=value; only the first value can go without its key");
    const std::size_t k = equals == std::string_view::npos ? 0 : find_parameter(entry, item.substr(0, equals));
    const std::string_view text = equals == std::string_view::npos ? item : item.substr(equals + 1);
    require(!given[k], "'", spec, "': ", values[k].first, " is given twice");
    given[k] = true;
    values[k].second = parse_value(entry, entry.parameters[k], text);
  }
  return {entry.name, std::move(values), num_threads, max_memory};
}

}  // namespace millrace::gallery
