// One row for each key: what it takes, and where that goes.
#include "millrace/precond/amg_words.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>

#include "millrace/base/error.hpp"
#include "millrace/base/human.hpp"

namespace millrace {
namespace {

struct AmgKey {
  std::string_view name, accepted;
  bool (*read)(std::string_view value, AmgOptions& options);  // false: not accepted
};

bool read_real(std::string_view text, double& value, double above_or_at, double below) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= above_or_at && value < below;
}
bool read_number(std::string_view text, int& value, int min, int max) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() && value >= min && value <= max;
}

template <class T>
struct AmgWord {
  std::string_view name;
  T value;
};
template <class T, std::size_t n>
bool read_word(std::string_view text, T& value, const AmgWord<T> (&words)[n]) {
  for (const AmgWord<T>& word : words)
    if (word.name == text) {
      value = word.value;
      return true;
    }
  return false;
}

constexpr AmgWord<AmgCycle> cycle_words[] = {{"v", AmgCycle::v}, {"w", AmgCycle::w}, {"k", AmgCycle::k}};
constexpr AmgWord<AmgSmoother> smoother_words[] = {{"chebyshev", AmgSmoother::chebyshev},
                                                   {"fourth-kind", AmgSmoother::fourth_kind},
                                                   {"fourth-kind-optimal", AmgSmoother::fourth_kind_optimal},
                                                   {"l1-jacobi", AmgSmoother::l1_jacobi},
                                                   {"block-jacobi", AmgSmoother::block_jacobi}};
constexpr AmgWord<Precision> precision_words[] = {
    {"full", Precision::full}, {"single", Precision::single}, {"bfloat16", Precision::bfloat16}};
constexpr int max_block = 64, max_degree = 20;

constexpr AmgKey key_table[] = {
    {"theta", "a number from 0 on", [](std::string_view s, AmgOptions& o) { return read_real(s, o.theta, 0, 1e300); }},
    {"block", "1 to 64", [](std::string_view s, AmgOptions& o) { return read_number(s, o.block, 1, max_block); }},
    {"damping", "a number from 0 to below 2",
     [](std::string_view s, AmgOptions& o) { return read_real(s, o.damping, 0, 2); }},
    {"cycle", "v|w|k", [](std::string_view s, AmgOptions& o) { return read_word(s, o.cycle, cycle_words); }},
    {"smoother", "chebyshev|fourth-kind|fourth-kind-optimal|l1-jacobi|block-jacobi",
     [](std::string_view s, AmgOptions& o) { return read_word(s, o.smoother, smoother_words); }},
    {"degree", "1 to 20", [](std::string_view s, AmgOptions& o) { return read_number(s, o.degree, 1, max_degree); }},
    {"precision", "full|single|bfloat16",
     [](std::string_view s, AmgOptions& o) { return read_word(s, o.precision, precision_words); }},
};

}  // namespace

std::vector<std::pair<std::string, std::string>> amg_keys() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const AmgKey& key : key_table) found.emplace_back(key.name, key.accepted);
  return found;
}

AmgOptions read_amg_words(std::string_view text, AmgOptions options) {
  std::vector<bool> given(std::size(key_table));
  const auto names = [] {
    std::string all;
    for (const AmgKey& key : key_table) all += (all.empty() ? "" : " ") + std::string(key.name);
    return all;
  };
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    require(comma == std::string_view::npos || !text.empty(), "amg: KEY=VALUE is missing after the last comma");
    const std::size_t equals = item.find('=');
    require(equals != std::string_view::npos, "amg: '", item, "' is not KEY=VALUE; keys are: ", names());
    const std::string_view name = item.substr(0, equals), value = item.substr(equals + 1);
    std::size_t k = 0;
    while (k < std::size(key_table) && key_table[k].name != name) ++k;
    require(k < std::size(key_table), "amg: unknown key '", name, "'; there are: ", names());
    require(!given[k], "amg: ", name, " is given twice");
    given[k] = true;
    require(key_table[k].read(value, options), "amg: ", name, "=", value, " is not possible; accepted is ",
            key_table[k].accepted);
  }
  require(options.smoother != AmgSmoother::fourth_kind_optimal || options.degree <= 6, "amg: fourth-kind-optimal with ",
          "degree=", options.degree, "; it takes 1 to 6");
  return options;
}

std::string short_text(const AmgReport& r) {
  std::string rows;
  for (const AmgLevelReport& level : r.levels) rows += fmt::format("{}{}", rows.empty() ? "" : ", ", level.rows);
  std::string text =
      fmt::format("{} levels of {} rows, operator complexity {:.2f}", r.levels.size(), rows, r.operator_complexity);
  if (!r.dense_coarsest) text += ", the last one only smoothed";
  if (r.replaced_diagonals > 0) text += fmt::format(", {} diagonals were zero or missing", r.replaced_diagonals);
  if (r.null_vectors > 0) text += fmt::format(", singular: {} null vectors", r.null_vectors);
  return text + fmt::format("; made in {}: {} for patterns, {} for values", seconds_text(r.total),
                            seconds_text(r.strength + r.aggregates + r.patterns),
                            seconds_text(r.prolongators + r.products + r.formats + r.eigenvalues + r.coarsest));
}

}  // namespace millrace
