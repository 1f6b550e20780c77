// Adds the shared options to a verb and checks their values.
#include "verbs/options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "command.hpp"
#include "millrace/base/error.hpp"
#include "millrace/base/thread_limit.hpp"
#include "millrace/bench/precision.hpp"
#include "millrace/sparse/order.hpp"

namespace millrace::command {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

CLI::Validator checked_by(std::function<void(const std::string&)> parse, bool list) {
  return CLI::Validator(
      [parse = std::move(parse), list](std::string& text) -> std::string {
        try {
          const std::vector<std::string> parts = list || text.empty() ? split(text) : std::vector{text};
          require(!parts.empty(), "a value is missing");
          for (const std::string& part : parts) parse(part);
        } catch (const Error& error) {
          return error.what();
        }
        return {};
      },
      "");
}

CLI::Option* add_precision(CLI::App& app, std::string& precision, bool list) {
  const std::string help = fmt::format("{} (default: double, or complex-double)", precision_names());
  const auto check = checked_by([](const std::string& name) { check_precision(name); });
  return app.add_option("--precision", precision, help)->check(check)->type_name(list ? "NAME,..." : "NAME");
}

CLI::Option* add_order(CLI::App& app, std::string& order) {
  return app.add_option("--order", order, fmt::format("Reorder first: {}", ordering_names()))
      ->check(checked_by([](const std::string& name) { parse_ordering(name); }))
      ->type_name("NAME");
}

CLI::Option* add_device(CLI::App& app, std::string& device) {
  return app.add_option("--device", device, "cpu, gpu or gpu:NUMBER")->type_name("DEVICE")->capture_default_str();
}

namespace {

// "4G", "2.5GB", "800000": decimal units, as reports print them.
std::int64_t parse_bytes(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  if (unit.ends_with('B') || unit.ends_with('b')) unit.pop_back();
  constexpr std::string_view units = "kMGT";
  const std::size_t at = unit.size() == 1 ? units.find(unit[0] == 'K' ? 'k' : unit[0]) : std::string_view::npos;
  const double bytes = number * (unit.empty() ? 1 : at < units.size() ? std::pow(1000, at + 1) : 0);
  require(error == std::errc{} && bytes >= 1 && bytes < 9e18, "'", text,
          "' is no amount of memory; accepted are bytes, or with a unit 500M 4G 1.5T");
  return static_cast<std::int64_t>(bytes);
}

}  // namespace

CLI::Option* add_max_memory(CLI::App& app, std::int64_t& bytes) {
  return app
      .add_option_function<std::string>(
          "--max-memory", [&](const std::string& text) { bytes = parse_bytes(text); },
          "Refuse a matrix that needs more (default: 1 GB, or 50 times its file; generated: all memory)")
      ->check(checked_by([](const std::string& text) { parse_bytes(text); }))
      ->type_name("BYTES");
}

void refuse_infinite_values(CLI::App& verb) {
  const auto check = checked_by([](const std::string& part) {
    char* end = nullptr;
    const double value = std::strtod(part.c_str(), &end);
    require(end != part.c_str() + part.size() || std::isfinite(value), "'", part, "' is no finite number");
  });
  for (CLI::Option* option : verb.get_options()) {
    const std::string type = option->get_type_name();
    if (option->get_items_expected_max() > 0 && type.find("FILE") == type.npos && type.find("MATRIX") == type.npos)
      option->check(check);
  }
}

CLI::Option* add_threads(CLI::App& app, int& num_threads, int least) {
  // Also of what takes no queue, as files, checksums and meshes do, to the end of the process.
  static std::optional<ThreadLimit> limit;
  const auto set = [&num_threads](int asked) {
    num_threads = asked;
    if (asked > 0) limit.emplace(asked);
  };
  return app.add_option_function<int>("--threads", set, "Host threads (default: OMP_NUM_THREADS, or one per core)")
      ->check(CLI::Range(least, 4096).description(""))
      ->type_name("N");
}

void add_drawing(CLI::App& app, Drawing& drawing) {
  app.add_flag_callback(
      "--unicode", [&] { drawing = Drawing::unicode; }, "Draw with block characters");
  app.add_flag_callback(
      "--ascii", [&] { drawing = Drawing::ascii; }, "Draw with plain characters");
}

std::string word_list(std::string_view title, const Meanings& words) {
  std::string text = fmt::format("{}:", title);
  for (const auto& [word, meaning] : words) text += fmt::format("\n  {:<18}{}", word, meaning);
  return text + "\n\n";
}

void add_examples(CLI::App& app, const Meanings& examples, const std::string& lists) {
  std::string text = lists + "Examples:";
  for (const auto& [line, meaning] : examples) text += fmt::format("\n  {}\n      {}", line, meaning);
  app.footer(text);
}

}  // namespace millrace::command
